import { z } from 'zod';
import { spaceOf } from '../ids.ts';
import type { Installations } from '../install/installations.ts';
import type { People } from '../people.ts';
import type { ThreadRoots } from '../history.ts';
import type { EventType } from '../manifest.ts';
import { type EventBody, createEventPlaces, organisationOf } from './origin.ts';
import type { MessageReader } from './message-reader.ts';
import { reactionOf } from '../rich-text/atoms.ts';
import { rawMessage, isWritten, type RawSlackMessage } from './raw-message.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import { ASKING_EMOJI } from '../../../src/text/emoji.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

type Event = EventBody['event'];

/** A new message, or a change of one, as an event reports it. */
interface MessageChange {
  readonly isNew: boolean;
  /** Time of the event; empty where Slack does not say it. */
  readonly eventTs: string;
}

interface EventContext {
  readonly event: Event;
  /** The organisation through whose installation it came. */
  readonly organisationId: string | undefined;
}

type Handler = (space: Space, context: EventContext) => Promise<void>;

export interface EventsDeps {
  readonly listener: ChannelFeedListener;
  readonly reader: MessageReader;
  readonly people: Pick<People, 'changed'>;
  readonly threads: Pick<ThreadRoots, 'note' | 'forget'>;
  readonly installations: Pick<Installations, 'known' | 'joined' | 'parted' | 'ended'>;
  /** Has what was missed in the channels of a workspace read; resolves once that is stored. */
  readonly lookBack: (space: Space) => Promise<void>;
  /** Takes spaces from which the app was removed; resolves when nothing is stored of them. */
  readonly removed: (spaces: readonly Space[]) => Promise<void>;
  /** Takes what somebody wrote to the app itself. */
  readonly addressed: (space: Space, raw: RawSlackMessage, channelId: string) => Promise<void>;
  /** Takes a new message in a channel. */
  readonly written: (channel: Channel, raw: RawSlackMessage, botUserId: string) => void;
  /** Takes a change of a channel's name. */
  readonly renamed: (channelId: string) => void;
  readonly homeOpened: (space: Space, userId: string) => void;
  readonly invited: (channel: Channel, inviterId: string) => void;
  /** Takes that somebody reacted to a message to have it translated for them alone. */
  readonly asked: (channel: Channel, ts: string, userId: string) => void;
}

