import { z } from 'zod';
import { channelOf, positionOf, spaceOf } from '../ids.ts';
import type { People } from '../people.ts';
import type { Threads } from '../threads.ts';
import type { EventType } from '../manifest.ts';
import type { EventBody } from './bolt.ts';
import type { MessageReader } from './message-reader.ts';
import { rawMessage, isWritten, type RawSlackMessage } from './raw-message.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

type Event = EventBody['event'];
type Handler = (space: Space, event: Event, isLate: boolean) => Promise<void>;

export interface EventsDeps {
  readonly listener: ChannelFeedListener;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'changed'>;
  readonly threads: Pick<Threads, 'note' | 'forget'>;
  /** Reads a message as it is now; undefined when it is deleted. */
  readonly readMessage: (channel: Channel, ts: string) => Promise<RawSlackMessage | undefined>;
  readonly now: () => number;
  readonly botUserId: (space: Space) => string | undefined;
  /** Reports gaps in the channels of a workspace. */
  readonly lookBack: (space: Space) => Promise<void>;
  /** Takes the removal of the app, or of its token. */
  readonly removed: (space: Space, isWhole: boolean) => Promise<void>;
  /** Takes what somebody wrote to the app itself. */
  readonly addressed: (space: Space, raw: RawSlackMessage, channelId: string) => Promise<void>;
  readonly homeOpened: (space: Space, userId: string) => void;
}

const inChannel = z.looseObject({ channel: z.string() });
const messageEvent = z.looseObject({
  channel: z.string(),
  channel_type: z.string().optional(),
  subtype: z.string().optional(),
  deleted_ts: z.string().optional(),
  message: rawMessage.optional(),
});
const reactionEvent = z.looseObject({
  user: z.string(),
  reaction: z.string(),
  item: z.looseObject({
    type: z.string(),
    channel: z.string().optional(),
    ts: z.string().optional(),
  }),
});
const membershipEvent = z.looseObject({ user: z.string(), channel: z.string() });
const personEvent = z.looseObject({
  user: z.union([z.string(), z.looseObject({ id: z.string() })]),
  tab: z.string().optional(),
});
const channelObjectEvent = z.looseObject({ channel: z.looseObject({ id: z.string() }) });
const tokensEvent = z.looseObject({
  tokens: z.looseObject({ bot: z.array(z.string()).optional() }),
});

const KNOWN_MESSAGES = 20_000;

/** The newest known version of each message: Slack's events may arrive in any order. */
const createVersions = () => {
  /** Time of each message's last edit; '' if never edited, `~` once deleted. */
  const edited = createLru<string, string>(KNOWN_MESSAGES);
  const DELETED = '~';
  return {
    /** Adds a version; false for one that is older than another. */
    add: (channelId: string, { ts, edited: edit }: RawSlackMessage): boolean => {
      const key = `${channelId} ${ts}`;
      const before = edited.get(key) ?? '';
      const now = edit ? positionOf(edit.ts) : '';
      if (before === DELETED || now < before) return false;
      edited.set(key, now);
      return true;
    },
    knows: (channelId: string, ts: string): boolean =>
      edited.get(`${channelId} ${ts}`) !== undefined,
    delete: (channelId: string, ts: string): void => edited.set(`${channelId} ${ts}`, DELETED),
  };
};

export type TakeEvent = (body: EventBody, isRepeated: boolean) => Promise<void>;

/** Age of an event that may have been overtaken by one that came before a restart. */
const LATE_MS = 5_000;

