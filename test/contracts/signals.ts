import { expect } from 'vitest';
import type { Space } from '../../src/model/place.ts';
import type { Signals } from '../../src/ports/store.ts';

/** A database with signals, and one space whose choices can be written. */
export interface SignalsSubject<Transaction = unknown> {
  readonly signals: Signals<Transaction>;
  readonly write: <Result>(work: (within: Transaction) => Promise<Result>) => Promise<Result>;
  /** Stores a number for a space. */
  readonly put: (within: Transaction, space: Space, value: number) => Promise<void>;
  /** The number that is stored for a space, outside of any transaction. */
  readonly read: (space: Space) => Promise<number | undefined>;
}

const HERE: Space = { platform: 'test', id: 'here' };
const THERE: Space = { platform: 'test', id: 'there' };

/** Changes a space, and publishes it. */
const change = (
  { signals, put }: SignalsSubject,
  space: Space,
  value: number,
): ((within: unknown) => Promise<void>) =>
  async function work(within) {
    await signals.publish(within, 'space-settings', space);
    await put(within, space, value);
  };

/** The contract of signals, whoever carries them. */
export const SIGNALS_CONTRACT = {
  'are delivered to every subscriber before the write resolves': async (subject) => {
    const received: string[] = [];
    for (const name of ['a', 'b'])
      subject.signals.subscribe('space-settings', async (space) => {
        await new Promise(setImmediate);
        received.push(`${name} ${space!.id}`);
      });
    await subject.write(change(subject, HERE, 1));
    expect(received).toEqual(['a here', 'b here']);
  },
  'are delivered when the change can be read': async (subject) => {
    const read: unknown[] = [];
    subject.signals.subscribe('space-settings', async (space) => {
      read.push(await subject.read(space!));
    });
    await subject.write(change(subject, HERE, 1));
    await subject.write(change(subject, HERE, 2));
    expect(read).toEqual([1, 2]);
  },
  'are not delivered where the write is undone': async (subject) => {
    const received: string[] = [];
    subject.signals.subscribe('space-settings', (space) => void received.push(space!.id));
    const undone = subject.write(async (within) => {
      await change(subject, HERE, 1)(within);
      throw new Error('undone');
    });
    const [failed] = await Promise.allSettled([undone, subject.write(change(subject, THERE, 2))]);
    expect(failed.status).toBe('rejected');
    expect(await subject.read(HERE)).toBeUndefined();
    expect(received).toEqual(['there']);
  },
  'are delivered by topic': async (subject) => {
    const received: string[] = [];
    subject.signals.subscribe('watches', () => void received.push('watches'));
    subject.signals.subscribe('space-settings', () => void received.push('space-settings'));
    await subject.write(change(subject, HERE, 1));
    expect(received).toEqual(['space-settings']);
  },
  'are delivered in the order of the writes': async (subject) => {
    const received: string[] = [];
    subject.signals.subscribe('space-settings', (space) => void received.push(space!.id));
    await Promise.all([HERE, THERE, HERE].map((space) => subject.write(change(subject, space, 1))));
    expect(received).toEqual(['here', 'there', 'here']);
  },
  'are delivered once, in writes that come at the same moment too': async (subject) => {
    const received: string[] = [];
    subject.signals.subscribe('space-settings', (space) => void received.push(space!.id));
    await Promise.all([
      subject.write(change(subject, HERE, 1)),
      subject.write(async (within) => subject.put(within, THERE, 1)),
    ]);
    expect(received).toEqual(['here']);
  },
  'let a subscriber write': async (subject) => {
    subject.signals.subscribe('space-settings', async (space) => {
      if (space!.id === HERE.id) await subject.write(change(subject, THERE, 7));
    });
    await subject.write(change(subject, HERE, 1));
    expect(await subject.read(THERE)).toBe(7);
  },
  'tell the writer of a subscriber that fails': async (subject) => {
    subject.signals.subscribe('space-settings', () => Promise.reject(new Error('no')));
    await expect(subject.write(change(subject, HERE, 1))).rejects.toThrow('no');
    expect(await subject.read(HERE)).toBe(1);
  },
  'end with their subscription': async (subject) => {
    const received: string[] = [];
    const receive = (space?: Space): void => void received.push(space!.id);
    const end = subject.signals.subscribe('space-settings', receive);
    subject.signals.subscribe('space-settings', receive);
    end();
    await subject.write(change(subject, HERE, 1));
    expect(received).toEqual(['here']);
  },
} satisfies Readonly<Record<string, (subject: SignalsSubject) => Promise<void>>>;
