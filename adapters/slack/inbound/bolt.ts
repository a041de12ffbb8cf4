import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { clientOptions, silentLogger } from '../api.ts';
import { spaceOf } from '../ids.ts';
import { eventBody, rateLimitedBody, type EventBody } from './bodies.ts';
import { membershipOf, membershipOfUse, type Membership } from './origin.ts';
import type { Space } from '../../../src/model/place.ts';

export interface BoltOptions {
  readonly receiver: Receiver;
  readonly apiUrl: string | undefined;
  /**
   * Takes an event; it is acknowledged once this resolves, and delivered again when it rejects.
   */
  readonly takeEvent: (body: EventBody) => Promise<void>;
  /** Takes that events of a workspace are left out. */
  readonly leftOut: (space: Space) => void;
  /** Takes which organisation's installation is used, before that is needed. */
  readonly joined: (membership: Membership) => Promise<void>;
}

/**
 * Creates Bolt's app around a receiver. Bolt itself acknowledges an event before anything is done with
 * it; here that comes after it is stored. Listeners use this program's own client, so that every call
 * keeps the same rates.
 */
export const createBolt = ({ receiver, apiUrl, takeEvent, leftOut, joined }: BoltOptions): App => {
  const app = new App({
    receiver,
    logger: silentLogger,
    ignoreSelf: false,
    convoStore: false,
    clientOptions: clientOptions(apiUrl),
    authorize: async () => ({}),
  });
  const process = app.processEvent.bind(app);
  app.processEvent = async (given: ReceiverEvent): Promise<void> => {
    const event = eventBody.safeParse(given.body).data;
    const limited = rateLimitedBody.safeParse(given.body).data;
    const membership = event ? membershipOf(event) : membershipOfUse(given.body);
    if (membership) await joined(membership);
    if (event) await takeEvent(event);
    else if (limited) leftOut(spaceOf(limited.team_id));
    else return process(given);
    await given.ack();
  };
  return app;
};
