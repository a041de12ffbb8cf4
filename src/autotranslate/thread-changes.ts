import { hash } from 'node:crypto';
import { realClock, sleep } from '../async/clock.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { createSpacing } from '../async/spacing.ts';
import { faultFields } from '../errors.ts';
import { channelAround, channelKey, isSameChannel, type Channel } from '../model/place.ts';
import { isKeptOut, isPaused, type ChannelWatch } from '../model/space.ts';
import type { ThreadChange } from '../ports/channel-feed.ts';
import type { LinkedThreadStore, ThreadState } from '../store/channels/linked-threads.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { Log } from '../telemetry/log.ts';
import type { LinkedThreads } from './prepare/linked-threads.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface ThreadChangesDeps {
  readonly linkedThreads: Pick<LinkedThreadStore, 'of' | 'setStates'>;
  readonly nameIn: LinkedThreads['nameIn'];
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'isOwn'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly log: Pick<Log, 'info'>;
  readonly nowMs: () => number;
}

/** Changes of one thread that are followed at once, and the time between more; Discord takes two names in ten minutes. */
const AT_ONCE = 2;
const EVERY_MS = 300_000;

const stateOf = ({ name, ...change }: ThreadChange): ThreadState => ({
  ...change,
  ...(name === undefined ? {} : { nameHash: hash('sha256', name) }),
});

/** Returns the part of a change that is not known yet. */
const newsOf = (change: ThreadChange, known: ThreadState): ThreadChange => {
  const { name, isArchived, isLocked } = change;
  return {
    ...(name !== undefined && stateOf({ name }).nameHash !== known.nameHash ? { name } : {}),
    ...(isArchived !== undefined && isArchived !== (known.isArchived ?? false)
      ? { isArchived }
      : {}),
    ...(isLocked !== undefined && isLocked !== (known.isLocked ?? false) ? { isLocked } : {}),
  };
};

const isEmpty = (change: ThreadChange): boolean => Object.keys(change).length === 0;

/**
 * Creates what lets the copies of a thread follow its name, and that it is archived, locked or opened, from whichever of
 * them people change. Our own changes are known by the state that is stored before them.
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

  const changeOne = async (thread: Channel, change: ThreadChange): Promise<void> => {
    try {
      await platforms.find(thread)?.mirrors.changeThread?.(thread, change);
    } catch (thrown) {
      // Without the permission, the copy is as it was.
      const { platform } = thread.space;
      log.info(
        { platform, channel: thread.id, ...faultFields(thrown) },
        'the copy of a thread could not be changed',
      );
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
      const named =
        name === undefined ? {} : { name: await deps.nameIn({ channel: thread }, to, signal) };
      const changed = { ...rest, ...named };
      wanted.push({ channel, change: changed, state: { ...state, ...stateOf(changed) } });
    }
    const ownState = { ...own.state, ...stateOf(news) };
    await linkedThreads.setStates([{ channel: thread, state: ownState }, ...wanted]);
    for (const { channel, change: changed } of wanted) await changeOne(channel, changed);
    return 0;
  };

  return {
    /** Takes what was changed of a thread, by anybody, us included. */
    changed: async (thread: Channel, change: ThreadChange): Promise<void> => {
      const watch = watches.of(channelAround(thread));
      if (watch?.mode !== 'mirror' || isPaused(watch) || watches.isOwn(thread)) return;
      const key = channelKey(thread);
      const isAwaited = waiting.has(key);
      waiting.set(key, { ...waiting.get(key), ...change });
      if (isAwaited) return;
      try {
        const waitMs = await follow(thread, watch, false);
        if (waitMs === 0) return;
        await sleep(realClock, waitMs, stopping.signal);
        await follow(thread, watches.of(channelAround(thread)) ?? watch, true);
      } catch (thrown) {
        waiting.delete(key);
        if (!stopping.signal.aborted) throw thrown;
      }
    },
    [Symbol.dispose]: (): void => stopping.abort(),
  };
};
