import { AppError, userError } from '../errors.ts';
import { channelMention, keyOf, type Channel, type Space } from '../model/place.ts';
import type { Person } from '../model/member.ts';
import type { Platform } from '../ports/platform.ts';
import { isQuiet, type RoomChoices } from '../model/space-choices.ts';
import type { Rooms } from './room-types.ts';
import type { RoomConsents } from '../store/settings.ts';
import { MINUTE_MS } from '../async/time.ts';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { StoredRoom } from '../model/stored-room.ts';
import { ROOM_LEASE, type OpenRooms } from '../store/open-rooms.ts';
import { createRejoin } from './rejoin.ts';
import { createRoomTexts } from './texts.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { createConsentChoices } from './consent/choices.ts';
import { createAutoJoin } from './auto-join.ts';
import type { RoomWatcher, VoicePort } from '../ports/voice.ts';
import { declareVoiceMetrics } from './metrics.ts';
import type { Metrics } from '../ops/metrics.ts';
import { createReadAloud } from './tts/read-aloud.ts';
import type { RoomDeps } from './session.ts';
import { openRoom, type LeaveReason, type OpenRoom } from './room.ts';

export interface RoomsDeps extends Omit<RoomDeps, 'choiceOf' | 'captionShown'> {
  readonly metrics: Metrics;
  readonly consents: RoomConsents;
  readonly platformOf: (name: string) => Platform | undefined;
  readonly rows: OpenRooms;
  readonly leases: Leases;
}

/** Time for which the captions of a room are kept that the bot has left. */
export const CAPTIONS_KEPT_MS = 30 * MINUTE_MS;

/** Longest wait for another process to leave a room of the same space. */
const TENURE_MS = 20_000;

/** The reason to join: moderators chose the room; somebody there asks for it, or may also move the bot. */
type JoinReason = 'automatic' | 'requested' | 'moved';

interface Entry {
  readonly room: OpenRoom;
  readonly tenure: Tenure;
  choices: RoomChoices;
  /** `automatic`: the room that was joined automatically, until somebody asks for it. */
  readonly stay: { automatic: string | undefined };
}

const notJoined = (): AppError =>
  userError('unavailable', 'room.not-joined', {}, { retryable: true });

