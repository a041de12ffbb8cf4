import { MINUTE_MS } from '../async/clock.ts';
import { AppError, toAppError } from '../errors.ts';
import { logFailure } from '../telemetry/log.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Content } from '../model/message.ts';
import { keyOf, type Space } from '../model/place.ts';
import type { StoredRoom } from '../model/room.ts';
import type { Tenure, WhileHeld } from '../ports/processes.ts';
import type { OpenRoomRow, OpenRooms } from '../store/open-rooms.ts';
import type { OpenRoom } from './room.ts';
import type { RoomEntry } from './room-entry.ts';
import type { RoomContext } from './room-types.ts';
import { createRoomTexts, type NotBackReason } from './texts.ts';

export interface RejoinDeps extends Pick<RoomContext, 'clock' | 'now' | 'log'> {
  readonly rows: Pick<OpenRooms, 'of' | 'remove'>;
  readonly entry: Pick<RoomEntry, 'of' | 'turn' | 'acquire' | 'openUnder' | 'isPeopled' | 'portOf'>;
  readonly texts: Texts;
  /** Called when the bot has not come back to a room of the space. */
  readonly notBack: (space: Space) => void;
}

/** Longest absence after which the bot comes back: later, people do something else. */
const LONGEST_AWAY_MS = 15 * MINUTE_MS;
/** Longest absence after which people are still informed that it did not come back. */
const INFORMED_MS = 24 * 60 * MINUTE_MS;
/** Wait after a failure that may be over soon. */
const TRY_AGAIN_AFTER_MS = 10_000;

const heldBy = (tenure: Tenure): WhileHeld => ({ assertHeld: () => tenure.assertHeld() });

/** Brings the bot back to the rooms in which its process ended, with what it did there. */
export const createRejoin = (deps: RejoinDeps) => {
  const { rows, entry, clock, now, log } = deps;
  /** Returns under way by space, each aborted when the space is lost. */
  const underWay = new Map<string, AbortController>();
  const waiting = new Map<string, () => void>();
  let isOver = false;

  const isOpen = (space: Space): boolean => entry.of(space) !== undefined;

  const notifyStarter = async (
    { channel, captions }: StoredRoom,
    content: Content,
    held: WhileHeld,
  ): Promise<void> => {
    const starter = captions?.startedBy;
    const { platform } = entry.portOf(channel.space);
    if (starter === undefined || !platform.tell) return;
    const { tell } = platform;
    const member = { platform: channel.space.platform, id: starter };
    await logFailure(log, 'the member who started captions could not be notified', () =>
      tell.call(platform, member, content, held),
    );
  };
  /** Posts once that the bot does not come back, and forgets the room. */
  const giveUp = async (
    { room, seenMs }: OpenRoomRow,
    tenure: Tenure,
    reason: NotBackReason,
  ): Promise<void> => {
    const { channel, captions, locale } = room;
    await rows.remove(channel.space, tenure.epoch);
    const { platform } = entry.portOf(channel.space);
    const texts = createRoomTexts(deps.texts, locale, platform.naming ?? 'plain');
    const content = texts.notBack(seenMs, reason);
    const held = heldBy(tenure);
    const error = await logFailure(log, 'the end of a room could not be posted', () =>
      platform.post(captions?.in ?? channel, content, held),
    );
    if (error) await notifyStarter(room, texts.toStarter(channel, content.text), held);
  };

  /** Goes on with what the bot did in a room before. */
  const goOn = async (
    opened: OpenRoom,
    { room, seenMs }: OpenRoomRow,
    held: WhileHeld,
  ): Promise<void> => {
    const { captions } = room;
    if (!captions) {
      await opened.note(opened.texts.note('room.back'));
      return;
    }
    const { startedMs, ...options } = captions;
    const interrupted = { startedMs, sinceMs: seenMs };
    const error = await logFailure(log, 'captions did not go on after a restart', () =>
      opened.startCaptions({ ...options, interrupted }),
    );
    if (!error || opened.captions || opened.isOver) return;
    const { texts } = opened;
    const content = texts.failed('room.captions-not-back', error);
    if (!(await opened.note(content)))
      await notifyStarter(room, texts.toStarter(room.channel, content.text), held);
    if (room.isAutomatic) await opened.close('unwanted');
  };

  const comeBack = async (row: OpenRoomRow, tenure: Tenure, lost: AbortSignal): Promise<void> => {
    const { room, seenMs } = row;
    const awayMs = now() - seenMs;
    tenure.assertHeld();
    if (awayMs > INFORMED_MS) return rows.remove(room.channel.space, tenure.epoch);
    if (awayMs > LONGEST_AWAY_MS) return giveUp(row, tenure, 'room.was-long');
    if (!entry.isPeopled(room.channel)) return giveUp(row, tenure, 'room.was-empty');
    let opened: OpenRoom;
    try {
      opened = await entry.openUnder(tenure, room, room);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!error.retryable && !isOver && !lost.aborted) return giveUp(row, tenure, error);
      throw error;
    }
    await goOn(opened, row, heldBy(tenure));
    if (!opened.isOver) await opened.store();
  };

  /** Comes back to the room of a space, if there is one; rejects when that may succeed later. */
  const attempt = async (space: Space, lost: AbortSignal): Promise<void> => {
    using _ = await entry.turn(space);
    if (isOver || isOpen(space) || !(await rows.of(space))) return;
    lost.throwIfAborted();
    const tenure = await entry.acquire(space, lost);
    try {
      // Another process may have been there until now.
      const row = await rows.of(space);
      // What is known of a space that was lost says nothing about its room.
      lost.throwIfAborted();
      if (row) await comeBack(row, tenure, lost);
    } finally {
      if (!isOpen(space)) await tenure.release();
    }
  };
  /** Resolves with true when the bot is back, or is not to be. */
  const run = async (space: Space, lost: AbortSignal): Promise<boolean> => {
    const key = keyOf(space);
    const error = await logFailure(log, 'the bot could not come back to a room', () =>
      attempt(space, lost).catch((thrown: unknown) => {
        // The process that has the space now comes back.
        if (!lost.aborted) throw thrown;
      }),
    );
    if (lost.aborted) return false;
    if (error?.retryable && !isOver) {
      waiting.set(
        key,
        clock.after(TRY_AGAIN_AFTER_MS, () => void run(space, lost)),
      );
      return false;
    }
    waiting.delete(key);
    underWay.delete(key);
    if (!isOpen(space)) deps.notBack(space);
    return !error;
  };

  return {
    /** True while the bot comes back to a room of a space, or looks if there is one. */
    isUnderWay: (space: Space): boolean => underWay.has(keyOf(space)),
    /** Comes back to the room of a space that is known now; resolves with true when nothing is left to do. */
    spaceReady: async (space: Space): Promise<boolean> => {
      if (isOver || isOpen(space) || underWay.has(keyOf(space))) return false;
      const lost = new AbortController();
      underWay.set(keyOf(space), lost);
      return run(space, lost.signal);
    },
    /** Ends the return to a room of a space that another process may have now, which comes back to it. */
    spaceLost: (space: Space): void => {
      const key = keyOf(space);
      waiting.get(key)?.();
      waiting.delete(key);
      const reason = new AppError('cancelled', 'the space is not known here any more');
      underWay.get(key)?.abort(reason);
      underWay.delete(key);
    },
    [Symbol.dispose]: (): void => {
      isOver = true;
      for (const cancel of waiting.values()) cancel();
    },
  };
};
