import { channelOf, positionOf } from '../ids.ts';
import type { Files } from '../files.ts';
import type { Mentions } from '../mentions.ts';
import type { People } from '../people.ts';
import { parseMessage } from '../rich-text/parse-message.ts';
import type { Installed } from '../install/installations.ts';
import { isOfOtherChannel } from '../mirrors/metadata.ts';
import { isWritten, type RawFile, type RawSlackMessage } from './raw-message.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { faultFields } from '../../../src/errors.ts';
import type { MessageFile, Author, Message } from '../../../src/model/message.ts';
import type { Channel, MessageRef, Space } from '../../../src/model/place.ts';
import { shownName } from '../../../src/text/quoted-words.ts';

export interface MessageReaderDeps {
  readonly people: Pick<People, 'of'>;
  readonly mentions: Mentions;
  /** Finds the app's installation in a workspace; undefined where it is not installed. */
  readonly installedIn: (space: Space) => Installed | undefined;
  readonly files: Pick<Files, 'open' | 'whole'>;
  readonly log: Log;
}

/** Range of Slack's samples of a waveform. */
const LOUDEST = 100;

/** The message that a reply in a thread answers: its first one. */
const repliedTo = ({ ts, thread_ts }: RawSlackMessage, channel: Channel): MessageRef | undefined =>
  thread_ts === undefined || thread_ts === ts ? undefined : { channel, id: thread_ts };

/**
 * The version of a message: the time of its last edit, and when it was seen so, as a deleted file, for
 * instance, is no edit.
 */
const versionOf = ({ edited }: RawSlackMessage, seenTs: string): string =>
  `${edited ? positionOf(edited.ts) : ''} ${seenTs && positionOf(seenTs)}`;

export type MessageReader = ReturnType<typeof createMessageReader>;

export const createMessageReader = (deps: MessageReaderDeps) => {
  const { people, mentions, installedIn, files, log } = deps;

  /** True when the app wrote it, under its own name or a person's. */
  const isOurs = (raw: RawSlackMessage, space: Space): boolean => {
    if (raw.bot_id === undefined && raw.app_id === undefined) return false;
    const installed = installedIn(space);
    return (
      installed !== undefined && (raw.app_id === installed.appId || raw.bot_id === installed.botId)
    );
  };

  const authorOf = async (raw: RawSlackMessage, space: Space): Promise<Author> => {
    const kind = isOurs(raw, space) ? 'ourselves' : raw.bot_id === undefined ? 'person' : 'bot';
    const id = raw.user ?? raw.bot_id ?? '';
    const shown = raw.username ?? (kind === 'person' ? undefined : raw.bot_profile?.name);
    if (shown !== undefined) {
      const avatarUrl = raw.icons?.image_48;
      return { id, name: shownName(shown, id), kind, ...(avatarUrl ? { avatarUrl } : {}) };
    }
    try {
      const { name, avatarUrl, isBot } = await people.of(space, id);
      const is = kind === 'person' && isBot ? 'bot' : kind;
      return { id, name, kind: is, ...(avatarUrl === undefined ? {} : { avatarUrl }) };
    } catch (thrown) {
      const profile = raw.user_profile;
      const named = shownName(profile?.display_name, profile?.real_name, profile?.name);
      // Who people of other organisations are may stand in events alone.
      if (named) {
        const avatarUrl = profile?.image_72;
        return { id, name: named, kind, ...(avatarUrl ? { avatarUrl } : {}) };
      }
      // A message must not be lost because its author's name is not known.
      log.warn(faultFields(thrown), 'Slack: the name of an author is not known');
      return { id, name: id, kind };
    }
  };

  const fileOf = async (raw: RawFile, space: Space): Promise<MessageFile | undefined> => {
    const known = await files.whole(space, raw);
    const opened = known && files.open(space, known);
    if (!opened) return undefined;
    const isClip = known.subtype === 'slack_audio';
    return {
      ...opened,
      id: known.id,
      ...(known.alt_txt ? { altText: known.alt_txt } : {}),
      ...(isClip
        ? {
            voice: {
              durationMs: known.duration_ms ?? 0,
              loudness: (known.audio_wave_samples ?? []).map((sample) => sample / LOUDEST),
            },
          }
        : {}),
    };
  };

  return {
    /** @param seenTs the time at which the message was as it is given: of an event, or of its reading */
    read: async (
      raw: RawSlackMessage,
      space: Space,
      channelId: string,
      seenTs = '',
    ): Promise<Message> => {
      const channel = channelOf(space.id, channelId);
      const replyTo = repliedTo(raw, channel);
      const author = await authorOf(raw, space);
      const shown = await Promise.all((raw.files ?? []).map(async (file) => fileOf(file, space)));
      return {
        ref: { channel, id: raw.ts },
        position: positionOf(raw.ts),
        author,
        text: await mentions.named(space, parseMessage(raw)),
        files: shown.filter((file) => file !== undefined),
        stickers: [],
        ...(replyTo ? { replyTo } : {}),
        threadId: raw.thread_ts ?? raw.ts,
        ...(author.kind === 'ourselves' && isOfOtherChannel(raw, channel) ? { copied: true } : {}),
        ...(raw.subtype === 'thread_broadcast' ? { broadcast: true } : {}),
        version: versionOf(raw, seenTs),
        ...(raw.edited ? { edited: true } : {}),
        ...(isWritten(raw) ? {} : { system: true }),
        ...(raw.attachments?.some((each) => each.is_share) ? { holds: 'share' } : {}),
      };
    },
  };
};
