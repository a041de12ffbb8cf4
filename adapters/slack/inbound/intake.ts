import { z } from 'zod';
import { PLATFORM } from '../ids.ts';
import { eventBody, type EventBody, createEventPlaces } from './origin.ts';
import type { Installations } from '../install/installations.ts';
import type { EventType } from '../manifest.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Space } from '../../../src/model/place.ts';

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

/** The message that an event is about; undefined for other events. */
const postedIn = (event: Event): z.infer<typeof messageEvent> | undefined =>
  event.type === 'message' ? messageEvent.safeParse(event).data : undefined;

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
    const needed = { ...withoutOthers(event), ...(message ? { message } : {}) };
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
