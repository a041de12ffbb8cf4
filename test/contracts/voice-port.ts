import { expect } from 'vitest';
import type { AppError } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import type {
  LinkListener,
  Restrictions,
  VoiceLink,
  VoicePacket,
  VoicePort,
} from '../../src/ports/voice.ts';
import type { Contract } from './contract.ts';

/** A voice port, with two empty rooms of one space and a hand on what happens in them. */
export interface VoicePortSubject {
  readonly port: VoicePort;
  readonly room: Channel;
  readonly other: Channel;
  /** A person enters a room; resolves with their id. */
  enter(room: Channel, name: string): Promise<string>;
  exit(memberId: string): void;
  /** Somebody sends packets of 20 ms; resolves when all were sent. */
  speak(memberId: string, packets: number): Promise<void>;
  /** Somebody moves the bot. */
  move(to: Channel): void;
  /** A moderator mutes and deafens the bot, or lets it speak and hear again. */
  silence(isSilenced: boolean): void;
  /** Somebody disconnects the bot. */
  disconnect(): void;
  /** Packets that the room received from the bot. */
  played(room: Channel): number;
  /** Waits, as time passes, until nothing throws. */
  soon(check: () => void): Promise<void>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
}

interface Report extends LinkListener {
  readonly packets: VoicePacket[];
  readonly events: string[];
  readonly ends: (AppError | undefined)[];
  readonly restrictions: Restrictions[];
}

const createReport = (): Report => {
  const report: Report = {
    packets: [],
    events: [],
    ends: [],
    restrictions: [],
    packet: (packet) => void report.packets.push(packet),
    moved: ({ id }) => void report.events.push(`moved ${id}`),
    audible: () => undefined,
    missed: () => undefined,
    restricted: (restrictions) => void report.restrictions.push(restrictions),
    connected: (isConnected) => void report.events.push(isConnected ? 'connected' : 'away'),
    ended: (error) => void report.ends.push(error),
  };
  return report;
};

const never = (): AbortSignal => new AbortController().signal;

const join = async (
  { port }: VoicePortSubject,
  room: Channel,
): Promise<{ readonly link: VoiceLink; readonly report: Report }> => {
  const report = createReport();
  return { link: await port.join(room, report, never()), report };
};

/** More than anybody waits for. */
const ENDLESS_PACKETS = 1_000;

const opus = (): Uint8Array => Uint8Array.of(0xf8, 1, 2, 3);

async function* sound(packets: number): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < packets; at += 1) yield opus();
}

const speakers = ({ packets }: Report): readonly string[] => [
  ...new Set(packets.map(({ speakerId }) => speakerId)),
];

