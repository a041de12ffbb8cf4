import { GatewayDispatchEvents, type Client } from 'discord.js';
import type { Watcher } from '../../../src/ports/channel-feed.ts';
import { createOn } from './gateway-events.ts';
import { listenToMessages, type InboundMessagesDeps } from './messages.ts';
import { listenToPlaces, type InboundPlacesDeps } from './places.ts';
import { listenToReactions, type InboundReactionsDeps } from './reactions.ts';
import type { Interactions } from '../interactions/interactions.ts';
import type { Voice } from '../voice/index.ts';
import type { ThreadParents } from './thread-parents.ts';

export interface InboundDeps extends InboundMessagesDeps, InboundReactionsDeps, InboundPlacesDeps {
  readonly watcher: Watcher;
  readonly interactions: Pick<Interactions, 'take' | 'lost'>;
  readonly parents: ThreadParents;
  readonly voice: Pick<Voice, 'listen'>;
}

/** Tells the core what happens. */
export const listen = (client: Client, deps: InboundDeps): void => {
  const on = createOn(client, deps.log);
  listenToMessages(on, deps);
  listenToReactions(on, deps);
  listenToPlaces(on, client, deps);
  deps.voice.listen(on, deps.botId);
  on(GatewayDispatchEvents.InteractionCreate, async (raw) => deps.interactions.take(raw));
};
