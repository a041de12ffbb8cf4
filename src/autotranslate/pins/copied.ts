import { realClock, sleep } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { faultFields } from '../../errors.ts';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { isHeld, isKeptOut, isPaused } from '../../model/space.ts';
import type { MirrorStore, StoredMirror } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { WATCH, type RowKey } from '../../store/inbox/row.ts';
import type { Log } from '../../telemetry/log.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface CopiedPinsDeps {
  readonly stored: Pick<MirrorStore, 'of' | 'sourceOf' | 'isPinned' | 'setPinned'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'isOwn'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly log: Pick<Log, 'info'>;
}

/** Looks for the copies of a message that was pinned as soon as it was written, and the time between them. */
const LOOKS = 4;
const LOOK_MS = 500;

export type CopiedPins = ReturnType<typeof createCopiedPins>;

/**
 * Creates the function that pins the copies of a message when it was pinned, and unpins them. A copy that people pin or
 * unpin themselves is their own affair: it changes neither the message nor other copies.
 */
export const createCopiedPins = ({ stored, watches, platforms, log }: CopiedPinsDeps) => {
  const turns = createKeyedMutex();

  /** The copies of a message, which may be posted only now. */
  const copiesOf = async (key: RowKey, most: number): Promise<readonly StoredMirror[]> => {
    for (let looks = 1; ; looks += 1) {
      const copies = await stored.of(key);
      if (copies.length >= most || looks === LOOKS) return copies;
      await sleep(realClock, LOOK_MS);
    }
  };

  /**
   * @param isPinned as it is reported now, whether that has changed or not
   * @param isNew true where copies may be posted only now
   */
  return async (ref: MessageRef, isPinned: boolean, { isNew } = { isNew: true }): Promise<void> => {
    const watch = watches.of(ref.channel);
    if (watch?.mode !== 'mirror') return;
    using _ = await turns.take(messageKey(ref));
    const key = { ref, purpose: WATCH };
    const group = watches.group(watch);
    if (isPaused(watch) || isHeld(ref.channel, group)) return;
    if ((await stored.isPinned(key)) === isPinned || (await stored.sourceOf(ref))) return;
    for (const { posted } of await copiesOf(key, isNew ? group.length - 1 : 0)) {
      if (!posted) continue;
      const { channel, ids } = posted;
      const to = watches.of(channel);
      if (!to || to.group !== watch.group || isKeptOut(ref.channel, to, group)) continue;
      try {
        await platforms.find(channel)?.mirrors.pin?.({ channel, id: ids[0] }, isPinned);
      } catch (thrown) {
        // Without the permission, or where too much is pinned, the copy is there all the same.
        const { platform } = channel.space;
        log.info(
          { platform, channel: channel.id, ...faultFields(thrown) },
          'a copy was not pinned',
        );
      }
    }
    await stored.setPinned(key, isPinned);
  };
};
