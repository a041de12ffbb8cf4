import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { clientOptions, silentLogger } from '../api.ts';
import { spaceOf, PLATFORM } from '../ids.ts';
import {
  eventBody,
  rateLimitedBody,
  type EventBody,
  membershipOf,
  membershipOfUse,
  type Membership,
  createEventPlaces,
} from './origin.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';
import { z } from 'zod';
import type { Installations } from '../install/installations.ts';
import type { EventType } from '../manifest.ts';
import type { Core } from '../../../src/adapter.ts';

export interface BoltOptions {
  readonly receiver: Receiver;
  readonly apiUrl: string | undefined;
  /** Takes an event; it is acknowledged once this resolves, and delivered again when it rejects. */
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

export interface IntakeDeps {
  readonly core: Pick<Core, 'feedListener' | 'openDeliveries' | 'services'>;
  readonly installations: Pick<Installations, 'known'>;
  /** Handles an event, for which Slack may have to be asked. */
  readonly handle: (body: EventBody) => Promise<void>;
}

type Event = EventBody['event'];

const words = z.looseObject({ user: z.string().optional() });
const messageEvent = z.looseObject({
  channel: z.string(),
  channel_type: z.string().optional(),
  subtype: z.string().optional(),
  message: words.optional(),
  user: z.string().optional(),
});
/** The channel of an event, wherever its kind has it. */
const placed = z.looseObject({
  channel: z.union([z.string(), z.looseObject({ id: z.string() })]).optional(),
  item: z.looseObject({ channel: z.string().optional() }).optional(),
});

/** Subtypes of events about messages that may have been followed. */
const ABOUT_OLD: readonly (string | undefined)[] = ['message_changed', 'message_deleted'];

/** Events for which nothing is asked of Slack, and which may be handled again. */
const HANDLED_BEFORE_ACK: ReadonlySet<string> = new Set<EventType>([
  'app_home_opened',
  'app_uninstalled',
  'team_access_granted',
  'team_access_revoked',
  'tokens_revoked',
  'user_change',
]);

const pinnedItem = z.object({
  type: z.string(),
  channel: z.string().optional(),
  message: z.object({ ts: z.string() }).optional(),
});

/** The message that an event is about; undefined for other events. */
const postedIn = (event: Event): z.infer<typeof messageEvent> | undefined =>
  event.type === 'message' ? messageEvent.safeParse(event).data : undefined;

/** The message that was pinned or unpinned, without its words; undefined for other events. */
const pinIn = ({ type, item }: Event): object | undefined =>
  type === 'pin_added' || type === 'pin_removed' ? pinnedItem.safeParse(item).data : undefined;

const channelIn = (event: Event): string => {
  const { channel, item } = placed.safeParse(event).data ?? {};
  return (typeof channel === 'string' ? channel : channel?.id) ?? item?.channel ?? '';
};

/** An event without what somebody wrote. */
const withoutWords = <Written extends object>(written: Written): Written => ({
  ...written,
  text: undefined,
  blocks: undefined,
  attachments: undefined,
  files: undefined,
});

/**
 * An event, or its message, without what nothing uses: the state before a change, and the first message of
 * the thread, which somebody else may have written.
 */
const withoutOthers = <Written extends object>(written: Written): Written => ({
  ...written,
  previous_message: undefined,
  root: undefined,
});

/** Creates the intake of events: what has to be handled is stored before Slack is told that it arrived. */
export const createIntake = ({ core, installations, handle }: IntakeDeps) => {
  const { feedListener, services } = core;
  const places = createEventPlaces(feedListener, installations);
  const deliveries = core.openDeliveries(PLATFORM, async (body) =>
    handle(eventBody.parse(JSON.parse(body))),
  );

  /** True for an event that is handled before it is acknowledged, or that nobody needs. */
  const needsNoStorage = (space: Space, event: Event): boolean => {
    if (HANDLED_BEFORE_ACK.has(event.type)) return true;
    const posted = postedIn(event);
    if (!posted || ABOUT_OLD.includes(posted.subtype)) return false;
    if (posted.channel_type === 'im') return true;
    return !feedListener.follows(places.channel(space, posted.channel));
  };

  /** The event as it is stored, and the author of its words: without the words of somebody who opted out. */
  const storable = async (event: Event) => {
    const posted = postedIn(event);
    const authorId = posted?.message?.user ?? posted?.user;
    const message = posted?.message && withoutOthers(posted.message);
    const pinned = pinIn(event);
    const needed = {
      ...withoutOthers(event),
      ...(message ? { message } : {}),
      ...(pinned ? { item: pinned } : {}),
    };
    if (authorId === undefined) return { event: needed };
    if (!(await services.privacy.optedOut({ platform: PLATFORM, id: authorId })))
      return { event: needed, authorId };
    const silent = message && withoutWords(message);
    return { event: { ...withoutWords(needed), ...(silent ? { message: silent } : {}) } };
  };

  return {
    /** Resolves once an event may be acknowledged. Rejects when it could not be stored. */
    take: async (body: EventBody): Promise<void> => {
      const space = places.space(body);
      if (!space || needsNoStorage(space, body.event)) return handle(body);
      const { event, authorId } = await storable(body.event);
      await deliveries.take({
        id: body.event_id,
        space,
        orderKey: channelIn(event) || space.id,
        authorId,
        body: JSON.stringify({ ...body, event }),
      });
    },
    /** Handles what an earlier process left. */
    resume: async () => deliveries.resume(),
    /** Resolves when what came of a workspace before was handled. */
    handled: async (space: Space) => deliveries.handled(space),
    [Symbol.dispose]: () => deliveries[Symbol.dispose](),
  };
};
