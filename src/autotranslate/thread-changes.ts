import { realClock, sleep } from '../async/clock.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { createSpacing } from '../async/spacing.ts';
import { faultFields, toAppError } from '../errors.ts';
import { channelAround, channelKey, isSameChannel, type Channel } from '../model/place.ts';
import { isKeptOut, isPaused, type ChannelWatch } from '../model/space.ts';
import type { ThreadChange } from '../ports/channel-feed.ts';
import type { LinkedThreadStore, ThreadState } from '../store/channels/linked-threads.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { Log } from '../telemetry/log.ts';
import { nameState, type LinkedThreads } from './prepare/linked-threads.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface ThreadChangesDeps {
  readonly linkedThreads: Pick<LinkedThreadStore, 'of' | 'setStates' | 'newest'>;
  readonly nameIn: LinkedThreads['nameIn'];
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'isOwn'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly log: Pick<Log, 'info'>;
  readonly nowMs: () => number;
}

/** The newest threads of a group that are compared after a gap: each is a request. */
const MOST_COMPARED = 20;
/** Changes of one thread that are followed at once, and the time between more; Discord takes two names in ten minutes. */
const AT_ONCE = 2;
const EVERY_MS = 300_000;

const stateOf = ({ name, ...change }: ThreadChange): ThreadState => ({
  ...change,
  ...(name === undefined ? {} : nameState(name)),
});

/** Returns a state after a change that is over. */
const settled = (
  { next: _next, isDue: _isDue, ...before }: ThreadState,
  change: ThreadChange,
): ThreadState => ({
  ...before,
  ...stateOf(change),
});

/** Returns the part of a change that is neither known yet nor made by us at this moment. */
const newsOf = (change: ThreadChange, { next = {}, ...known }: ThreadState): ThreadChange => {
  const { name, isArchived, isLocked } = change;
  const isNews = (flag: 'isArchived' | 'isLocked', now: boolean): boolean =>
    now !== (known[flag] ?? false) && now !== next[flag];
  const { nameHash } = name === undefined ? known : nameState(name);
  return {
    ...(name !== undefined && ![known.nameHash, next.nameHash].includes(nameHash) ? { name } : {}),
    ...(isArchived !== undefined && isNews('isArchived', isArchived) ? { isArchived } : {}),
    ...(isLocked !== undefined && isNews('isLocked', isLocked) ? { isLocked } : {}),
  };
};

const isEmpty = (change: ThreadChange): boolean => Object.keys(change).length === 0;

/**
 * Creates what lets the copies of a thread follow its name, and that it is archived, locked or opened, from whichever of
 * them people change. Our own changes are known by the state that is stored before them; that of the thread which people
 * changed is stored after them, so that they are made after a kill.
 */
