import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { clientOptions, silentLogger } from '../api.ts';
import { spaceOf } from '../ids.ts';
import {
  eventBody,
  rateLimitedBody,
  type EventBody,
  membershipOf,
  membershipOfUse,
  type Membership,
} from './origin.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';

export interface BoltOptions {
  readonly receiver: Receiver;
  readonly apiUrl: string | undefined;
  /**
   * Takes an event; it is acknowledged once this resolves, and delivered again when it rejects.
   */
  readonly takeEvent: (body: EventBody) => Promise<void>;
  /** Takes that events of a workspace are left out. */
  readonly eventsDropped: (space: Space) => void;
  /** Takes which organisation's installation is used, before that is needed. */
  readonly joined: (membership: Membership) => Promise<void>;
  readonly log: Pick<Log, 'error'>;
}

/** Finds what a listener threw, which Bolt wraps. */
const unwrapped = (thrown: unknown): unknown =>
  (thrown as { readonly original?: unknown } | undefined)?.original ?? thrown;

/**
 * Creates Bolt's app around a receiver. Bolt itself acknowledges an event before anything is done with
 * it; here that comes after it is stored. Listeners use this program's own client, so that every call
 * keeps the same rates. Bolt's log is silent, as it holds people's texts: what fails is logged here.
 */
export const createBolt = (options: BoltOptions): App => {
  const { receiver, apiUrl, takeEvent, eventsDropped, joined, log } = options;
  const app = new App({
    receiver,
    logger: silentLogger,
    ignoreSelf: false,
    convoStore: false,
    clientOptions: clientOptions(apiUrl),
    authorize: async () => ({}),
  });
  const process = app.processEvent.bind(app);

  /** Stores an event, or notes what Slack tells; false for what people do with the app. */
  const store = async (body: unknown): Promise<boolean> => {
    const event = eventBody.safeParse(body).data;
    const limited = rateLimitedBody.safeParse(body).data;
    const membership = event ? membershipOf(event) : membershipOfUse(body);
    try {
      if (membership) await joined(membership);
      if (event) await takeEvent(event);
      else if (limited) eventsDropped(spaceOf(limited.team_id));
      return event !== undefined || limited !== undefined;
    } catch (thrown) {
      log.error({ err: thrown, type: event?.event.type }, 'Slack: an event could not be stored');
      throw thrown;
    }
  };

  app.processEvent = async (given: ReceiverEvent): Promise<void> => {
    if (await store(given.body)) return given.ack();
    try {
      await process(given);
    } catch (thrown) {
      log.error({ err: unwrapped(thrown) }, 'Slack: an interaction could not be handled');
      throw thrown;
    }
  };
  return app;
};
