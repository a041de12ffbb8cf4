import { AppError, toAppError, userError } from '../errors.ts';
import { limitFault } from '../usage/meter.ts';
import { channelMention } from '../model/mention.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Member } from '../model/member.ts';
import type { Message } from '../model/message.ts';
import type { Platform } from '../ports/platform.ts';
import { isQuiet, type RoomChoices } from '../model/space-choices.ts';
import type { Rooms } from './service.ts';
import type { RoomConsents } from '../store/room-consents.ts';
import { MINUTE_MS } from '../async/time.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { createConsentChoices } from './consent/choices.ts';
import { createAutoJoin } from './auto-join.ts';
import type { RoomWatcher, VoicePort } from '../ports/voice.ts';
import { speechOfMessage } from './tts/read-aloud.ts';
import { openRoom, type LeaveReason, type OpenRoom } from './room.ts';
import type { RoomDeps } from './room-deps.ts';

export interface RoomsDeps extends Omit<RoomDeps, 'choiceOf'> {
  readonly consents: RoomConsents;
  readonly platformOf: (name: string) => Platform | undefined;
}

export interface RoomService extends AsyncDisposable {
  readonly rooms: Rooms;
  readonly watcher: RoomWatcher;
  /** Somebody opted out of everything, or is to be forgotten: holds at once. */
  forget(member: Pick<Member, 'platform' | 'id'>): void;
  /** Somebody takes part again: what they chose for each space counts from now on. */
  optedIn(member: Pick<Member, 'platform' | 'id'>): Promise<void>;
  /** To be called when the choices of a space were changed. */
  choicesChanged(space: Space): Promise<void>;
}

const KEPT_MS = 30 * MINUTE_MS;

const keyOf = ({ platform, id }: Space): string => `${platform} ${id}`;

/** Why we are to be in a room: moderators chose it; somebody there asks for us, or may also move us. */
type Wish = 'own' | 'asked' | 'told';

interface Place {
  readonly room: OpenRoom;
  choices: RoomChoices;
  /** Where we went by ourselves, and nobody called us. */
  ownWish: string | undefined;
}