export const createRooms = (deps: RoomsDeps) => {
  const { services, consents, platformOf, rows, leases, clock, log } = deps;
  const open = new Map<string, Entry>();
  const left = new Map<string, { readonly room: OpenRoom; readonly drop: () => void }>();
  const mutex = createKeyedMutex();
  const over = new AbortController();
  const voiceMetrics = declareVoiceMetrics(deps.metrics, () =>
    open.values().map(({ room }) => room),
  );

  const portOf = (space: Space): { platform: Platform; port: VoicePort } => {
    const platform = platformOf(space.platform);
    if (!platform?.voice) throw userError('unsupported', 'room.no-voice-here');
    return { platform, port: platform.voice };
  };
  const consentChoices = createConsentChoices({
    consents,
    privacy: services.privacy,
    chosen: (space, memberId, choice) => {
      for (const kept of [open, left]) kept.get(keyOf(space))?.room.chosen(memberId, choice);
    },
  });

  const keep = (key: string, room: OpenRoom): void => {
    if (!room.hasRecord) return;
    left.get(key)?.drop();
    const drop = clock.after(CAPTIONS_KEPT_MS, () => left.delete(key));
    left.set(key, { room, drop });
  };
  const ended = (room: OpenRoom, tenure: Tenure, reason: LeaveReason): void => {
    void tenure.release();
    const key = keyOf(room.channel.space);
    if (open.get(key)?.room === room) open.delete(key);
    voiceMetrics.roomEnded(room);
    keep(key, room);
    // Where the space is still known here, nobody else comes back to it.
    if (reason === 'moved' && isPeopled(room.channel)) void returns.spaceReady(room.channel.space);
    autoJoin.left(room.channel, reason);
  };

  const applyChoices = async (space: Space): Promise<void> => {
    const entry = open.get(keyOf(space));
    const { rooms } = await services.spaces.of(space);
    if (entry) {
      entry.choices = rooms;
      entry.room.choicesChanged(rooms);
      const { id } = entry.room.channel;
      if (entry.stay.automatic === id && !rooms.joins.includes(id))
        await entry.room.close('unwanted');
    }
  };

  const isPeopled = (room: Channel): boolean =>
    portOf(room.space)
      .port.present(room)
      .some(({ isBot }) => !isBot);

  /** Leaves a room for another one of the space, where the reason allows that. */
  const makeWay = async ({ room }: Entry, to: Channel, reason: JoinReason): Promise<void> => {
    if (!room.isOver) {
      const { channel } = room;
      if (reason === 'requested' && isPeopled(channel))
        throw userError('forbidden', 'join.busy', { channel: channelMention(channel) });
      portOf(to.space).port.demandRoom(to);
    }
    await room.leave();
  };

  /**
   * Acquires the right to be in a room of a space; rejects when another process keeps it.
   *
   * @param wanted is aborted, with the reason to reject, when that is not to be waited for any more
   */
  const acquire = async (space: Space, wanted?: AbortSignal): Promise<Tenure> => {
    const given = new AbortController();
    const waiting = wanted ? AbortSignal.any([given.signal, wanted]) : given.signal;
    const cancel = clock.after(TENURE_MS, () => given.abort(notJoined()));
    try {
      const tenure = await leases.acquire(`${ROOM_LEASE}${keyOf(space)}`, waiting);
      let released: Promise<void> | undefined;
      return { ...tenure, release: async () => (released ??= tenure.release()) };
    } finally {
      cancel();
    }
  };
  /** Opens a room of a space whose turn the caller has; an open room releases the tenure at its end. */
  const openUnder = async (
    tenure: Tenure,
    { channel, locale, ...as }: Pick<StoredRoom, 'channel' | 'locale' | 'isAutomatic'>,
    restored?: StoredRoom,
  ): Promise<OpenRoom> => {
    const { space } = channel;
    const { signal } = over;
    const stay = { automatic: as.isAutomatic ? channel.id : undefined };
    const { rooms: choices } = await services.spaces.of(space);
    const room = await openRoom(
      {
        channel,
        locale,
        ...portOf(space),
        choices,
        tenure,
        rows,
        isAutomatic: () => stay.automatic !== undefined,
        restored,
        signal,
        ended: (gone, why) => ended(gone, tenure, why),
      },
      { ...deps, choiceOf: consentChoices.of, captionShown: voiceMetrics.captionShown },
    );
    if (signal.aborted || !tenure.isHeld()) await room.close('stopping');
    if (room.isOver) throw notJoined();
    tenure.signal.addEventListener('abort', () => void room.close('moved'), { once: true });
    open.set(keyOf(space), { room, tenure, choices, stay });
    // The choices may have been changed meanwhile.
    await applyChoices(space);
    return room;
  };
  const enter = async (channel: Channel, locale: string, reason: JoinReason): Promise<OpenRoom> => {
    const { space } = channel;
    const key = keyOf(space);
    const isAutomatic = reason === 'automatic';
    if (!isAutomatic) returns.giveWay(space);
    using _ = await mutex.take(key);
    over.signal.throwIfAborted();
    const here = open.get(key);
    if (here && !here.room.isOver && (isAutomatic || here.room.channel.id === channel.id)) {
      if (!isAutomatic) {
        here.stay.automatic = undefined;
        here.room.keptChanged();
      }
      return here.room;
    }
    if (here) await makeWay(here, channel, reason);
    const tenure = await acquire(space);
    try {
      const room = await openUnder(tenure, { channel, locale, isAutomatic });
      await room.keep();
      return room;
    } finally {
      if (!open.has(key)) await tenure.release();
    }
  };

  const autoJoin = createAutoJoin({
    clock,
    isPeopled,
    isWanted: async (room) => {
      const choices = await services.spaces.of(room.space);
      if (!choices.rooms.joins.includes(room.id) || isQuiet(room, choices)) return false;
      return (await services.limits.fault(room, 'audio')) === undefined;
    },
    wantedIn: async (space) =>
      (await services.spaces.of(space)).rooms.joins.map((id) => ({ space, id })),
    isBusy: (space) => open.has(keyOf(space)) || returns.isUnderWay(space),
    join: async (channel) => {
      const { space } = channel;
      const room = await enter(channel, portOf(space).port.localeOf(space), 'automatic');
      if (room.channel.id !== channel.id) return;
      try {
        const { languages } = (await services.spaces.of(space)).rooms;
        await room.startCaptions({ languages });
      } catch (thrown) {
        // Somebody else started captions.
        if (room.captions) return;
        await room.close('unwanted');
        throw thrown;
      }
    },
    log,
  });

  const returns = createRejoin({
    rows,
    clock,
    now: deps.now,
    isPeopled,
    acquire,
    openUnder,
    isOpen: (space) => open.has(keyOf(space)),
    turn: (space) => mutex.take(keyOf(space)),
    post: (to, content, held) => portOf(to.space).platform.post(to, content, held),
    tell: async (space, id, content, held) =>
      portOf(space).platform.tell?.({ platform: space.platform, id }, content, held),
    texts: (space, locale) =>
      createRoomTexts(deps.texts, locale, portOf(space).platform.naming ?? 'plain'),
    notBack: autoJoin.consider,
    log,
  });

  const readAloud = createReadAloud({
    services,
    roomOf: (space) => open.get(keyOf(space))?.room,
    log,
  });

  return {
    rooms: {
      roomOf: (space, memberId) => platformOf(space.platform)?.voice?.roomOf(space, memberId),
      missing: (room) => portOf(room.space).port.missing(room),
      of: (space) => open.get(keyOf(space))?.room,
      left: (space) => left.get(keyOf(space))?.room,
      join: (channel, locale, mayLeave) => enter(channel, locale, mayLeave ? 'moved' : 'requested'),
      choose: consentChoices.choose,
    } satisfies Rooms,
    watcher: {
      spaceReady: returns.spaceReady,
      spaceMoves: async (space) => open.get(keyOf(space))?.room.close('stopping'),
      spaceLost: (space) => {
        returns.spaceLost(space);
        void open.get(keyOf(space))?.room.close('moved');
      },
      peopleChanged: (channel) => {
        open.get(keyOf(channel.space))?.room.peopleChanged();
        autoJoin.peopleChanged(channel);
      },
      reads: ({ space, id }) => open.get(keyOf(space))?.choices.readAloud.includes(id) ?? false,
      wrote: readAloud,
    } satisfies RoomWatcher,
    /** Drops a member who opted out of everything or whose data is erased; takes effect at once. */
    forget: ({ platform, id }: Person): void => {
      consentChoices.lookUpAgain();
      for (const { room } of [...open.values(), ...left.values()])
        if (room.channel.space.platform === platform) room.forget(id);
    },
    /** Lets a member take part again: their choice for each space counts from now on. */
    optedIn: async ({ platform, id }: Person): Promise<void> => {
      for (const { room } of open.values())
        if (room.channel.space.platform === platform)
          room.chosen(id, await consentChoices.of(room.channel.space, id));
    },
    /** Tries again what was refused in a space: permissions may have changed. */
    accessChanged: (space: Space): void => open.get(keyOf(space))?.room.retry(),
    /** Ends what goes on in a space that the bot was removed from, and drops the transcript. */
    spaceLeft: async (space: Space): Promise<void> => {
      const key = keyOf(space);
      const entry = open.get(key);
      await entry?.room.close('unwanted');
      // Its lease has the name of the space.
      await entry?.tenure.release();
      left.get(key)?.drop();
      left.delete(key);
    },
    /** Applies changed choices; must be called when the choices of a space have changed, or those of any. */
    choicesChanged: async (only: Space | undefined): Promise<void> => {
      const spaces = [...open.values()].map(({ room }) => room.channel.space);
      for (const space of only ? [only] : spaces) {
        await applyChoices(space);
        autoJoin.choicesChanged(space);
      }
    },
    /** Reads the choices of all who are or were present anew: changes of them may have been missed. */
    lookAgain: async (): Promise<void> => {
      consentChoices.lookUpAgain();
      for (const { room } of [...open.values(), ...left.values()])
        for (const id of room.people) {
          const { space } = room.channel;
          const isOut = await services.privacy.optedOut({ platform: space.platform, id });
          if (isOut) room.forget(id);
          else room.chosen(id, await consentChoices.of(space, id));
        }
    },
    [Symbol.asyncDispose]: async () => {
      over.abort(new AppError('cancelled', 'the program is ending'));
      returns[Symbol.dispose]();
      autoJoin[Symbol.dispose]();
      await Promise.allSettled(open.values().map(async ({ room }) => room.close('stopping')));
      for (const { drop } of left.values()) drop();
      left.clear();
    },
  };
};
