import { z } from 'zod';
import { channelOf, positionOf, spaceOf } from '../ids.ts';
import type { Installations } from '../install/installations.ts';
import type { People } from '../people.ts';
import type { Threads } from '../threads.ts';
import type { EventType } from '../manifest.ts';
import type { EventBody } from './bolt.ts';
import type { MessageReader } from './message-reader.ts';
import { organisationOf, originOf } from './origin.ts';
import { rawMessage, isWritten, type RawSlackMessage } from './raw-message.ts';
import { createLru } from '../../../src/async/lru.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

type Event = EventBody['event'];

interface Arrived {
  readonly event: Event;
  /** True for an event that others may have overtaken. */
  readonly isLate: boolean;
  /** The organisation through whose installation it came. */
  readonly organisationId: string | undefined;
}

type Handler = (space: Space, arrived: Arrived) => Promise<void>;

export interface EventsDeps {
  readonly listener: ChannelFeedListener;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'changed'>;
  readonly threads: Pick<Threads, 'note' | 'forget'>;
  /** Reads a message as it is now; undefined when it is deleted. */
  readonly readMessage: (channel: Channel, ts: string) => Promise<RawSlackMessage | undefined>;
  readonly now: () => number;
  readonly installations: Pick<Installations, 'known' | 'joined' | 'parted' | 'ended'>;
  /** Reports gaps in the channels of a workspace. */
  readonly lookBack: (space: Space) => Promise<void>;
  /** Takes spaces from which the app was removed; resolves when nothing is stored of them. */
  readonly removed: (spaces: readonly Space[]) => Promise<void>;
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
const teamsEvent = z.looseObject({ team_ids: z.array(z.string()) });
const tokensEvent = z.looseObject({
  tokens: z.looseObject({ bot: z.array(z.string()).optional() }),
});

const KNOWN_MESSAGES = 20_000;

/** The newest known version of each message: Slack's events may arrive in any order. */
const createVersions = () => {
  /** Time of each message's last edit; '' if never edited, `~` once deleted. */
  const edited = createLru<string, string>(KNOWN_MESSAGES);
  const DELETED = '~';
  const keyOf = ({ space, id }: Channel, ts: string): string => `${space.id} ${id} ${ts}`;
  return {
    /** Adds a version; false for one that is older than another. */
    add: (channel: Channel, { ts, edited: edit }: RawSlackMessage): boolean => {
      const key = keyOf(channel, ts);
      const before = edited.get(key) ?? '';
      const now = edit ? positionOf(edit.ts) : '';
      if (before === DELETED || now < before) return false;
      edited.set(key, now);
      return true;
    },
    knows: (channel: Channel, ts: string): boolean => edited.get(keyOf(channel, ts)) !== undefined,
    delete: (channel: Channel, ts: string): void => edited.set(keyOf(channel, ts), DELETED),
    forgetSpace: ({ id }: Space): void => {
      for (const [key] of edited) if (key.startsWith(`${id} `)) edited.delete(key);
    },
  };
};

export type TakeEvent = (body: EventBody, isRepeated: boolean) => Promise<void>;

/** Events that are taken from workspaces in which the app is not installed any more, or not yet. */
const WITHOUT_APP: ReadonlySet<string> = new Set<EventType>([
  'app_uninstalled',
  'message',
  'team_access_granted',
  'team_access_revoked',
  'tokens_revoked',
]);

/** Age of an event that may have been overtaken by one that came before a restart. */
const LATE_MS = 5_000;

/** Creates what tells the core of Slack's events; it rejects when something could not be stored. */
export const createEvents = (deps: EventsDeps) => {
  const { listener, reader, people, threads, installations, removed, lookBack } = deps;
  const botUserId = (space: Space): string | undefined => installations.known(space)?.botUserId;
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
    const isUncertain = isLate && !versions.knows(channel, given.ts);
    const raw = isUncertain ? await newest(given, channel) : given;
    if (!raw) return versions.delete(channel, given.ts);
    if (!versions.add(channel, raw)) return;
    threads.note(channel, raw.ts, raw.thread_ts ?? raw.ts);
    await listener.messageChanged(await reader.read(raw, channel.space, channel.id));
  };

