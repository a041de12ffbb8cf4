import type { Tell } from '../tell.ts';
import { MINUTE_MS } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import { toAppError, type AppError, type MessageKey } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import { channelKey } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { LateMarks } from '../../store/channels/late-marks.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { groupOf } from '../../store/inbox/row.ts';
import type { Log } from '../../telemetry/log.ts';
import { noticeLanguage } from '../rules.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** Time for which nothing can be posted in a late channel before people are told. */
const TELL_AFTER_MS = MINUTE_MS;
/** Late channels of which something is kept in memory. */
const MOST_KNOWN = 1_000;

export interface LateNoticesDeps {
  readonly inbox: Pick<InboxStore, 'waitingFrom'>;
  readonly marks: LateMarks;
  readonly watches: Pick<WatchStore, 'inGroup'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly log: Log;
  readonly now: () => number;
  readonly tell: Tell;
}

export type LateNotices = ReturnType<typeof createLateNotices>;

/** State of a late channel. */
interface Known {
  /** Time since which nothing can be posted; undefined where something was posted last. */
  sinceMs: number | undefined;
  /** Keys of the channels that read that it is late, and not yet that this is over. */
  readonly told: Set<string>;
}

/**
 * Creates what tells channels that their messages wait for a linked channel that cannot be reached, and when that is over:
 * each once, also over a restart. Nothing is told of a channel that only takes long. The calls return at once.
 */
export const createLateNotices = (deps: LateNoticesDeps) => {
  const { inbox, marks, watches, platforms, texts, spaces, log, now, tell } = deps;
  const known = createLru<string, Known>(MOST_KNOWN);
  const turns = createKeyedMutex();

  /** The late channel of a partition, and those that are linked with it. */
  const placesOf = (partition: string) => {
    const { group, to } = groupOf(partition) ?? {};
    const all = watches.inGroup(group);
    const late = all.find(({ channel }) => channelKey(channel) === to);
    return { late, others: all.filter((watch) => watch !== late) };
  };

  const read = async (partition: string, others: readonly ChannelWatch[]): Promise<Known> => {
    const before = known.get(partition);
    if (before) return before;
    const told = await marks.among(
      partition,
      others.map(({ channel }) => channel),
    );
    const found = { sinceMs: undefined, told: new Set(told.map(channelKey)) };
    known.set(partition, found);
    return found;
  };

  const tellOf = async (
    watch: ChannelWatch,
    late: ChannelWatch,
    key: Extract<MessageKey, 'autotranslate.late' | 'autotranslate.late-over'>,
    count: number,
  ): Promise<void> => {
    const locale = noticeLanguage(watch, await spaces.of(watch.channel.space));
    const language = { language: late.languages[0] ?? '' };
    const platform = platforms.find(late.channel)?.title ?? late.channel.space.platform;
    const text = texts.rich(locale)(key, { language, platform, count });
    await tell(watch.channel, text);
  };

  const failed = async (partition: string, error: AppError, sinceMs: number): Promise<void> => {
    const { late, others } = placesOf(partition);
    if (!late) return;
    const state = await read(partition, others);
    const { id: channel, space } = late.channel;
    const where = { platform: space.platform, channel };
    if (state.sinceMs === undefined)
      log.warn({ ...where, code: error.code, err: error }, 'messages wait for a linked channel');
    state.sinceMs ??= sinceMs;
    if (now() - state.sinceMs < TELL_AFTER_MS) return;
    const waiting = await inbox.waitingFrom(partition);
    const told = others.map(async (watch) => {
      const key = channelKey(watch.channel);
      const count = waiting.get(key) ?? 0;
      if (count === 0 || state.told.has(key)) return;
      // Stored first: a sentence that a dying process did not post is missed less than one that stands twice.
      state.told.add(key);
      await marks.set(partition, watch.channel);
      await tellOf(watch, late, 'autotranslate.late', count);
    });
    await Promise.all(told);
  };

  const passed = async (partition: string): Promise<void> => {
    const { late, others } = placesOf(partition);
    if (!late) return;
    const state = await read(partition, others);
    if (state.sinceMs !== undefined) {
      const { id: channel, space } = late.channel;
      log.info({ platform: space.platform, channel }, 'a linked channel is reached again');
    }
    state.sinceMs = undefined;
    const told = others.filter(({ channel }) => state.told.has(channelKey(channel)));
    if (told.length === 0) return;
    state.told.clear();
    await marks.remove(
      partition,
      told.map(({ channel }) => channel),
    );
    await Promise.all(told.map((watch) => tellOf(watch, late, 'autotranslate.late-over', 0)));
  };

  const inTurn = async (partition: string, work: () => Promise<void>): Promise<void> => {
    using _ = await turns.take(partition);
    await work().catch((thrown: unknown) => {
      log.warn({ partition, err: toAppError(thrown) }, 'late channels could not be told of');
    });
  };

  return {
    /**
     * Takes a failure of the first message that waits in a partition.
     *
     * @param sinceMs time at which that try began, ms since 1970
     */
    failed: (partition: string, error: AppError, sinceMs: number): void =>
      void inTurn(partition, () => failed(partition, error, sinceMs)),
    /** Takes that messages of a partition were posted. */
    passed: (partition: string): void => void inTurn(partition, () => passed(partition)),
  };
};
