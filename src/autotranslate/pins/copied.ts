import { realClock, sleep } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createSpacing } from '../../async/spacing.ts';
import { faultFields } from '../../errors.ts';
import { keyOf, messageKey, type MessageRef } from '../../model/place.ts';
import { isHeld, isKeptOut, isPaused } from '../../model/space.ts';
import type { StoredMirror } from '../../store/channels/mirror-rows.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { WATCH, type RowKey } from '../../store/inbox/row.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface CopiedPinsDeps {
  readonly stored: Pick<MirrorStore, 'of' | 'sourceOf' | 'isPinned' | 'setPinned'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'isOwn'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly log: Pick<Log, 'info'>;
  readonly nowMs: () => number;
}

/** Looks for the copies of a message that was pinned as soon as it was written, and the time between them. */
const LOOKS = 4;
const LOOK_MS = 500;
/** Changes of one message, and of all those of a space, that are followed at once, and the time between more. */
const OF_MESSAGE = { burst: 3, everyMs: 300_000 };
const OF_SPACE = { burst: 20, everyMs: 15_000 };
/** Messages that wait for their turn; what is left out is put right when pins are compared. */
const MOST_WAITING = 1_000;

/**
 * Creates what pins the copies of a message when it was pinned, and unpins them. A copy that people pin or unpin themselves
 * is their own affair: it changes neither the message nor other copies.
 */
export const createCopiedPins = ({ stored, watches, platforms, log, nowMs }: CopiedPinsDeps) => {
  const turns = createKeyedMutex();
  const stopping = new AbortController();
  const messageTurn = createSpacing(nowMs, OF_MESSAGE);
  const spaceTurn = createSpacing(nowMs, OF_SPACE);
  /** The messages that wait for their turn, with true for those that are pinned. */
  const waiting = new Map<string, boolean>();

  const isNews = async (key: RowKey, isPinned: boolean): Promise<boolean> =>
    (await stored.isPinned(key)) !== isPinned && !(await stored.sourceOf(key.ref));

  /** The copies of a message, which may be posted only now. */
  const copiesOf = async (key: RowKey, most: number): Promise<readonly StoredMirror[]> => {
    for (let looks = 1; ; looks += 1) {
      const copies = await stored.of(key);
      if (copies.length >= most || looks === LOOKS) return copies;
      await sleep(realClock, LOOK_MS);
    }
  };

  const copy = async (ref: MessageRef, isPinned: boolean, isNew = false): Promise<void> => {
    const watch = watches.of(ref.channel);
    if (watch?.mode !== 'mirror') return;
    using _ = await turns.take(messageKey(ref));
    const key = { ref, purpose: WATCH };
    const group = watches.group(watch);
    if (isPaused(watch) || isHeld(ref.channel, group)) return;
    if (!(await isNews(key, isPinned))) return;
    for (const { posted } of await copiesOf(key, isNew ? group.length - 1 : 0)) {
      if (!posted) continue;
      const { channel, ids } = posted;
      const to = watches.of(channel);
      if (!to || to.group !== watch.group || isKeptOut(ref.channel, to, group)) continue;
      try {
        await platforms.find(channel)?.mirrors.pin?.({ channel, id: ids[0] }, isPinned);
      } catch (thrown) {
        // Without the permission, or where too much is pinned, the copy is there all the same.
        log.info(faultFields(thrown, channel), 'a copy was not pinned');
      }
    }
    await stored.setPinned(key, isPinned);
  };

  /** Follows the last change of a message after a time. */
  const copyLater = async (ref: MessageRef, waitMs: number): Promise<void> => {
    const key = messageKey(ref);
    try {
      await sleep(realClock, waitMs, stopping.signal);
      const isPinned = waiting.get(key);
      waiting.delete(key);
      if (isPinned !== undefined) await copy(ref, isPinned);
    } catch (thrown) {
      if (!stopping.signal.aborted) log.info(faultFields(thrown), 'a pin was not copied');
    }
  };

  return {
    /** Makes the copies of a message as it is, at once. */
    copy: async (ref: MessageRef, isPinned: boolean): Promise<void> => copy(ref, isPinned),
    /**
     * Takes that a message is pinned, or is not, whether that has changed or not. It may have been posted only now; many changes
     * are followed later, which is not waited for.
     */
    changed: async (ref: MessageRef, isPinned: boolean): Promise<void> => {
      if (watches.of(ref.channel)?.mode !== 'mirror') return;
      const key = messageKey(ref);
      if (!waiting.has(key)) {
        using _ = await turns.take(key);
        if (!(await isNews({ ref, purpose: WATCH }, isPinned))) return;
      }
      if (waiting.has(key)) return void waiting.set(key, isPinned);
      const waitMs = Math.max(messageTurn(key), spaceTurn(keyOf(ref.channel.space)));
      if (waitMs === 0) return copy(ref, isPinned, true);
      if (waiting.size >= MOST_WAITING) return;
      waiting.set(key, isPinned);
      void copyLater(ref, waitMs);
    },
    [Symbol.dispose]: (): void => stopping.abort(),
  };
};