  const deleted = async (channel: Channel, ts: string): Promise<void> => {
    versions.delete(channel, ts);
    threads.forget(channel, ts);
    await listener.messagesDeleted([{ channel, id: ts }]);
  };

  /** The channel of an event, in the space that it is watched in: several may share it. */
  const sharedChannel = (space: Space, id: string): Channel => {
    const channel = channelOf(space.id, id);
    const holder = listener.spaceOf(channel);
    return installations.known(holder) ? { ...channel, space: holder } : channel;
  };

  const message = async (space: Space, { event, isLate }: Arrived): Promise<void> => {
    const {
      channel: id,
      channel_type,
      subtype,
      deleted_ts,
      message: changed,
    } = messageEvent.parse(event);
    const channel = sharedChannel(space, id);
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
    const ref = { channel: sharedChannel(space, channel), id: ts };
    await listener.reactionChanged(ref, emoji, isPresent);
  };

  const membership = async (space: Space, { event }: Arrived): Promise<void> => {
    const { user, channel } = membershipEvent.parse(event);
    if (user !== botUserId(space)) return;
    listener.messagesMissed([{ channel: channelOf(space.id, channel), newest: undefined }]);
    await listener.accessChanged(space);
  };

  const handlers: Readonly<Record<string, Handler>> = {
    message,
    reaction_added: async (space, { event }) => reaction(space, event, true),
    reaction_removed: async (space, { event }) => reaction(space, event, false),
    member_joined_channel: membership,
    channel_unarchive: async (space) => {
      await listener.accessChanged(space);
      await lookBack(space);
    },
    group_unarchive: async (space) => {
      await listener.accessChanged(space);
      await lookBack(space);
    },
    channel_deleted: async (space, { event }) =>
      listener.channelDeleted(channelOf(space.id, inChannel.parse(event).channel)),
    group_deleted: async (space, { event }) =>
      listener.channelDeleted(channelOf(space.id, inChannel.parse(event).channel)),
    channel_rename: async (space, { event }) => {
      channelObjectEvent.parse(event);
      await listener.accessChanged(space);
    },
    user_change: async (_space, { event }) => {
      const { user } = personEvent.parse(event);
      people.changed(typeof user === 'string' ? user : user.id);
    },
    app_home_opened: async (space, { event }) => {
      const { user, tab } = personEvent.parse(event);
      if (tab !== 'messages') deps.homeOpened(space, typeof user === 'string' ? user : user.id);
    },
    app_uninstalled: async (space) => installations.ended(space, true, removed),
    tokens_revoked: async (space, { event }) => {
      const { bot = [] } = tokensEvent.parse(event).tokens;
      if (bot.length > 0) await installations.ended(space, false, removed);
    },
    team_access_granted: async (space, { event, organisationId = space.id }) =>
      installations.joined(teamsEvent.parse(event).team_ids.map(spaceOf), organisationId),
    team_access_revoked: async (space, { event, organisationId = space.id }) =>
      installations.parted(teamsEvent.parse(event).team_ids.map(spaceOf), organisationId, removed),
  } satisfies Record<EventType, Handler>;

  const take: TakeEvent = async (body, isRepeated) => {
    const { event, event_time } = body;
    const isInstalled = (each: Space): boolean => installations.known(each) !== undefined;
    const space = originOf(body, isInstalled);
    const handler = handlers[event.type];
    if (!space || !handler) return;
    // Without the app in the workspace nothing can be asked; messages of watched channels wait.
    if (!isInstalled(space) && !WITHOUT_APP.has(event.type)) return;
    const isOld = event_time !== undefined && deps.now() - event_time * 1_000 > LATE_MS;
    await handler(space, {
      event,
      isLate: isRepeated || isOld,
      organisationId: organisationOf(body) ?? body.enterprise_id ?? undefined,
    });
  };
  return {
    take,
    /** Drops what is known of the messages of a workspace. */
    forgetSpace: versions.forgetSpace,
  };
};
