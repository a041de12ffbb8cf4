import { realClock, sleep } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import { faultFields } from '../../errors.ts';
import { channelKey, messageKey, type Channel, type MessageRef } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { LinkedThreadStore } from '../../store/channels/linked-threads.ts';
import type { CopiedPinsDeps } from './copied.ts';

/** The pinned messages of a channel or thread. */
interface Pinned {
  readonly channel: Channel;
  readonly refs: readonly MessageRef[];
}

export interface MissedPinsDeps extends CopiedPinsDeps {
  readonly linkedThreads: Pick<LinkedThreadStore, 'newest'>;
  readonly copyPin: (ref: MessageRef, isPinned: boolean) => Promise<void>;
  /** Compares the threads of a group, too. */
  readonly compareThreads: (watch: ChannelWatch) => Promise<void>;
}

/** Threads of a group whose pins are compared: each is a request. */
const MOST_THREADS = 20;
/** Time in which messages that were missed are copied, before pins are compared. */
const AFTER_MS = 5_000;

/**
 * Creates what compares the pins and threads of linked channels with those of their copies: their changes are reported once,
 * perhaps to a process that ended.
 */
export const createMissedPins = (deps: MissedPinsDeps) => {
  const { stored, watches, platforms, log, copyPin } = deps;
  const stopping = new AbortController();
  const coming = new Set<string>();
  const one = createSemaphore(1);

  /** The pinned messages of the channels of a group and of its newest threads, by the keys of those that tell them. */
  const pinnedIn = async (watch: ChannelWatch): Promise<ReadonlyMap<string, Pinned>> => {
    const found = new Map<string, Pinned>();
    const threads = await deps.linkedThreads.newest(watch.group ?? '', MOST_THREADS);
    const targets = threads.flat().map(({ target }) => target);
    for (const { channel } of [...watches.group(watch), ...targets]) {
      stopping.signal.throwIfAborted();
      try {
        const pinned = await platforms.find(channel)?.feed.pinned?.(channel);
        if (pinned) found.set(channelKey(channel), { channel, refs: pinned });
      } catch (thrown) {
        const where = { platform: channel.space.platform, channel: channel.id };
        log.info({ ...where, ...faultFields(thrown) }, 'the pins of a channel could not be read');
      }
    }
    return found;
  };

  const compare = async (watch: ChannelWatch): Promise<void> => {
    const pinned = await pinnedIn(watch);
    const all = [...pinned.values()].flatMap(({ refs }) => refs);
    const keys = new Set(all.map(messageKey));
    for (const ref of all) {
      stopping.signal.throwIfAborted();
      const source = await stored.sourceOf(ref);
      const there = source && pinned.get(channelKey(source.ref.channel));
      if (!source) await copyPin(ref, true);
      // Copies that people pinned themselves stay.
      else if (there && !keys.has(messageKey(source.ref)) && (await stored.isPinned(source)))
        await copyPin({ channel: there.channel, id: source.ref.id }, false);
    }
  };

  const look = async (watch: ChannelWatch, key: string): Promise<void> => {
    try {
      await sleep(realClock, AFTER_MS, stopping.signal);
      coming.delete(key);
      for (const how of [compare, deps.compareThreads])
        await one
          .use(() => how(watch))
          .catch((thrown: unknown) => {
            if (!stopping.signal.aborted)
              log.info(faultFields(thrown), 'pins or threads could not be compared');
          });
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
