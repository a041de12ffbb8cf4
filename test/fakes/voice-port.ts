import { createOggOpusWriter } from '../../src/audio/container/ogg-writer.ts';
import { AppError } from '../../src/errors.ts';
import { FAKE_CAPABILITIES } from './platform.ts';
import type { Channel, Space } from '../../src/model/place.ts';
import type { Message } from '../../src/model/message.ts';
import { map } from '../../src/rich-text/walk.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { Clock } from '../../src/async/clock.ts';
import type {
  LinkListener,
  Restrictions,
  RoomMember,
  RoomWatcher,
  VoiceLink,
  VoicePort,
} from '../../src/ports/voice.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { rich } from './rich-text.ts';
import { createTextPackets } from './text-packets.ts';
import { createVoiceMessages, type MessageFaults, type SeenMessages } from './voice-messages.ts';

export const SPACE: Space = { platform: 'voices', id: 'space' };
export const channelOf = (id: string, space = SPACE): Channel => ({ space, id });
export const human = (id: string, name = id): RoomMember => ({ id, name, isBot: false });
export const robot = (id: string): RoomMember => ({ id, name: id, isBot: true });

const PACKET_MS = 20;
interface OpenLink {
  readonly link: VoiceLink;
  readonly listener: LinkListener;
  channel: Channel;
  subscribed: ReadonlySet<string>;
  isConnected: boolean;
  isOver: boolean;
  /** Packets that were handed over, by member. */
  readonly received: Map<string, number>;
}

/** What goes wrong from here on. */
interface Faults extends MessageFaults {
  /** What keeps us out of every room, as can be told before joining. */
  shut: AppError | undefined;
  /** What joining rejects with. */
  join: AppError | undefined;
  /** Joining waits for it. */
  joining: Promise<void> | undefined;
  /** The permissions that we lack to post in a channel. */
  missing: (of: Channel) => readonly string[];
  /** What playing rejects with. */
  play: AppError | undefined;
}

/**
 * A platform in memory with rooms in which people speak, on a clock of the test. It hands over packets
 * of those alone who are to be heard and are in the room.
 */
export interface VoicePlace extends SeenMessages {
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly faults: Faults;
  /** Whom it tells who comes and goes. */
  watchedBy(watcher: RoomWatcher): void;
  enter(room: Channel, ...people: readonly RoomMember[]): void;
  exit(room: Channel, ...ids: readonly string[]): void;
  /** Says a text: packets in real time on the clock, which goes on by so long. */
  speak(memberId: string, text: string, lengthMs?: number): Promise<void>;
  /** One packet of a text at this moment. */
  packet(memberId: string, text: string): void;
  /** The texts in an audio file, one for each that is in it. */
  textsIn(audio: Uint8Array): readonly string[];
  /** A recording of a second in which a text is said. */
  recordingOf(text: string): Uint8Array;
  /** Members of whom packets were handed over. */
  readonly handedOver: ReadonlySet<string>;
  /** Who is to be heard in the room of a space at this moment. */
  subscribed(space?: Space): readonly string[];
  /** Who was to be heard, each time that this changed. */
  readonly subscriptions: readonly (readonly string[])[];
  /** Where we are; undefined: in no room. */
  where(space?: Space): Channel | undefined;
  /** How often we joined a room. */
  readonly joins: readonly string[];
  move(to: Channel): void;
  kick(space?: Space): void;
  lose(error: AppError): void;
  connection(isConnected: boolean): void;
  audible(memberId: string | undefined, isAudible: boolean): void;
  missed(ms: number): void;
  /** Moderators keep us from something. */
  restrict(restrictions: Partial<Restrictions>): void;
  /** Somebody writes: Markdown, or a tree. */
  write(to: Channel, text: string | RichText, part?: Partial<Message>): void;
  /** The names of the threads that were asked for. */
  readonly threads: readonly string[];
  /** Packets that were played. */
  readonly played: readonly { readonly data: Uint8Array; readonly atMs: number }[];
  /** Playing that goes on. */
  playing(): number;
}

