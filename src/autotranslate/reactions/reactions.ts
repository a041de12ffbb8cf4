import { DAY_MS, MINUTE_MS, realClock, withDeadline } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import { AppError, faultFields, toAppError } from '../../errors.ts';
import {
  channelKey,
  keyOf,
  messageKey,
  type Channel,
  type MessageRef,
  type Space,
} from '../../model/place.ts';
import { isKeptOut } from '../../model/space.ts';
import type { BlockStore } from '../../store/blocks.ts';
import type { CopiedReactionStore, MessageEmoji } from '../../store/channels/copied-reactions.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
import type { Log } from '../../telemetry/log.ts';
import { ASKING_EMOJI, qualifiedEmoji } from '../../text/emoji.ts';
import type { Bars } from '../bars.ts';
import { createSpacing } from '../../async/spacing.ts';
import { createLooks, type Look } from './looks.ts';
import {
  createReactionPlaces,
  isAt,
  type ReactionPlace,
  type ReactionPlacesDeps,
} from './places.ts';

export interface CopiedReactionsDeps extends ReactionPlacesDeps {
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'list'>;
  readonly reactions: CopiedReactionStore;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly bars: Bars;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now: () => number;
  readonly nowMs: () => number;
}

/** Time for which a channel that refused a reaction is asked for none. */
const REFUSED_MS = 10 * MINUTE_MS;
const REFUSING = 1_000;
/** Longest wait for an answer about a reaction, and the time for which a space without one is not asked again. */
const ANSWER_MS = 10_000;
/** People of a look who are asked for at the same time: whether they are banned where their reaction would show. */
const ASKED_AT_ONCE = 8;
/** Looks after a start or a lost connection at what changed lately, and the least time between two such. */
const RESUMED = 50;
const RESUMED_MS = DAY_MS;
const RESUME_EVERY_MS = 10 * MINUTE_MS;
/** Emoji of a platform that are looked through at a time once links ended, and the time until more are. */
const PARTED = 200;
const PARTED_EVERY_MS = 2_000;
/** Spaces whose links are remembered. */
const GROUPED = 5_000;

export type CopiedReactions = ReturnType<typeof createCopiedReactions>;

/**
 * Creates what shows people's reactions to a message of linked channels under its other copies: our own reaction with the
 * same emoji stands there as long as somebody elsewhere has theirs. Who that is, is read from the platform at each look, so
 * that no press is counted twice and none of ours or of other bots at all.
 */
