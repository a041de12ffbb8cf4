import { realClock, sleep, withDeadline } from '../../async/clock.ts';
import { createKeyedMutex, createSemaphore } from '../../async/locks.ts';
import { faultFields, toAppError } from '../../errors.ts';
import { channelKey, keyOf, messageKey, type Channel, type MessageRef } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { LinkedThreadStore } from '../../store/channels/linked-threads.ts';
import type { createThreadChanges } from '../thread-changes.ts';
import type { CopiedPinsDeps, createCopiedPins } from './copied.ts';

interface Pinned {
  readonly channel: Channel;
  readonly refs: readonly MessageRef[];
}

export interface MissedPinsDeps extends CopiedPinsDeps {
  readonly linkedThreads: Pick<LinkedThreadStore, 'newest'>;
  readonly copiedPins: Pick<ReturnType<typeof createCopiedPins>, 'copy'>;
  /** The threads of a group, which are compared, too. */
  readonly threadChanges: Pick<ReturnType<typeof createThreadChanges>, 'compare'>;
}

/** Threads of a group whose pins are compared: each is a request. */
const MOST_THREADS = 20;
/** Time in which messages that were missed are copied, before pins are compared. */
const AFTER_MS = 5_000;
/** Groups that are compared at once, of different spaces, and the longest time for the pins of one, and for its threads. */
const AT_ONCE = 4;
const LONGEST_MS = 60_000;
/** Longest wait for the pins of a channel; then no others of its space are read for the group. */
const READ_MS = 10_000;

/**
 * Creates what compares the pins and threads of linked channels with those of their copies: their changes are reported once,
 * perhaps to a process that ended.
 */
export const createMissedPins = (deps: MissedPinsDeps) => {
  const { stored, watches, platforms, log, copiedPins, threadChanges } = deps;
  const stopping = new AbortController();
  const coming = new Set<string>();
  const turns = createKeyedMutex();
  const atOnce = createSemaphore(AT_ONCE);

  /** The pinned messages of the channels of a group and of its newest threads, by the keys of those that tell them. */
  const pinnedIn = async (
    watch: ChannelWatch,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Pinned>> => {
    const found = new Map<string, Pinned>();
    const late = new Set<string>();
    const threads = await deps.linkedThreads.newest(watch.group ?? '', MOST_THREADS);
    const targets = threads.flat().map(({ target }) => target);
    for (const { channel } of [...watches.group(watch), ...targets]) {
      signal.throwIfAborted();
      const space = keyOf(channel.space);
      if (late.has(space)) continue;
      try {
        const read = async () => platforms.find(channel)?.feed.pinned?.(channel);
        const pinned = await withDeadline(realClock, READ_MS, read, signal);
        if (pinned) found.set(channelKey(channel), { channel, refs: pinned });
      } catch (thrown) {
        if (toAppError(thrown).code === 'timeout') late.add(space);
        log.info(faultFields(thrown, channel), 'the pins of a channel could not be read');
      }
    }
    return found;
  };

  const compare = async (watch: ChannelWatch, signal: AbortSignal): Promise<void> => {
    const pinned = await pinnedIn(watch, signal);
    const all = [...pinned.values()].flatMap(({ refs }) => refs);
    const keys = new Set(all.map(messageKey));
    for (const ref of all) {
      signal.throwIfAborted();
      const source = await stored.sourceOf(ref);
      const there = source && pinned.get(channelKey(source.ref.channel));
      if (!source) await copiedPins.copy(ref, true);
      // Copies that people pinned themselves stay.
      else if (there && !keys.has(messageKey(source.ref)) && (await stored.isPinned(source)))
        await copiedPins.copy({ channel: there.channel, id: source.ref.id }, false);
    }
  };

  const look = async (watch: ChannelWatch, key: string): Promise<void> => {
    const { signal } = stopping;
    try {
      await sleep(realClock, AFTER_MS, signal);
      using _ = await turns.take(keyOf(watch.channel.space), signal);
      coming.delete(key);
      for (const how of [compare, threadChanges.compare]) {
        const inTime = () => withDeadline(realClock, LONGEST_MS, (own) => how(watch, own), signal);
        await atOnce.use(inTime, signal).catch((thrown: unknown) => {
          signal.throwIfAborted();
          log.info(faultFields(thrown), 'pins or threads could not be compared');
        });
      }
    } catch {
      // The program ends.
    }
  };

  return {
    /** Has the pins of linked channels compared among which these are, each group once. */
    missed: (channels: readonly Channel[]): void => {
      for (const channel of channels) {
        const watch = watches.of(channel);
        const { group } = watch ?? {};
        if (!watch || group === undefined || !watches.isOwn(channel) || coming.has(group)) continue;
        coming.add(group);
        void look(watch, group);
      }
    },
    [Symbol.dispose]: (): void => stopping.abort(),
  };
};