const keyOf = ({ id }: Space): string => id;

export const createVoicePlace = (
  clock: Clock & { advance(ms: number): Promise<void> },
): VoicePlace => {
  const rooms = new Map<string, Map<string, RoomMember>>();
  const links = new Map<string, OpenLink>();
  const threads: string[] = [];
  const played: { data: Uint8Array; atMs: number }[] = [];
  const handedOver = new Set<string>();
  const joins: string[] = [];
  const subscriptions: (readonly string[])[] = [];
  const spoken = createTextPackets();
  const faults: Faults = {
    shut: undefined,
    join: undefined,
    joining: undefined,
    post: undefined,
    posting: undefined,
    tell: undefined,
    missing: () => [],
    play: undefined,
  };
  const messages = createVoiceMessages(faults);
  let watcher: RoomWatcher | undefined;
  let playing = 0;
  let reconnected = Promise.withResolvers<void>();

  const placeOf = ({ space, id }: Channel): string => `${keyOf(space)} ${id}`;
  const peopleIn = (room: Channel): Map<string, RoomMember> => {
    const people = rooms.get(placeOf(room)) ?? new Map<string, RoomMember>();
    rooms.set(placeOf(room), people);
    return people;
  };
  const linkOf = (space: Space): OpenLink => {
    const open = links.get(keyOf(space));
    if (!open) throw new Error('we are in no room');
    return open;
  };
  const end = (open: OpenLink, error: AppError | undefined): void => {
    if (open.isOver) return;
    open.isOver = true;
    const { space } = open.channel;
    if (links.get(keyOf(space)) === open) links.delete(keyOf(space));
    open.listener.ended(error);
  };

  const play = async (
    open: OpenLink,
    packets: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> => {
    if (playing > 0) throw new Error('one at a time');
    playing += 1;
    const iterator = packets[Symbol.asyncIterator]();
    const aborted = new Promise<never>((_, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
    });
    aborted.catch(() => undefined);
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), aborted]);
        if (open.isOver) throw new AppError('cancelled', 'the room is gone');
        if (faults.play) throw faults.play;
        if (next.done) return;
        while (!open.isConnected) await Promise.race([reconnected.promise, aborted]);
        played.push({ data: next.value, atMs: clock.nowMs() });
        const { promise, resolve } = Promise.withResolvers<void>();
        const cancel = clock.after(PACKET_MS, resolve);
        await Promise.race([promise, aborted]).finally(cancel);
      }
    } finally {
      playing -= 1;
    }
  };

  const port: VoicePort = {
    editRate: { count: 5, windowMs: 5_000 },
    ownName: () => 'Dragoman',
    localeOf: () => 'en',
    roomOf: (space, memberId) => {
      for (const [place, people] of rooms)
        if (place.startsWith(`${keyOf(space)} `) && people.has(memberId))
          return channelOf(place.slice(keyOf(space).length + 1), space);
      return undefined;
    },
    present: (room) => [...(rooms.get(placeOf(room))?.values() ?? [])],
    missing: () => [],
    demandRoom: () => {
      if (faults.shut) throw faults.shut;
    },
    join: async (room, listener, signal) => {
      joins.push(room.id);
      const before = links.get(keyOf(room.space));
      if (before) end(before, undefined);
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => aborted.resolve(), { once: true });
      await Promise.race([faults.joining, aborted.promise]);
      signal.throwIfAborted();
      if (faults.join) throw faults.join;
      const open: OpenLink = {
        channel: room,
        listener,
        subscribed: new Set(),
        isConnected: true,
        isOver: false,
        received: new Map(),
        link: {
          get channel() {
            return open.channel;
          },
          subscribe: (memberIds) => {
            open.subscribed = new Set(memberIds);
            subscriptions.push(memberIds);
          },
          play: (packets, playSignal) => play(open, packets, playSignal),
          stats: () =>
            [...open.received].map(([memberId, received]) => ({
              memberId,
              received,
              lost: 0,
              undecryptable: 0,
            })),
          [Symbol.asyncDispose]: async () => end(open, undefined),
        },
      };
      links.set(keyOf(room.space), open);
      listener.connected(true);
      return open.link;
    },
  };

  let sequence = 0;
  const packet = (memberId: string, text: string): void => {
    sequence += 1;
    const data = spoken.packet(text, sequence);
    for (const open of links.values()) {
      if (!peopleIn(open.channel).has(memberId)) continue;
      if (!open.isConnected || !open.subscribed.has(memberId)) continue;
      handedOver.add(memberId);
      open.received.set(memberId, (open.received.get(memberId) ?? 0) + 1);
      open.listener.packet({
        speakerId: memberId,
        data,
        sequence,
        timestampSamples: Math.round(clock.nowMs()) * 48,
        arrivedMs: clock.nowMs(),
      });
    }
  };

  const changed = (room: Channel): void => watcher?.peopleChanged(room);

  return {
    platform: {
      name: SPACE.platform,
      capabilities: FAKE_CAPABILITIES,
      voice: port,
      feed: {
        positionAt: () => '0',
        named: async (_: Channel, text: RichText) =>
          map(text, (node) =>
            node.kind === 'mention' ? { ...node, name: `${node.target} ${node.id}` } : node,
          ),
      } as unknown as ChannelFeed,
      mirrors: {
        thread: async (of: Channel, name: string) => {
          threads.push(name);
          return { channel: channelOf(`${of.id}/${name}`, of.space) };
        },
      } as unknown as Mirrors,
      missingToPost: (of) => faults.missing(of),
      ...messages.platform,
    },
    port,
    faults,
    watchedBy: (next) => (watcher = next),
    enter: (room, ...people) => {
      for (const person of people) peopleIn(room).set(person.id, person);
      changed(room);
    },
    exit: (room, ...ids) => {
      for (const id of ids) peopleIn(room).delete(id);
      changed(room);
    },
    speak: async (memberId, text, lengthMs = 1_000) => {
      for (let atMs = 0; atMs < lengthMs; atMs += PACKET_MS) {
        packet(memberId, text);
        await clock.advance(PACKET_MS);
      }
    },
    packet,
    textsIn: (audio) => spoken.textsIn(audio),
    recordingOf: (text) => {
      const writer = createOggOpusWriter();
      const packets = Array.from({ length: 50 }, (_, at) => writer.push(spoken.packet(text, at)));
      return Buffer.concat([...packets, writer.end()]);
    },
    handedOver,
    subscriptions,
    subscribed: (space = SPACE) => [...(links.get(keyOf(space))?.subscribed ?? [])].toSorted(),
    where: (space = SPACE) => links.get(keyOf(space))?.channel,
    joins,
    move: (to) => {
      const open = linkOf(to.space);
      open.channel = to;
      open.listener.moved(to);
    },
    kick: (space = SPACE) => end(linkOf(space), undefined),
    lose: (error) => end(linkOf(SPACE), error),
    connection: (isConnected) => {
      const open = linkOf(SPACE);
      open.isConnected = isConnected;
      reconnected.resolve();
      reconnected = Promise.withResolvers();
      open.listener.connected(isConnected);
    },
    audible: (memberId, isAudible) => linkOf(SPACE).listener.audible(memberId, isAudible),
    missed: (ms) => linkOf(SPACE).listener.missed(ms),
    restrict: ({ speaking, hearing }) => linkOf(SPACE).listener.restricted({ speaking, hearing }),
    write: (to, text, part = {}) => {
      if (!watcher?.reads(to)) return;
      sequence += 1;
      watcher.wrote({
        ref: { channel: to, id: `w${sequence}` },
        position: String(sequence),
        author: { id: 'ann', name: 'Ann', kind: 'person' },
        text: typeof text === 'string' ? rich(text) : text,
        files: [],
        stickers: [],
        ...part,
      });
    },
    ...messages.seen,
    threads,
    played,
    playing: () => playing,
  };
};