const inChannel = z.looseObject({ channel: z.string() });
const messageEvent = z.looseObject({
  channel: z.string(),
  channel_type: z.string().optional(),
  subtype: z.string().optional(),
  deleted_ts: z.string().optional(),
  ts: z.string().optional(),
  event_ts: z.string().optional(),
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
const pinEvent = z.looseObject({
  item: z.looseObject({
    type: z.string(),
    channel: z.string().optional(),
    message: z.looseObject({ ts: z.string() }).optional(),
  }),
});
const membershipEvent = z.looseObject({
  user: z.string(),
  channel: z.string(),
  /** The person who invited the user; absent where they joined by themselves ("member_joined_channel"). */
  inviter: z.string().optional(),
});
const personEvent = z.looseObject({
  user: z.union([z.string(), z.looseObject({ id: z.string() })]),
  tab: z.string().optional(),
});
const channelObjectEvent = z.looseObject({ channel: z.looseObject({ id: z.string() }) });
const teamsEvent = z.looseObject({ team_ids: z.array(z.string()) });
const tokensEvent = z.looseObject({
  tokens: z.looseObject({ bot: z.array(z.string()).optional() }),
});

/** Reads an event; one of another shape than Slack documents is given up. */
const shaped = <Schema extends z.ZodType>(schema: Schema, event: Event): z.output<Schema> => {
  const parsed = schema.safeParse(event);
  if (parsed.success) return parsed.data;
  throw new AppError('bad-input', `an event ${event.type} has an unknown shape`);
};

/** Events that are taken from workspaces in which the app is not installed any more, or not yet. */
const WITHOUT_APP: ReadonlySet<string> = new Set<EventType>([
  'app_uninstalled',
  'message',
  'team_access_granted',
  'team_access_revoked',
  'tokens_revoked',
]);

/** Creates what tells the core of an event; it rejects when that could not be stored. */
export const createEvents = (deps: EventsDeps): ((body: EventBody) => Promise<void>) => {
  const { listener, reader, people, threads, installations, removed, lookBack } = deps;
  const places = createEventPlaces(listener, installations);
  const botUserId = (space: Space): string | undefined => installations.known(space)?.botUserId;

  const report = async (
    raw: RawSlackMessage,
    channel: Channel,
    { isNew, eventTs }: MessageChange,
  ): Promise<void> => {
    if (!isWritten(raw) || (isNew && !listener.follows(channel))) return;
    threads.note(channel, raw.ts, raw.thread_ts ?? raw.ts);
    await listener.messageChanged(await reader.read(raw, channel.space, channel.id, eventTs));
  };

  const deleted = async (channel: Channel, ts: string): Promise<void> => {
    threads.forget(channel, ts);
    await listener.messagesDeleted([{ channel, id: ts }]);
  };

  const message = async (space: Space, { event }: EventContext): Promise<void> => {
    const {
      channel: id,
      channel_type,
      subtype,
      deleted_ts,
      ts = '',
      event_ts: eventTs = ts,
      message: changed,
    } = shaped(messageEvent, event);
    const channel = places.channel(space, id);
    if (subtype === 'message_deleted') {
      if (deleted_ts !== undefined) await deleted(channel, deleted_ts);
    } else if (subtype === 'message_changed') {
      if (changed?.subtype === 'tombstone') await deleted(channel, changed.ts);
      else if (changed) await report(changed, channel, { isNew: false, eventTs });
    } else {
      const raw = shaped(rawMessage, event);
      if (channel_type === 'im') return deps.addressed(space, raw, id);
      await report(raw, channel, { isNew: true, eventTs });
      const own = botUserId(space);
      if (own !== undefined) deps.written(channel, raw, own);
    }
  };

  const reaction = async (space: Space, event: Event, isPresent: boolean): Promise<void> => {
    const { user, reaction: name, item } = shaped(reactionEvent, event);
    const { channel, ts } = item;
    if (item.type !== 'message' || channel === undefined || ts === undefined) return;
    if (user === botUserId(space)) return;
    const ref = { channel: places.channel(space, channel), id: ts };
    const emoji = reactionOf(name);
    if (isPresent && emoji === ASKING_EMOJI) deps.asked(ref.channel, ts, user);
    await listener.reactionChanged(ref, emoji, isPresent, user);
  };

  const pin = async (space: Space, event: Event, isPinned: boolean): Promise<void> => {
    const { channel, message: pinned } = shaped(pinEvent, event).item;
    if (channel === undefined || !pinned) return;
    await listener.pinChanged({ channel: places.channel(space, channel), id: pinned.ts }, isPinned);
  };

  const membership = async (space: Space, { event }: EventContext): Promise<void> => {
    const { user, channel: id, inviter } = shaped(membershipEvent, event);
    const channel = places.channel(space, id);
    if (user !== botUserId(channel.space)) return;
    if (inviter !== undefined && inviter !== user) deps.invited(channel, inviter);
    listener.messagesMissed([{ channel, newest: undefined }]);
    await listener.accessChanged(channel.space);
  };

  const unarchived: Handler = async (space) => {
    await listener.accessChanged(space);
    await lookBack(space);
  };

  const channelDeleted: Handler = async (space, { event }) =>
    listener.channelDeleted(places.channel(space, shaped(inChannel, event).channel));

  const handlers: Readonly<Record<string, Handler>> = {
    message,
    reaction_added: async (space, { event }) => reaction(space, event, true),
    reaction_removed: async (space, { event }) => reaction(space, event, false),
    pin_added: async (space, { event }) => pin(space, event, true),
    pin_removed: async (space, { event }) => pin(space, event, false),
    member_joined_channel: membership,
    channel_unarchive: unarchived,
    group_unarchive: unarchived,
    channel_deleted: channelDeleted,
    group_deleted: channelDeleted,
    channel_rename: async (space, { event }) => {
      deps.renamed(shaped(channelObjectEvent, event).channel.id);
      await listener.accessChanged(space);
    },
    user_change: async (_space, { event }) => {
      const { user } = shaped(personEvent, event);
      people.changed(typeof user === 'string' ? user : user.id);
    },
    app_home_opened: async (space, { event }) => {
      const { user, tab } = shaped(personEvent, event);
      if (tab !== 'messages') deps.homeOpened(space, typeof user === 'string' ? user : user.id);
    },
    app_uninstalled: async (space) => installations.ended(space, true, removed),
    tokens_revoked: async (space, { event }) => {
      const { bot = [] } = shaped(tokensEvent, event).tokens;
      if (bot.length > 0) await installations.ended(space, false, removed);
    },
    team_access_granted: async (space, { event, organisationId = space.id }) =>
      installations.joined(shaped(teamsEvent, event).team_ids.map(spaceOf), organisationId),
    team_access_revoked: async (space, { event, organisationId = space.id }) =>
      installations.parted(
        shaped(teamsEvent, event).team_ids.map(spaceOf),
        organisationId,
        removed,
      ),
  } satisfies Record<EventType, Handler>;

  return async (body) => {
    const { event } = body;
    const space = places.space(body);
    const handler = handlers[event.type];
    if (!space || !handler) return;
    // Without the app in the workspace nothing can be asked; messages of watched channels wait.
    if (!installations.known(space) && !WITHOUT_APP.has(event.type)) return;
    const organisationId = organisationOf(body) ?? body.enterprise_id ?? undefined;
    await handler(space, { event, organisationId });
  };
};
