import { AppError, userError } from '../errors.ts';
import { channelMention, keyOf, type Channel, type Space } from '../model/place.ts';
import { limitFault } from '../usage/limits.ts';
import type { Person } from '../model/member.ts';
import type { Platform } from '../ports/platform.ts';
import { isQuiet, type RoomChoices } from '../model/space-choices.ts';
import type { Rooms } from './room-types.ts';
import type { RoomConsents } from '../store/settings.ts';
import { MINUTE_MS } from '../async/time.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { createConsentChoices } from './consent/choices.ts';
import { createAutoJoin } from './auto-join.ts';
import type { RoomWatcher, VoicePort } from '../ports/voice.ts';
import { createReadAloud } from './tts/read-aloud.ts';
import type { RoomDeps } from './session.ts';
import { openRoom, type LeaveReason, type OpenRoom } from './room.ts';

export interface RoomsDeps extends Omit<RoomDeps, 'choiceOf'> {
  readonly consents: RoomConsents;
  readonly platformOf: (name: string) => Platform | undefined;
}

const KEPT_MS = 30 * MINUTE_MS;

/** The reason to join: moderators chose the room; somebody there asks for it, or may also move the bot. */
type JoinReason = 'automatic' | 'requested' | 'moved';

interface Entry {
  readonly room: OpenRoom;
  choices: RoomChoices;
  /** The room that was joined automatically, until somebody asks for it. */
  automatic: string | undefined;
}

export const createRooms = (deps: RoomsDeps) => {
  const { services, consents, platformOf, clock, log } = deps;
  const open = new Map<string, Entry>();
  const left = new Map<string, { readonly room: OpenRoom; readonly drop: () => void }>();
  const mutex = createKeyedMutex();
  const over = new AbortController();

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
    const drop = clock.after(KEPT_MS, () => left.delete(key));
    left.set(key, { room, drop });
  };
  const ended = (room: OpenRoom, reason: LeaveReason): void => {
    const key = keyOf(room.channel.space);
    if (open.get(key)?.room === room) open.delete(key);
    keep(key, room);
    autoJoin.left(room.channel, reason);
  };

  const applyChoices = async (space: Space): Promise<void> => {
    const entry = open.get(keyOf(space));
    const { rooms } = await services.spaces.of(space);
    if (entry) {
      entry.choices = rooms;
      entry.room.choicesChanged(rooms);
      const { id } = entry.room.channel;
      if (entry.automatic === id && !rooms.joins.includes(id)) await entry.room.close('unwanted');
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

  const enter = async (channel: Channel, locale: string, reason: JoinReason): Promise<OpenRoom> => {
    const { space } = channel;
    const key = keyOf(space);
    const isAutomatic = reason === 'automatic';
    using _ = await mutex.take(key);
    over.signal.throwIfAborted();
    const here = open.get(key);
    if (here && !here.room.isOver && (isAutomatic || here.room.channel.id === channel.id)) {
      if (!isAutomatic) here.automatic = undefined;
      return here.room;
    }
    if (here) await makeWay(here, channel, reason);
    const { rooms: choices } = await services.spaces.of(space);
    const { signal } = over;
    const room = await openRoom(
      { channel, locale, ...portOf(space), choices, signal, ended },
      { ...deps, choiceOf: consentChoices.of },
    );
    if (signal.aborted) await room.close('stopping');
    if (room.isOver) throw userError('unavailable', 'room.not-joined', {}, { retryable: true });
    open.set(key, { room, choices, automatic: isAutomatic ? channel.id : undefined });
    // The choices may have been changed meanwhile.
    await applyChoices(space);
    return room;
  };

  const autoJoin = createAutoJoin({
    clock,
    isPeopled,
    isWanted: async (room) => {
      const choices = await services.spaces.of(room.space);
      if (!choices.rooms.joins.includes(room.id) || isQuiet(room, choices)) return false;
      return (await limitFault(services, room.space, 'audio', deps.now)) === undefined;
    },
    wantedIn: async (space) =>
      (await services.spaces.of(space)).rooms.joins.map((id) => ({ space, id })),
    isBusy: (space) => open.has(keyOf(space)),
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
    /** Applies changed choices; must be called when the choices of a space have changed. */
    choicesChanged: async (space: Space): Promise<void> => {
      await applyChoices(space);
      autoJoin.choicesChanged(space);
    },
    [Symbol.asyncDispose]: async () => {
      over.abort(new AppError('cancelled', 'the program is ending'));
      autoJoin[Symbol.dispose]();
      await Promise.allSettled(open.values().map(async ({ room }) => room.close('stopping')));
      for (const { drop } of left.values()) drop();
      left.clear();
    },
  };
};