export const createRooms = (deps: RoomsDeps): RoomService => {
  const { services, consents, platformOf, clock, log } = deps;
  const open = new Map<string, Place>();
  const left = new Map<string, { readonly room: OpenRoom; readonly drop: () => void }>();
  const turns = createKeyedMutex();
  const over = new AbortController();

  const portOf = (space: Space): { platform: Platform; port: VoicePort } => {
    const platform = platformOf(space.platform);
    if (!platform?.voice) throw userError('unsupported', 'room.no-voice-here');
    return { platform, port: platform.voice };
  };
  const choosing = createConsentChoices({
    consents,
    privacy: services.privacy,
    chosen: (space, memberId, choice) => {
      for (const places of [open, left]) places.get(keyOf(space))?.room.chosen(memberId, choice);
    },
  });

  /** What was said is kept a little longer than the room, for whoever wants it written down. */
  const keep = (key: string, room: OpenRoom): void => {
    if (!room.hasRecord) return;
    left.get(key)?.drop();
    const cancel = clock.after(KEPT_MS, () => left.delete(key));
    left.set(key, { room, drop: cancel });
  };
  const ended = (room: OpenRoom, reason: LeaveReason): void => {
    const key = keyOf(room.channel.space);
    if (open.get(key)?.room === room) open.delete(key);
    keep(key, room);
    joins.left(room.channel, reason);
  };

  const applyChoices = async (space: Space): Promise<void> => {
    const place = open.get(keyOf(space));
    const { rooms } = await services.spaces.of(space);
    if (place) {
      place.choices = rooms;
      place.room.choicesChanged(rooms);
      const { id } = place.room.channel;
      if (place.ownWish === id && !rooms.joins.includes(id)) await place.room.close('unwanted');
    }
  };

  const isPeopled = (room: Channel): boolean =>
    portOf(room.space)
      .port.present(room)
      .some(({ isBot }) => !isBot);

  /** Leaves the room of the space for another one, where whoever wants that may have it so. */
  const makeWay = async ({ room }: Place, to: Channel, wish: Wish): Promise<void> => {
    if (!room.isOver) {
      const { channel } = room;
      if (wish === 'asked' && isPeopled(channel))
        throw userError('forbidden', 'join.busy', { channel: channelMention(channel) });
      portOf(to.space).port.demandRoom(to);
    }
    await room.leave();
  };

  const enter = async (channel: Channel, locale: string, wish: Wish): Promise<OpenRoom> => {
    const { space } = channel;
    const key = keyOf(space);
    const isOwnWish = wish === 'own';
    using _ = await turns.take(key);
    over.signal.throwIfAborted();
    const here = open.get(key);
    if (here && !here.room.isOver && (isOwnWish || here.room.channel.id === channel.id)) {
      if (!isOwnWish) here.ownWish = undefined;
      return here.room;
    }
    if (here) await makeWay(here, channel, wish);
    const { rooms: choices } = await services.spaces.of(space);
    const { signal } = over;
    const room = await openRoom(
      { channel, locale, ...portOf(space), choices, signal, ended },
      {
        ...deps,
        choiceOf: (of, memberId) => choosing.of(of, memberId),
      },
    );
    if (signal.aborted) await room.close('stopping');
    if (room.isOver) throw userError('unavailable', 'room.not-joined', {}, { retryable: true });
    open.set(key, { room, choices, ownWish: isOwnWish ? channel.id : undefined });
    // They may have been changed meanwhile.
    await applyChoices(space);
    return room;
  };

  const joins = createAutoJoin({
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
      const room = await enter(channel, portOf(space).port.localeOf(space), 'own');
      if (room.channel.id !== channel.id) return;
      try {
        const { languages } = (await services.spaces.of(space)).rooms;
        await room.startCaptions({ languages });
      } catch (thrown) {
        // Somebody else began them.
        if (room.captions) return;
        await room.close('unwanted');
        throw thrown;
      }
    },
    log,
  });

  const unread = (thrown: unknown): void => {
    const { code, message } = toAppError(thrown);
    log.warn({ code, reason: message }, 'a message could not be read aloud');
  };
  const read = async (message: Message): Promise<void> => {
    const key = keyOf(message.ref.channel.space);
    using _ = await turns.take(`read ${key}`);
    const room = open.get(key)?.room;
    const saying = room && (await speechOfMessage(message, services, room.filesInWords));
    // It keeps its place among what is said, and the next one need not wait for it.
    if (saying) room.say(saying).catch(unread);
  };

  return {
    rooms: {
      roomOf: (space, memberId) => platformOf(space.platform)?.voice?.roomOf(space, memberId),
      missing: (room) => portOf(room.space).port.missing(room),
      of: (space) => open.get(keyOf(space))?.room,
      left: (space) => left.get(keyOf(space))?.room,
      join: (channel, locale, mayLeave) => enter(channel, locale, mayLeave ? 'told' : 'asked'),
      choose: choosing.choose,
    },
    watcher: {
      peopleChanged: (channel) => {
        open.get(keyOf(channel.space))?.room.peopleChanged();
        joins.peopleChanged(channel);
      },
      reads: ({ space, id }) => open.get(keyOf(space))?.choices.readAloud.includes(id) ?? false,
      wrote: (message) => void read(message).catch(unread),
    },
    forget: ({ platform, id }) => {
      choosing.lookAgain();
      for (const { room } of [...open.values(), ...left.values()])
        if (room.channel.space.platform === platform) room.forget(id);
    },
    optedIn: async ({ platform, id }) => {
      for (const { room } of open.values())
        if (room.channel.space.platform === platform)
          room.chosen(id, await choosing.of(room.channel.space, id));
    },
    choicesChanged: async (space) => {
      await applyChoices(space);
      joins.choicesChanged(space);
    },
    [Symbol.asyncDispose]: async () => {
      over.abort(new AppError('cancelled', 'the program is ending'));
      joins[Symbol.dispose]();
      await Promise.allSettled(open.values().map(async ({ room }) => room.close('stopping')));
      for (const { drop } of left.values()) drop();
      left.clear();
    },
  };
};
