import { AppError, userError } from '../errors.ts';
import type { Platform } from '../ports/platform.ts';
import type { Tenure } from '../ports/processes.ts';

/**
 * The reason for leaving a room: somebody asked for it, or disconnected the bot; nobody was there; the
 * connection was lost for good; the bot had joined by itself and is not wanted any more; the program ends, or
 * gives the room to another process; another process may be in charge already.
 */
export type LeaveReason =
  | 'requested'
  | 'thrown out'
  | 'empty'
  | 'lost'
  | 'unwanted'
  | 'stopping'
  | 'moved';

/**
 * Creates a platform that shows and sends something, and creates threads, only while this process is in charge.
 * It deletes its messages all the same.
 *
 * @param assertInCharge throws where nothing may be begun: another process may be in charge
 * @param assertHeld throws where what was begun may not be shown any more
 */
const platformInCharge = (
  platform: Platform,
  assertInCharge: () => void,
  assertHeld: () => void,
): Platform => {
  const { mirrors, tell } = platform;
  return {
    ...platform,
    post: async (to, content, options) => {
      assertInCharge();
      return platform.post(to, content, { ...options, assertHeld });
    },
    edit: async (message, content) => {
      assertInCharge();
      return platform.edit(message, content, { assertHeld });
    },
    ...(mirrors && {
      mirrors: {
        ...mirrors,
        thread: async (channel, name, options) => {
          assertInCharge();
          return mirrors.thread(channel, name, { ...options, assertHeld });
        },
      },
    }),
    ...(tell && {
      tell: async (person, content) => {
        assertInCharge();
        return tell.call(platform, person, content, { assertHeld });
      },
    }),
  };
};

/** Creates the end of a room: its reason, and what may still be shown after it. */
export const createRoomEnd = (tenure: Tenure, given: Platform) => {
  const over = new AbortController();
  const ended = Promise.withResolvers<LeaveReason>();
  let reason: LeaveReason | undefined;
  /** True once the room was left in order: what is under way is still shown. */
  let isLeft = false;

  const assertInCharge = (): void => {
    if (reason === 'moved')
      throw new AppError('cancelled', 'another process may be in charge of the room');
    tenure.assertHeld();
  };
  const platform = platformInCharge(given, assertInCharge, () => {
    if (!isLeft) assertInCharge();
  });
  return {
    /** The platform of the room, while this process is in charge. */
    platform,
    /** Aborted when the room is over. */
    signal: over.signal,
    /** Resolves with the reason when the room is over. */
    ended: ended.promise,
    /** Ends the room; the first reason counts, and none after the tenure. */
    end: (because: LeaveReason): void => {
      if (reason) return;
      reason = tenure.isHeld() ? because : 'moved';
      over.abort(userError('not-found', 'room.none'));
      ended.resolve(reason);
    },
    /** True when the bot comes back to the room if the program starts again soon. */
    mayReturn: (): boolean => reason === 'stopping',
    /** Must be called when all work of the room has ended. */
    finished: (): void => {
      isLeft = reason !== 'moved' && tenure.isHeld();
    },
  };
};
