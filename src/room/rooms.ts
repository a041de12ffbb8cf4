import { AppError, toAppError, userError } from '../errors.ts';
import type { Channel, Member, Message, Space } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { RoomChoices, Rooms } from '../services.ts';
import type { RoomConsents } from '../store/room-consents.ts';
import { MINUTE_MS } from '../time.ts';
import { createTurns } from '../turns.ts';
import type { ConsentChoice } from './consent.ts';
import type { RoomWatcher, VoicePort } from './port.ts';
import { openRoom, type OpenRoom, type RoomParts } from './room.ts';

export interface RoomsParts extends Omit<RoomParts, 'choiceOf'> {
  readonly consents: RoomConsents;
  readonly platformOf: (name: string) => Platform | undefined;
}

export interface RoomService extends AsyncDisposable {
  readonly rooms: Rooms;
  readonly watcher: RoomWatcher;
  /** Somebody opted out of everything, or is to be forgotten. */
  forget(member: Pick<Member, 'platform' | 'id'>): void;
  choicesChanged(space: Space): Promise<void>;
}

/** A room that could not be joined by itself is not tried again at each coming and going. */
const TRY_AGAIN_MS = MINUTE_MS;

const KEPT_MS = 30 * MINUTE_MS;

const keyOf = ({ platform, id }: Space): string => `${platform} ${id}`;

export const createRooms = (parts: RoomsParts): RoomService => {
  const { services, consents, platformOf, clock, log } = parts;
  const open = new Map<string, OpenRoom>();
  const choices = new Map<string, RoomChoices>();
  const left = new Map<string, OpenRoom>();
  const turns = createTurns();
  /** Rooms that we do not join by ourselves before so long: tried in vain, or thrown out of. */
  const notBeforeMs = new Map<string, number>();
  let isOver = false;

  const portOf = (space: Space): { platform: Platform; port: VoicePort } => {
    const platform = platformOf(space.platform);
    if (!platform?.voice) throw userError('unsupported', 'room.no-voice-here');
    return { platform, port: platform.voice };
  };
  const choiceOf = async ({ space }: Channel, memberId: string): Promise<ConsentChoice> => {
    const isOut = await services.privacy.optedOut({ platform: space.platform, id: memberId });
    return isOut ? 'unheard' : consents.of(space, memberId);
  };

  /** What was said is kept a little longer than the room, for whoever wants it written down. */
  const keep = (key: string, room: OpenRoom): void => {
    left.set(key, room);
    clock.after(KEPT_MS, () => {
      if (left.get(key) === room) left.delete(key);
    });
  };

  const enter = async (channel: Channel, locale: string): Promise<OpenRoom> => {
    const { space } = channel;
    const key = keyOf(space);
    using _ = await turns.take(key);
    const here = open.get(key);
    if (here?.channel.id === channel.id) return here;
    if (isOver) throw new AppError('cancelled', 'the program is ending');
    await here?.leave();
    const { rooms } = await services.spaces.of(space);
    const room: OpenRoom = await openRoom(
      {
        channel,
        locale,
        ...portOf(space),
        choices: rooms,
        ended: () => {
          if (open.get(key) !== room) return;
          open.delete(key);
          choices.delete(key);
          keep(key, room);
        },
      },
      { ...parts, choiceOf },
    );
    open.set(key, room);
    choices.set(key, rooms);
    return room;
  };

  const joinByItself = async (channel: Channel): Promise<void> => {
    const { space, id } = channel;
    const { port } = portOf(space);
    const { rooms } = await services.spaces.of(space);
    const isWanted = rooms.joins.includes(id) && port.present(channel).some(({ isBot }) => !isBot);
    if (!isWanted || open.has(keyOf(space))) return;
    const place = `${keyOf(space)} ${id}`;
    if ((notBeforeMs.get(place) ?? 0) > clock.nowMs()) return;
    notBeforeMs.set(place, clock.nowMs() + TRY_AGAIN_MS);
    const room = await enter(channel, port.localeOf(space));
    await room.startCaptions({ languages: rooms.languages });
  };

  const read = async (message: Message): Promise<void> => {
    const { author, text, files, ref } = message;
    const { space } = ref.channel;
    const room = open.get(keyOf(space));
    if (!room || author.kind !== 'person' || message.system) return;
    if (await services.privacy.optedOut({ platform: space.platform, id: author.id })) return;
    const all = files.length > 0 ? `${text}\n${room.filesInWords(files.length)}` : text;
    await room.say({ kind: 'read', text: all, by: { id: author.id, name: author.name } });
  };

  const quietly = (what: string, run: () => Promise<void>): void => {
    run().catch((thrown: unknown) => {
      const { code, message } = toAppError(thrown);
      log.warn({ code, reason: message }, what);
    });
  };

  return {
    rooms: {
      roomOf: (space, memberId) => platformOf(space.platform)?.voice?.roomOf(space, memberId),
      of: (space) => open.get(keyOf(space)),
      left: (space) => left.get(keyOf(space)),
      join: enter,
      choose: async (space, memberId, choice) => {
        // A no holds before it is written down.
        const key = keyOf(space);
        if (choice === 'unheard')
          for (const room of [open.get(key), left.get(key)]) room?.chosen(memberId, choice);
        await consents.choose(space, memberId, choice);
        const isOut = await services.privacy.optedOut({ platform: space.platform, id: memberId });
        if (!isOut) open.get(key)?.chosen(memberId, choice);
      },
    },
    watcher: {
      peopleChanged: (channel) => {
        const room = open.get(keyOf(channel.space));
        if (room) room.peopleChanged();
        else quietly('a room could not be joined', async () => joinByItself(channel));
      },
      reads: ({ space, id }) => choices.get(keyOf(space))?.readAloud.includes(id) ?? false,
      wrote: (message) => quietly('a message could not be read aloud', async () => read(message)),
    },
    forget: ({ platform, id }) => {
      for (const room of [...open.values(), ...left.values()])
        if (room.channel.space.platform === platform) room.chosen(id, 'unheard');
    },
    choicesChanged: async (space) => {
      const key = keyOf(space);
      const room = open.get(key);
      if (!room) return;
      const { rooms } = await services.spaces.of(space);
      choices.set(key, rooms);
      await room.choicesChanged(rooms);
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await Promise.allSettled(open.values().map(async (room) => room.leave()));
    },
  };
};
