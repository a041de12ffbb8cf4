import { withTimeout } from '../async/clock.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { AppError, userError } from '../errors.ts';
import { channelMention, keyOf, type Channel, type Space } from '../model/place.ts';
import type { RoomChoices, StoredRoom } from '../model/room.ts';
import type { Leases, Tenure } from '../ports/processes.ts';
import type { Platform } from '../ports/platform.ts';
import type { VoicePort } from '../ports/voice.ts';
import { ROOM_LEASE } from '../store/open-rooms.ts';
import type { LeaveReason } from './room-end.ts';
import { notJoined, openRoom, type OpenRoom, type RoomDeps } from './room.ts';

/** Longest wait for another process to leave a room of the same space. */
const TENURE_MS = 20_000;

/** The reason to join: moderators chose the room; somebody there asks for it, or may also move the bot. */
export type JoinReason = 'automatic' | 'requested' | 'moved';

export interface EnteredRoom {
  readonly room: OpenRoom;
  readonly tenure: Tenure;
  choices: RoomChoices;
  /** `automatic`: the id of the room that was joined automatically, until somebody asks for it. */
  readonly stay: { automatic: string | undefined };
}

type EndedListener = (room: OpenRoom, reason: LeaveReason) => void;

export interface RoomEntryDeps {
  readonly roomDeps: RoomDeps;
  readonly platformOf: (name: string) => Platform | undefined;
  readonly leases: Leases;
  /** Aborted when the program ends. */
  readonly signal: AbortSignal;
}

export type RoomEntry = ReturnType<typeof createRoomEntry>;

/** Creates the way into rooms, at most one in a space: one after another, under the right to be there. */
export const createRoomEntry = ({ roomDeps, platformOf, leases, signal }: RoomEntryDeps) => {
  const { services, clock } = roomDeps;
  const open = new Map<string, EnteredRoom>();
  const mutex = createKeyedMutex();
  /** Waits for another process that a request ends, by space. */
  const yielding = new Map<string, AbortController>();
  let ended: EndedListener | undefined;

  const portOf = (space: Space): { platform: Platform; port: VoicePort } => {
    const platform = platformOf(space.platform);
    if (!platform?.voice) throw userError('unsupported', 'room.no-voice-here');
    return { platform, port: platform.voice };
  };
  const isPeopled = (room: Channel): boolean =>
    portOf(room.space)
      .port.present(room)
      .some(({ isBot }) => !isBot);

  const applyChoices = async (space: Space): Promise<void> => {
    const entry = open.get(keyOf(space));
    const { rooms } = await services.spaces.of(space);
    if (!entry) return;
    entry.choices = rooms;
    entry.room.choicesChanged(rooms);
    const { id } = entry.room.channel;
    if (entry.stay.automatic === id && !rooms.joins.includes(id))
      await entry.room.close('unwanted');
  };

  /**
   * Acquires the right to be in a room of a space; rejects when another process keeps it. `stopped` ends the
   * wait for it, and later the right.
   */
  const acquire = async (space: Space, stopped = AbortSignal.any([])): Promise<Tenure> => {
    const name = `${ROOM_LEASE}${keyOf(space)}`;
    const wait = (aborted: AbortSignal) => leases.acquire(name, aborted);
    const tenure = await withTimeout(clock, TENURE_MS, notJoined, wait, stopped);
    let released: Promise<void> | undefined;
    return { ...tenure, release: async () => (released ??= tenure.release()) };
  };

  /** Opens a room of a space whose turn the caller has; an open room releases the tenure at its end. */
  const openUnder = async (
    tenure: Tenure,
    stored: Pick<StoredRoom, 'channel' | 'locale' | 'isAutomatic'>,
    restored?: StoredRoom,
  ): Promise<OpenRoom> => {
    const { channel, locale } = stored;
    const { space } = channel;
    const key = keyOf(space);
    const { rooms: choices } = await services.spaces.of(space);
    const stay = { automatic: stored.isAutomatic ? channel.id : undefined };
    const room = await openRoom(
      {
        channel,
        locale,
        ...portOf(space),
        choices,
        tenure,
        isAutomatic: () => stay.automatic !== undefined,
        restored,
        signal,
        ended: (gone, reason) => {
          void tenure.release();
          if (open.get(key)?.room === gone) open.delete(key);
          ended?.(gone, reason);
        },
      },
      roomDeps,
    );
    if (signal.aborted || !tenure.isHeld()) await room.close('stopping');
    if (room.isOver) throw notJoined();
    tenure.signal.addEventListener('abort', () => void room.close('moved'), { once: true });
    open.set(key, { room, tenure, choices, stay });
    // The choices may have been changed meanwhile.
    await applyChoices(space);
    return room;
  };

  /** Leaves a room for another one of the space, where the reason allows that. */
  const makeWay = async ({ room }: EnteredRoom, to: Channel, reason: JoinReason): Promise<void> => {
    if (!room.isOver) {
      const { channel } = room;
      if (reason === 'requested' && isPeopled(channel))
        throw userError('forbidden', 'join.busy', { channel: channelMention(channel) });
      portOf(to.space).port.demandRoom(to);
    }
    await room.leave();
  };

  return {
    portOf,
    isPeopled,
    applyChoices,
    openUnder,
    of: (space: Space): EnteredRoom | undefined => open.get(keyOf(space)),
    all: (): readonly EnteredRoom[] => [...open.values()],
    /** Waits for the turn of a space: its rooms are opened one after another. */
    turn: (space: Space): Promise<Disposable> => mutex.take(keyOf(space)),
    /** Acquires the right to be in a room of a space; rejects at once, for now, when somebody asks for the bot. */
    acquire: async (space: Space, stopped: AbortSignal): Promise<Tenure> => {
      const key = keyOf(space);
      const asked = new AbortController();
      yielding.set(key, asked);
      try {
        return await acquire(space, AbortSignal.any([asked.signal, stopped]));
      } finally {
        yielding.delete(key);
      }
    },
    /** Calls `listener` whenever a room is over and all its work has ended. */
    onEnded: (listener: EndedListener): void => {
      ended = listener;
    },
    enter: async (channel: Channel, locale: string, reason: JoinReason): Promise<OpenRoom> => {
      const { space } = channel;
      const key = keyOf(space);
      const isAutomatic = reason === 'automatic';
      const asks = new AppError('unavailable', 'somebody asks for the bot', { retryable: true });
      if (!isAutomatic) yielding.get(key)?.abort(asks);
      using _ = await mutex.take(key);
      signal.throwIfAborted();
      const here = open.get(key);
      if (here && !here.room.isOver && (isAutomatic || here.room.channel.id === channel.id)) {
        if (!isAutomatic) {
          here.stay.automatic = undefined;
          here.room.storedChanged();
        }
        return here.room;
      }
      if (here) await makeWay(here, channel, reason);
      const tenure = await acquire(space);
      try {
        const room = await openUnder(tenure, { channel, locale, isAutomatic });
        await room.store();
        return room;
      } finally {
        if (!open.has(key)) await tenure.release();
      }
    },
  };
};