export const createThreadChanges = (deps: ThreadChangesDeps) => {
  const { linkedThreads, watches, platforms, log } = deps;
  const stopping = new AbortController();
  const turns = createKeyedMutex();
  const pace = createSpacing(deps.nowMs, { everyMs: EVERY_MS, burst: AT_ONCE });
  /** Changes that wait, of which the last is followed. */
  const waiting = new Map<string, ThreadChange>();

  const conversation = async (thread: Channel, { group = '' }: ChannelWatch) => {
    const { origin, threads } = await linkedThreads.of(group, { channel: thread });
    const own = threads.find(({ target }) => isSameChannel(target.channel, thread));
    return { origin, own, others: threads.filter((one) => one !== own && !one.isGone) };
  };

  /** Resolves with what became of the change: it is made, refused for good, or failed for now. */
  const changeOne = async (
    thread: Channel,
    change: ThreadChange,
  ): Promise<'made' | 'refused' | 'failed'> => {
    try {
      await platforms.find(thread)?.mirrors.changeThread?.(thread, change);
      return 'made';
    } catch (thrown) {
      // Without the permission, the copy is as it was.
      log.info(faultFields(thrown, thread), 'the copy of a thread could not be changed');
      return toAppError(thrown).retryable ? 'failed' : 'refused';
    }
  };

  /** Follows what waits of a thread; resolves with the ms until its turn, where that is yet to come. */
  const follow = async (thread: Channel, watch: ChannelWatch, isTurn: boolean): Promise<number> => {
    const key = channelKey(thread);
    const { origin } = await conversation(thread, watch);
    using _ = await turns.take(origin);
    const { own, others } = await conversation(thread, watch);
    const news = own ? newsOf(waiting.get(key) ?? {}, own.state) : {};
    const waitMs = isTurn || isEmpty(news) ? 0 : pace(key);
    if (own && Boolean(own.state.isDue) === isEmpty(news)) {
      const { isDue: _isDue, ...state } = own.state;
      const due = isEmpty(news) ? {} : { isDue: true as const };
      await linkedThreads.setStates([{ channel: thread, state: { ...state, ...due } }]);
    }
    if (waitMs > 0) return waitMs;
    waiting.delete(key);
    if (!own || isEmpty(news)) return 0;
    const { signal } = stopping;
    const group = watches.group(watch);
    const wanted: { channel: Channel; change: ThreadChange; state: ThreadState }[] = [];
    for (const { target, state } of others) {
      const { channel, threadId } = target;
      const to = watches.of(channel);
      if (!to || to.group !== watch.group || threadId !== undefined) continue;
      if (isKeptOut(thread, to, group)) continue;
      const { name, ...rest } = news;
      const named = name === undefined ? {} : { name: await deps.nameIn(thread, to, signal) };
      const changed = { ...rest, ...named };
      wanted.push({ channel, change: changed, state });
    }
    await linkedThreads.setStates(
      wanted.map((one) => ({ ...one, state: { ...one.state, next: stateOf(one.change) } })),
    );
    const after: { channel: Channel; state: ThreadState }[] = [];
    let isWhole = true;
    for (const { channel, change, state } of wanted) {
      const made = await changeOne(channel, change);
      after.push({ channel, state: settled(state, made === 'made' ? change : {}) });
      isWhole &&= made !== 'failed';
    }
    if (isWhole) after.push({ channel: thread, state: settled(own.state, news) });
    await linkedThreads.setStates(after);
    return 0;
  };

  /** Follows after a time what waits of a thread; what a process leaves is found as its threads are compared. */
  const followLater = async (
    thread: Channel,
    watch: ChannelWatch,
    waitMs: number,
  ): Promise<void> => {
    try {
      await sleep(realClock, waitMs, stopping.signal);
      await follow(thread, watches.of(channelAround(thread)) ?? watch, true);
    } catch (thrown) {
      waiting.delete(channelKey(thread));
      if (!stopping.signal.aborted) log.info(faultFields(thrown), 'a thread could not be followed');
    }
  };

  return {
    /**
     * Takes what was changed of a thread, by anybody, us included; many changes of one are followed later, which is not waited
     * for.
     */
    changed: async (thread: Channel, change: ThreadChange): Promise<void> => {
      const watch = watches.of(channelAround(thread));
      if (watch?.mode !== 'mirror' || isPaused(watch) || watches.isOwn(thread)) return;
      const key = channelKey(thread);
      const isAwaited = waiting.has(key);
      waiting.set(key, { ...waiting.get(key), ...change });
      if (isAwaited) return;
      try {
        const waitMs = await follow(thread, watch, false);
        if (waitMs > 0) void followLater(thread, watch, waitMs);
      } catch (thrown) {
        waiting.delete(key);
        if (!stopping.signal.aborted) throw thrown;
      }
    },
    /** Follows what people changed of the threads of a group while nothing was reported. */
    compare: async (watch: ChannelWatch, signal: AbortSignal): Promise<void> => {
      const all = await linkedThreads.newest(watch.group ?? '', MOST_COMPARED);
      for (const threads of all)
        for (const { target, state } of threads) {
          signal.throwIfAborted();
          const { channel } = target;
          const own = watches.of(channelAround(channel));
          const info = await platforms.find(channel)?.feed.describeThread?.(channel);
          if (!info || !own || isPaused(own)) continue;
          const { name, isArchived, isLocked } = info;
          const { nameHash } = state;
          // The name that it was begun with is not known of a copy.
          if (nameHash === undefined)
            await linkedThreads.setStates([{ channel, state: { ...state, ...nameState(name) } }]);
          const change = {
            ...(nameHash === undefined ? {} : { name }),
            ...(isArchived === undefined ? {} : { isArchived }),
            ...(isLocked === undefined ? {} : { isLocked }),
          };
          if (isEmpty(newsOf(change, state)) && !state.isDue) continue;
          waiting.set(channelKey(channel), change);
          await follow(channel, own, true);
          // What follows it is as it was read no more.
          break;
        }
    },
    [Symbol.dispose]: (): void => stopping.abort(),
  };
};
