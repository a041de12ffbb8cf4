import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Leases, Tenure } from '../../src/ports/processes.ts';
import type { Contract } from './contract.ts';

/** Leases of one store. */
export interface LeasesSubject {
  readonly leases: Leases;
  /** Leases as the next process has them, once this one has ended. */
  restart(): Promise<Leases>;
}

const never = (): AbortSignal => new AbortController().signal;

/** Notes when a lease is given. */
const asking = (leases: Leases, name: string, signal = never()) => {
  const given: Tenure[] = [];
  const acquiring = leases.acquire(name, signal);
  const done = acquiring.then(
    (tenure) => given.push(tenure),
    () => undefined,
  );
  return { given, acquiring, done };
};

/** The rules of `Leases`. */
export const LEASES_CONTRACT = {
  'give a name to one holder at a time': async ({ leases }) => {
    const first = await leases.acquire('one', never());
    const second = asking(leases, 'one');
    await setImmediate();
    expect(second.given).toEqual([]);
    await first.release();
    await second.done;
    expect(second.given).toHaveLength(1);
    expect([first.isHeld(), second.given[0]?.isHeld()]).toEqual([false, true]);
  },

  'give different names at the same moment': async ({ leases }) => {
    const tenures = await Promise.all(['a', 'b'].map((name) => leases.acquire(name, never())));
    expect(tenures.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(tenures.every((tenure) => tenure.isHeld())).toBe(true);
  },

  'give every tenure of a name a larger epoch, in the next process too': async (subject) => {
    const epochs: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const tenure = await subject.leases.acquire('one', never());
      epochs.push(tenure.epoch);
      await tenure.release();
    }
    const last = await (await subject.restart()).acquire('one', never());
    epochs.push(last.epoch);
    expect(epochs).toEqual([...new Set(epochs)].toSorted((a, b) => a - b));
  },

  'end a wait with its signal, and pass its turn on': async ({ leases }) => {
    const first = await leases.acquire('one', never());
    const stop = new AbortController();
    const second = asking(leases, 'one', stop.signal);
    const third = asking(leases, 'one');
    stop.abort();
    await expect(second.acquiring).rejects.toThrow();
    await first.release();
    await third.done;
    expect([second.given.length, third.given.length]).toEqual([0, 1]);
  },

  'end a tenure with the signal that it was acquired with': async ({ leases }) => {
    const stop = new AbortController();
    const tenure = await leases.acquire('one', stop.signal);
    expect(tenure.signal.aborted).toBe(false);
    tenure.assertHeld();
    stop.abort();
    expect([tenure.signal.aborted, tenure.isHeld()]).toEqual([true, false]);
    expect(() => tenure.assertHeld()).toThrow(expect.objectContaining({ code: 'cancelled' }));
  },

  'let nothing be done in a tenure that was released': async ({ leases }) => {
    const tenure = await leases.acquire('one', never());
    await tenure.release();
    await tenure.release();
    expect(() => tenure.assertHeld()).toThrow(expect.objectContaining({ code: 'cancelled' }));
    expect((await leases.acquire('one', never())).isHeld()).toBe(true);
  },
} satisfies Contract<LeasesSubject>;
