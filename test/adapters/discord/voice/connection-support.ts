import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { JOIN_MS } from '../../../../adapters/discord/voice/connection.ts';
import type { AppError } from '../../../../src/errors.ts';
import type { Channel } from '../../../../src/model/place.ts';
import { realClock, type Clock } from '../../../../src/async/clock.ts';
import type {
  LinkListener,
  VoiceLink,
  VoicePacket,
  VoicePort,
} from '../../../../src/ports/voice.ts';
import type {
  DiscordFake,
  FakeChannel,
  FakeGuild,
  FakeUser,
} from '../../../fakes/discord/index.ts';
import { createFastClock } from '../../../fakes/clock.ts';
import { createDaveGroup } from '../../../fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../../../fakes/discord/voice/dave/person.ts';
import { never, openDiscord, placeOf, type TestCore } from '../support.ts';

export const SPEECH = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));

/** Packets of 20 ms that can be told apart. */
export const numbered = (count: number, from = 0): Buffer[] =>
  Array.from({ length: count }, (_, at) =>
    Buffer.from([0xf8, (from + at) >> 8, (from + at) & 255, 7]),
  );

/** So many times faster time goes by in voice channels, for what waits for it. */
export const SPEED = 4;

export const fastClock = createFastClock(SPEED);

/** A fast clock by which joining may take its real time: on a busy machine, a part of it is too short. */
const joiningClock: Clock = {
  ...fastClock,
  after: (delayMs, run) => (delayMs === JOIN_MS ? realClock : fastClock).after(delayMs, run),
};

/** What a joined room told. */
export interface Told extends LinkListener {
  readonly packets: VoicePacket[];
  readonly events: string[];
  error?: AppError | undefined;
  /** The numbers of `numbered` that were heard of somebody. */
  heard(memberId: string): number[];
}

export const createTold = (): Told => {
  const told: Told = {
    packets: [],
    events: [],
    packet: (packet) => told.packets.push(packet),
    moved: ({ id }) => told.events.push(`moved ${id}`),
    audible: (id, isAudible) =>
      told.events.push(`${isAudible ? 'hears' : 'cannot hear'} ${id ?? 'somebody'}`),
    missed: (ms) => told.events.push(`missed ${ms}`),
    restricted: ({ speaking, hearing }) =>
      told.events.push(
        `speaking: ${speaking?.sentence?.key ?? 'yes'}, hearing: ${hearing?.sentence?.key ?? 'yes'}`,
      ),
    connected: (isConnected) => told.events.push(isConnected ? 'connected' : 'away'),
    ended: (error) => {
      told.events.push('ended');
      told.error = error;
    },
    heard: (memberId) =>
      told.packets
        .filter(({ speakerId, data }) => speakerId === memberId && data.length === 4)
        .map(({ data }) => (data[1]! << 8) + data[2]!),
  };
  return told;
};

/** A server with a voice channel, and the adapter connected to it. */
export interface VoicePlace extends AsyncDisposable {
  readonly discord: DiscordFake;
  readonly core: TestCore;
  readonly port: VoicePort;
  readonly guild: FakeGuild;
  readonly lounge: FakeChannel;
  readonly room: Channel;
  /** The encryption of a channel, since somebody was first there. */
  group(channel?: FakeChannel): ReturnType<typeof createDaveGroup>;
  person(name: string): FakeUser;
  enter(
    told?: Told,
    channel?: FakeChannel,
  ): Promise<{ readonly link: VoiceLink; readonly told: Told }>;
}

export interface VoicePlaceOptions {
  readonly dave?: boolean;
  /** Names of people whose keys nobody ever gets. */
  readonly strangers?: readonly string[];
  readonly clock?: Clock;
}

export const openVoice = async ({
  dave = false,
  strangers = [],
  clock = joiningClock,
}: VoicePlaceOptions = {}): Promise<VoicePlace> => {
  const names = new Map<string, string>();
  const groups = new Map<string, ReturnType<typeof createDaveGroup>>();
  const encrypted = (channelId: string) => {
    const group = createDaveGroup({ channelId });
    groups.set(channelId, group);
    const isStrange = (id: string): boolean => strangers.includes(names.get(id) ?? '');
    return {
      group,
      person: (id: string) => createDavePerson(group, id, { strange: isStrange(id) }),
    };
  };
  const voice = dave ? { dave: encrypted } : {};
  const opened = await openDiscord({ limits: 'off', voice }, { clock });
  const { fake: discord, core, adapter } = opened;
  const guild = discord.guild({ name: 'Babel' });
  const lounge = guild.channel({ type: 'voice', name: 'lounge' });
  const port = adapter.platform.voice!;
  return {
    discord,
    core,
    port,
    guild,
    lounge,
    group: (channel = lounge) => groups.get(channel.id)!,
    room: placeOf(guild, lounge),
    person: (name) => {
      const user = discord.user({ name });
      guild.join(user);
      names.set(user.id, name);
      return user;
    },
    enter: async (told = createTold(), channel = lounge) => {
      const where = placeOf(guild, channel);
      // The gateway tells of a new channel a moment later.
      await expect.poll(() => port.missing(where), { interval: 5 }).toEqual([]);
      return { link: await port.join(where, told, never()), told };
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
};

export const soon = <T>(read: () => T) => expect.poll(read, { interval: 5 });

/** Joins a channel in which Ann is, to hear her. */
export const hearAnn = async (
  place: VoicePlace,
  { told = createTold(), channel = place.lounge }: { told?: Told; channel?: FakeChannel } = {},
) => {
  const person = place.person('Ann');
  const ann = channel.join(person);
  const { link } = await place.enter(told, channel);
  link.subscribe([person.id]);
  return {
    channel,
    person,
    ann,
    link,
    told,
    /** Says five packets and waits until they are heard. */
    hears: async (from: number): Promise<void> => {
      await ann.speak(numbered(5, from), { speed: 5 });
      await soon(
        () => told.heard(person.id).filter((each) => each >= from && each < from + 5).length,
      ).toBe(5);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await link[Symbol.asyncDispose]();
      ann.leave();
    },
  };
};