export const voicePortContract: Contract<VoicePortSubject> = {
  'knows who is in a room, the bot left out': async (subject) => {
    const { port, room, other } = subject;
    const ann = await subject.enter(room, 'Ann');
    const bob = await subject.enter(other, 'Bob');
    await join(subject, room);
    await subject.soon(() => {
      expect(port.present(room)).toEqual([{ id: ann, name: 'Ann', isBot: false }]);
      expect(port.present(other).map(({ id }) => id)).toEqual([bob]);
    });
    expect(port.roomOf(room.space, ann)?.id).toBe(room.id);
    expect(port.roomOf(room.space, 'nobody')).toBeUndefined();
    subject.exit(ann);
    await subject.soon(() => expect(port.present(room)).toEqual([]));
    expect(port.roomOf(room.space, ann)).toBeUndefined();
  },

  'says that it is connected when it has joined': async (subject) => {
    const { link, report } = await join(subject, subject.room);
    expect(link.channel).toEqual(subject.room);
    await subject.soon(() => expect(report.events).toEqual(['connected']));
    expect(report.ends).toEqual([]);
  },

  'hands over packets of subscribed members alone, and of nobody at first': async (subject) => {
    const [ann, bob] = [
      await subject.enter(subject.room, 'Ann'),
      await subject.enter(subject.room, 'Bob'),
    ];
    const { link, report } = await join(subject, subject.room);
    await Promise.all([subject.speak(ann, 5), subject.speak(bob, 5)]);
    expect(report.packets).toEqual([]);
    link.subscribe([bob]);
    await Promise.all([subject.speak(ann, 5), subject.speak(bob, 5)]);
    await subject.soon(() => expect(report.packets.length).toBeGreaterThanOrEqual(5));
    expect(speakers(report)).toEqual([bob]);
  },

  'hands over nothing more of a member who is no longer subscribed': async (subject) => {
    const ann = await subject.enter(subject.room, 'Ann');
    const { link, report } = await join(subject, subject.room);
    link.subscribe([ann]);
    await subject.speak(ann, 5);
    await subject.soon(() => expect(speakers(report)).toEqual([ann]));
    await subject.pass(200);
    link.subscribe([]);
    const before = report.packets.length;
    await subject.speak(ann, 5);
    await subject.pass(200);
    expect(report.packets).toHaveLength(before);
  },

  'numbers the packets of a member in the order in which they were sent': async (subject) => {
    const ann = await subject.enter(subject.room, 'Ann');
    const { link, report } = await join(subject, subject.room);
    link.subscribe([ann]);
    await subject.speak(ann, 20);
    await subject.soon(() => expect(report.packets.length).toBeGreaterThanOrEqual(20));
    for (const [at, packet] of report.packets.entries()) {
      const before = report.packets[at - 1];
      expect(packet.data.length).toBeGreaterThan(0);
      if (!before) continue;
      expect(packet.sequence).toBeGreaterThan(before.sequence);
      expect(packet.timestampSamples).toBeGreaterThanOrEqual(before.timestampSamples);
      expect(packet.arrivedMs).toBeGreaterThanOrEqual(before.arrivedMs);
    }
  },

  'counts what it received of a member': async (subject) => {
    const ann = await subject.enter(subject.room, 'Ann');
    const { link, report } = await join(subject, subject.room);
    link.subscribe([ann]);
    await subject.speak(ann, 10);
    await subject.soon(() => expect(report.packets.length).toBeGreaterThanOrEqual(10));
    const [stats, ...others] = link.stats();
    expect(stats).toMatchObject({ memberId: ann, undecryptable: 0 });
    expect(stats!.received).toBeGreaterThanOrEqual(10);
    expect(others).toEqual([]);
  },

  'plays every packet, and resolves when the last one was sent': async (subject) => {
    const { room } = subject;
    await subject.enter(room, 'Ann');
    const { link } = await join(subject, room);
    const last = Promise.withResolvers<void>();
    const packets = async function* () {
      yield* sound(14);
      await last.promise;
      yield opus();
    };
    let isDone = false;
    const playing = link.play(packets(), never()).then(() => (isDone = true));
    await subject.soon(() => expect(subject.played(room)).toBeGreaterThan(0));
    expect(isDone).toBe(false);
    last.resolve();
    await subject.soon(() => expect(isDone).toBe(true));
    await playing;
    await subject.soon(() => expect(subject.played(room)).toBeGreaterThanOrEqual(15));
  },

  'is silent when playing is aborted, and rejects with the reason': async (subject) => {
    const { room } = subject;
    await subject.enter(room, 'Ann');
    const { link } = await join(subject, room);
    const stop = new AbortController();
    const playing = link.play(sound(ENDLESS_PACKETS), stop.signal);
    const outcome = playing.catch((thrown: unknown) => thrown);
    await subject.soon(() => expect(subject.played(room)).toBeGreaterThan(3));
    const reason = new Error('enough');
    stop.abort(reason);
    expect(await outcome).toBe(reason);
    let before = -1;
    while (subject.played(room) !== before) {
      before = subject.played(room);
      await subject.pass(300);
    }
    expect(before).toBeLessThan(ENDLESS_PACKETS);
  },

  'has one room a space: joining another one ends the first, with no error': async (subject) => {
    const first = await join(subject, subject.room);
    const second = await join(subject, subject.other);
    expect(first.report.ends).toEqual([undefined]);
    expect(second.link.channel).toEqual(subject.other);
    expect(second.report.ends).toEqual([]);
  },

  'follows a move, and says so': async (subject) => {
    const { link, report } = await join(subject, subject.room);
    subject.move(subject.other);
    await subject.soon(() => expect(report.events).toContain(`moved ${subject.other.id}`));
    expect(link.channel).toEqual(subject.other);
    expect(report.ends).toEqual([]);
  },

  'reports what moderators keep it from, and when they no longer do': async (subject) => {
    const { report } = await join(subject, subject.room);
    expect(report.restrictions).toEqual([]);
    subject.silence(true);
    const forbidden = { code: 'forbidden', retryable: false };
    await subject.soon(() =>
      expect(report.restrictions.at(-1)).toMatchObject({ speaking: forbidden, hearing: forbidden }),
    );
    subject.silence(false);
    await subject.soon(() =>
      expect(report.restrictions.at(-1)).toEqual({ speaking: undefined, hearing: undefined }),
    );
  },

  'ends without an error when somebody disconnects it, once': async (subject) => {
    const { link, report } = await join(subject, subject.room);
    subject.disconnect();
    await subject.soon(() => expect(report.ends).toEqual([undefined]));
    await link[Symbol.asyncDispose]();
    await subject.pass(200);
    expect(report.ends).toEqual([undefined]);
  },

  'ends when it is disposed of, and reports nothing afterwards': async (subject) => {
    const ann = await subject.enter(subject.room, 'Ann');
    const { link, report } = await join(subject, subject.room);
    link.subscribe([ann]);
    await link[Symbol.asyncDispose]();
    expect(report.ends).toEqual([undefined]);
    const before = report.packets.length;
    await subject.speak(ann, 5);
    await subject.pass(200);
    expect(report.packets).toHaveLength(before);
    expect(report.ends).toHaveLength(1);
  },

  'does not join for somebody who has gone': async (subject) => {
    const report = createReport();
    const joining = subject.port.join(subject.room, report, AbortSignal.abort());
    await expect(joining).rejects.toThrow();
    expect(report.ends).toEqual([]);
  },
};