export const createCopiedReactions = (deps: CopiedReactionsDeps) => {
  const { platforms, watches, reactions, privacy, bars, log, now, nowMs } = deps;
  const places = createReactionPlaces(deps);
  const resumedAtMs = new Map<string, number>();
  const refusedUntil = createLru<string, number>(REFUSING);

  const silentUntil = createLru<string, number>(REFUSING);

  /** Asks a space's platform for something, within a time: other looks of the group wait for it. */
  const asked = async <T>({ space }: Channel, ask: () => Promise<T>): Promise<T> => {
    const key = keyOf(space);
    if ((silentUntil.get(key) ?? 0) > nowMs())
      throw new AppError('timeout', 'the platform did not answer just now', { retryable: true });
    return withDeadline(realClock, ANSWER_MS, ask).catch((thrown: unknown) => {
      if (toAppError(thrown).code === 'timeout') silentUntil.set(key, nowMs() + ANSWER_MS);
      throw thrown;
    });
  };

  /** The people who have reacted to a message, without those who opted out. */
  const peopleAt = async ({ refs }: ReactionPlace, emoji: string): Promise<readonly string[]> => {
    const [{ channel }] = refs;
    const found = new Set<string>();
    for (const ref of refs)
      for (const id of await asked(channel, () => platforms.of(channel).feed.reactors(ref, emoji)))
        if (!(await privacy.optedOut({ platform: channel.space.platform, id }))) found.add(id);
    return [...found];
  };

  /** Creates the count, for one look, of those of the people who count in another channel: each is asked for once in a space. */
  const createCount = (
    { refs: [ref], watch }: ReactionPlace,
    people: readonly string[],
    signal: AbortSignal,
  ) => {
    const asking = createSemaphore(ASKED_AT_ONCE);
    const counts = new Map<string, Promise<number>>();
    const countIn = async (to: Channel): Promise<number> => {
      const barred = people.map((id) =>
        asking.use(
          () => bars.isBarred({ ref, author: { id, name: '', kind: 'person' } }, to),
          signal,
        ),
      );
      return (await Promise.all(barred)).filter((is) => !is).length;
    };
    return async ({ watch: to }: ReactionPlace): Promise<number> => {
      if (people.length === 0 || isKeptOut(watch.channel, to, watches.group(to))) return 0;
      const space = keyOf(to.channel.space);
      const count = counts.get(space) ?? countIn(to.channel);
      counts.set(space, count);
      return count;
    };
  };

  /** Puts our own reaction under a message, or takes it away, until it is as wanted. */
  const show = async (ref: MessageRef, emoji: string, wanted: boolean): Promise<void> => {
    const key = channelKey(ref.channel);
    const { mirrors } = platforms.of(ref.channel);
    if (!mirrors.react || (refusedUntil.get(key) ?? 0) > nowMs()) return;
    try {
      await asked(ref.channel, async () => mirrors.react?.(ref, emoji, wanted));
    } catch (thrown) {
      const { code, retryable } = toAppError(thrown);
      if (retryable) throw thrown;
      if (code === 'not-found') return void (await reactions.drop(ref));
      if (code === 'forbidden') refusedUntil.set(key, nowMs() + REFUSED_MS);
      // The copy is there all the same.
      log.info(faultFields(thrown, ref.channel), 'a reaction was not copied');
      return;
    }
    // Another process may have counted others meanwhile.
    const isWanted = await reactions.setShown(ref, emoji, wanted);
    if (isWanted !== wanted) await show(ref, emoji, isWanted);
  };

  const copyFrom = async (
    from: ReactionPlace,
    all: readonly ReactionPlace[],
    emoji: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const people = (await places.isClosed(from, emoji)) ? [] : await peopleAt(from, emoji);
    const countFor = createCount(from, people, signal);
    const counted = await Promise.all(
      all
        .filter((to) => to !== from)
        .map(async (to) => {
          const isClosed = people.length === 0 || (await places.isClosed(to, emoji));
          return { ref: to.refs[0], people: isClosed ? 0 : await countFor(to) };
        }),
    );
    // A later look may have counted others meanwhile.
    signal.throwIfAborted();
    let failed: unknown;
    for (const { ref, isWanted, isShown } of await reactions.note(from.refs[0], emoji, counted))
      if (isWanted !== isShown)
        await show(ref, emoji, isWanted).catch((thrown: unknown) => {
          failed ??= thrown;
        });
    if (failed !== undefined) throw failed;
  };

  /** Looks at a message; false where that has to be done again, as it failed or copies are about to be posted. */
  const look = async ({ ref, emoji, everywhere }: Look, signal: AbortSignal): Promise<boolean> => {
    try {
      const source = await places.sourceOf(ref);
      const all = await places.around(source);
      const pressed = all.filter((each) => everywhere || isAt(each, ref));
      if (all.length > 1) for (const from of pressed) await copyFrom(from, all, emoji, signal);
      return !(await places.isAwaited(source, all));
    } catch (thrown) {
      log.info(faultFields(thrown, ref.channel), 'reactions were not copied');
      return !toAppError(thrown).retryable;
    }
  };

  const looks = createLooks({ look, log, nowMs });

  const begin = (one: Omit<Look, 'group'>): void => {
    const group = places.watchOf(one.ref)?.group;
    if (group !== undefined) looks.add({ ...one, group });
  };

  /** Drops what a message counts of those that it is linked with no more; who has reacted is not asked for. */
  const dropParted = async ({ ref, emoji }: MessageEmoji): Promise<void> => {
    try {
      const all = await places.around(await places.sourceOf(ref));
      const others = all.filter((each) => !isAt(each, ref));
      const linked = others.length < all.length ? others.map(({ refs }) => refs[0]) : [];
      if (await reactions.keepOnly(ref, emoji, linked)) await show(ref, emoji, false);
    } catch (thrown) {
      const event = 'a reaction of a link that ended was not taken away';
      log.info(faultFields(thrown, ref.channel), event);
    }
  };

  const lookBack = async (platform: string): Promise<void> => {
    const seen = new Set<string>();
    for (const { ref, emoji } of await reactions.recent(platform, now() - RESUMED_MS, RESUMED)) {
      await dropParted({ ref, emoji });
      const source = await places.sourceOf(ref);
      const key = `${messageKey(source)} ${emoji}`;
      if (!seen.has(key)) begin({ ref: source, emoji, everywhere: true });
      seen.add(key);
    }
  };

  /** Creates what does work for each platform, once a minute at most. */
  const createPaced = (work: (platform: string) => Promise<void>) => {
    const turn = createSpacing(nowMs, { everyMs: MINUTE_MS });
    let isDue = false;
    return (): void => {
      if (isDue) return;
      isDue = true;
      looks.after(turn(''), async () => {
        isDue = false;
        for (const [platform] of platforms.all()) looks.track(work(platform));
      });
    };
  };

  /** Looks again at what changed lately: somebody's reactions count no longer. */
  const recheck = createPaced(lookBack);

  /** The platforms whose emoji are looked through for links that ended; true where that is to begin anew once it is over. */
  const searched = new Map<string, boolean>();

  const searchOn = async (platform: string, last?: MessageEmoji): Promise<void> => {
    let [from, waitMs] = [last, MINUTE_MS];
    try {
      const some = await reactions.after(platform, last, PARTED);
      for (const one of some) await dropParted(one);
      from = some.length < PARTED ? undefined : some.at(-1);
      waitMs = PARTED_EVERY_MS;
      if (!from && searched.get(platform) !== true) searched.delete(platform);
      else if (!from) searched.set(platform, false);
    } finally {
      if (searched.has(platform)) looks.after(waitMs, async () => searchOn(platform, from));
    }
  };

  /** Looks through all emoji of a platform, some at a time, and again where it is under way. */
  const search = async (platform: string): Promise<void> => {
    const isUnderWay = searched.has(platform);
    searched.set(platform, isUnderWay);
    if (!isUnderWay) await searchOn(platform);
  };

  const dropAllParted = createPaced(search);
  /** The groups of the channels of each space, as they were seen last. */
  const groups = createLru<string, string>(GROUPED);

  return {
    recheck,
    /** Takes that watches of a space changed, or of any: reactions of channels that are linked no more go. */
    watchesChanged: (space: Space | undefined): void => {
      if (space) {
        const key = keyOf(space);
        const linked = watches.list(space).map(({ channel, group }) => [channel.id, group]);
        if (groups.get(key) === JSON.stringify(linked)) return;
        groups.set(key, JSON.stringify(linked));
      }
      dropAllParted();
    },
    /** The same store of blocked people, whose reactions are looked at again as somebody is blocked. */
    watching: (blocks: BlockStore): BlockStore => ({
      ...blocks,
      add: async (...given) => {
        await blocks.add(...given);
        recheck();
      },
    }),
    /** Takes that people may have reacted to a message with an emoji, or do not any more. */
    changed: (ref: MessageRef, pressed: string): void => {
      const emoji = qualifiedEmoji(pressed);
      if (emoji !== undefined && emoji !== ASKING_EMOJI) begin({ ref, emoji });
    },
    /** Looks again at what changed lately on a platform, whose people may have reacted unseen. */
    resume: (platform: string): void => {
      if ((resumedAtMs.get(platform) ?? -Infinity) + RESUME_EVERY_MS > nowMs()) return;
      // A process may have ended before it was through.
      if (!resumedAtMs.has(platform)) looks.after(MINUTE_MS, async () => search(platform));
      resumedAtMs.set(platform, nowMs());
      looks.track(lookBack(platform));
    },
    idle: looks.idle,
    [Symbol.asyncDispose]: looks[Symbol.asyncDispose],
  };
};
