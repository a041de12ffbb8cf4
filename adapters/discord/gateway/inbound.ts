import { GatewayDispatchEvents, type Client } from 'discord.js';
import type { Watcher } from '../../../src/watch/port.ts';
import { createOn } from './gateway-events.ts';
import { listenToMessages, type InboundMessagesParts } from './inbound-messages.ts';
import { listenToPlaces, type InboundPlacesParts } from './inbound-places.ts';
import { listenToReactions, type InboundReactionsParts } from './inbound-reactions.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { Voice } from '../voice/index.ts';
import type { ThreadParents } from './thread-parents.ts';

export interface InboundParts
  extends InboundMessagesParts, InboundReactionsParts, InboundPlacesParts {
  readonly watcher: Watcher;
  readonly interactions: Pick<Interactions, 'take' | 'lost'>;
  readonly parents: ThreadParents;
  readonly voice: Pick<Voice, 'listen'>;
}

/** Tells the core what happens. */
export const listen = (client: Client, parts: InboundParts): void => {
  const on = createOn(client, parts.log);
  listenToMessages(on, parts);
  listenToReactions(on, parts);
  listenToPlaces(on, client, parts);
  parts.voice.listen(on, parts.botId);
  on(GatewayDispatchEvents.InteractionCreate, async (raw) => parts.interactions.take(raw));
};