/** Creates what tells the core of Slack's events; it rejects when something could not be stored. */
export const createEvents = (deps: EventsDeps): TakeEvent => {
  const { listener, reader, people, threads, botUserId, lookBack } = deps;
  const versions = createVersions();

  /** The newest state of a message of which a late event tells; undefined when it is deleted. */
  const newest = async (
    raw: RawSlackMessage,
    channel: Channel,
  ): Promise<RawSlackMessage | undefined> => {
    try {
      return await deps.readMessage(channel, raw.ts);
    } catch {
      return raw;
    }
  };

  const report = async (
    given: RawSlackMessage,
    channel: Channel,
    { isNew, isLate }: { readonly isNew: boolean; readonly isLate: boolean },
  ): Promise<void> => {
    if (!isWritten(given) || (isNew && !listener.follows(channel))) return;
    // What was known of the message may have been lost in a restart.
    const isUncertain = isLate && !versions.knows(channel.id, given.ts);
    const raw = isUncertain ? await newest(given, channel) : given;
    if (!raw) return versions.delete(channel.id, given.ts);
    if (!versions.add(channel.id, raw)) return;
    threads.note(channel, raw.ts, raw.thread_ts ?? raw.ts);
    await listener.messageChanged(await reader.read(raw, channel.space, channel.id));
  };

  const deleted = async (channel: Channel, ts: string): Promise<void> => {
    versions.delete(channel.id, ts);
    threads.forget(channel, ts);
    await listener.messagesDeleted([{ channel, id: ts }]);
  };

  const message = async (space: Space, event: Event, isLate: boolean): Promise<void> => {
    const {
      channel: id,
      channel_type,
      subtype,
      deleted_ts,
      message: changed,
    } = messageEvent.parse(event);
    const channel = channelOf(space.id, id);
    if (subtype === 'message_deleted') {
      if (deleted_ts !== undefined) await deleted(channel, deleted_ts);
    } else if (subtype === 'message_changed') {
      if (changed?.subtype === 'tombstone') await deleted(channel, changed.ts);
      else if (changed) await report(changed, channel, { isNew: false, isLate });
    } else {
      const raw = rawMessage.parse(event);
      if (channel_type === 'im') await deps.addressed(space, raw, id);
      else await report(raw, channel, { isNew: true, isLate });
    }
  };

  const reaction = async (space: Space, event: Event, isPresent: boolean): Promise<void> => {
    const { user, reaction: emoji, item } = reactionEvent.parse(event);
    const { channel, ts } = item;
    if (item.type !== 'message' || channel === undefined || ts === undefined) return;
    if (user === botUserId(space)) return;
    const ref = { channel: channelOf(space.id, channel), id: ts };
    await listener.reactionChanged(ref, emoji, isPresent);
  };

  const membership = async (space: Space, event: Event): Promise<void> => {
    const { user, channel } = membershipEvent.parse(event);
    if (user !== botUserId(space)) return;
    listener.messagesMissed([{ channel: channelOf(space.id, channel), newest: undefined }]);
    await listener.accessChanged(space);
  };

  const handlers: Readonly<Record<string, Handler>> = {
    message,
    reaction_added: async (space, event) => reaction(space, event, true),
    reaction_removed: async (space, event) => reaction(space, event, false),
    member_joined_channel: membership,
    channel_unarchive: async (space) => {
      await listener.accessChanged(space);
      await lookBack(space);
    },
    group_unarchive: async (space) => {
      await listener.accessChanged(space);
      await lookBack(space);
    },
    channel_deleted: async (space, event) =>
      listener.channelDeleted(channelOf(space.id, inChannel.parse(event).channel)),
    group_deleted: async (space, event) =>
      listener.channelDeleted(channelOf(space.id, inChannel.parse(event).channel)),
    channel_rename: async (space, event) => {
      channelObjectEvent.parse(event);
      await listener.accessChanged(space);
    },
    user_change: async (space, event) => {
      const { user } = personEvent.parse(event);
      people.changed(space, typeof user === 'string' ? user : user.id);
    },
    app_home_opened: async (space, event) => {
      const { user, tab } = personEvent.parse(event);
      if (tab !== 'messages') deps.homeOpened(space, typeof user === 'string' ? user : user.id);
    },
    app_uninstalled: async (space) => deps.removed(space, true),
    tokens_revoked: async (space, event) => {
      const { bot = [] } = tokensEvent.parse(event).tokens;
      if (bot.length > 0) await deps.removed(space, false);
    },
  } satisfies Record<EventType, Handler>;

  return async ({ team_id, context_team_id, event_time, event }, isRepeated) => {
    const space = spaceOf(context_team_id ?? team_id);
    const isOld = event_time !== undefined && deps.now() - event_time * 1_000 > LATE_MS;
    await handlers[event.type]?.(space, event, isRepeated || isOld);
  };
};
