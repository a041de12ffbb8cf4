import { describe, expect, it } from 'vitest';
import { silentLog } from '../../fakes/silent-log.ts';
import type { Leases, Tenure, Work } from '../../../src/ports/processes.ts';
import { createSlotOwner, type SlotWorker } from '../../../src/cluster/slot-owner.ts';
import { slotOf, SLOTS } from '../../../src/store/rows.ts';
import { createHastyClock } from '../../fakes/clock.ts';

const KEY = 'test:channel:c';
const SLOT = slotOf(KEY);

/** Leases that are given and lost by hand. */
const createLeases = () => {
  const shared: { begin?: (tenure: Tenure) => Work; works: Map<string, Work> } = {
    works: new Map(),
  };
  const told: string[] = [];
  const leases: Leases = {
    acquire: () => Promise.reject(new Error('nothing is acquired here')),
    isAnyHeld: async () => false,
    share: (_set, _size, begin) => {
      shared.begin = begin;
      return {
        stopClaiming: () => undefined,
        [Symbol.asyncDispose]: async () => {
          for (const work of shared.works.values()) await work[Symbol.asyncDispose]();
        },
      };
    },
    tell: (name, message) => void told.push(`${name} ${message}`),
  };
  const give = (slot: number, epoch = 1) => {
    const lost = new AbortController();
    const tenure: Tenure = {
      name: `slot:${slot}`,
      epoch,
      signal: lost.signal,
      isHeld: () => !lost.signal.aborted,
      assertHeld: () => lost.signal.throwIfAborted(),
      release: async () => lost.abort(),
    };
    const work = shared.begin?.(tenure);
    if (work) shared.works.set(tenure.name, work);
    return { tenure, work, lose: () => lost.abort() };
  };
  return { leases, told, give };
};

const start = (change: (noted: string[]) => Partial<SlotWorker> = () => ({})) => {
  const given = createLeases();
  const owner = createSlotOwner({
    leases: given.leases,
    log: silentLog,
    clock: createHastyClock(),
  });
  const noted: string[] = [];
  const worker: SlotWorker = {
    takeOver: async (slot, { epoch }) => void noted.push(`take over ${slot} in ${epoch}`),
    begin: (slot) => void noted.push(`begin ${slot}`),
    end: async (slot, { epoch }) => void noted.push(`end ${slot} in ${epoch}`),
    hear: (key) => void noted.push(`told ${key}`),
  };
  owner.serve('work', { ...worker, ...change(noted) });
  owner.start();
  return { ...given, owner, noted };
};

const slotNames = [`take over ${SLOT} in 1`, `begin ${SLOT}`];

describe('a slot', () => {
  it('is one of a fixed number for every key, and always the same', () => {
    const slots = Array.from({ length: 10_000 }, (_, index) => slotOf(`discord:channel:${index}`));
    expect(new Set(slots).size).toBe(SLOTS);
    expect([Math.min(...slots), Math.max(...slots)]).toEqual([0, SLOTS - 1]);
    // Rows keep their slots: another function would lose them.
    expect(['', 'discord:channel:1', 'group:ä'].map(slotOf)).toEqual([25, 29, 46]);
  });

  it('is worked on once what earlier tenures left is taken over', async () => {
    const { owner, give, noted } = start();
    expect(owner.tenureOf(KEY)).toBeUndefined();
    const { tenure } = give(SLOT);
    await expect.poll(() => noted).toEqual(slotNames);
    expect([owner.tenureOf(KEY), owner.slots()]).toEqual([tenure, [SLOT]]);
  });

  it('is taken over again where that failed', async () => {
    let tries = 0;
    const { give, noted } = start(() => ({
      takeOver: async () => {
        tries += 1;
        if (tries < 3) throw new Error('no database');
      },
    }));
    give(SLOT);
    await expect.poll(() => noted).toEqual([`begin ${SLOT}`]);
    expect(tries).toBe(3);
  });

  it('that is lost is not worked on any more, and can come again', async () => {
    const { owner, give, noted } = start();
    const { lose } = give(SLOT);
    await expect.poll(() => owner.slots()).toEqual([SLOT]);
    lose();
    expect(owner.tenureOf(KEY)).toBeUndefined();
    await expect.poll(() => noted).toEqual([...slotNames, `end ${SLOT} in 1`]);
    give(SLOT, 2);
    await expect.poll(() => owner.tenureOf(KEY)?.epoch).toBe(2);
  });

  it('that is lost while it is taken over is not begun', async () => {
    const taking = Promise.withResolvers<void>();
    const { owner, give, noted } = start(() => ({ takeOver: () => taking.promise }));
    const { lose, work } = give(SLOT);
    lose();
    taking.resolve();
    await work?.[Symbol.asyncDispose]();
    expect([owner.slots(), noted]).toEqual([[], []]);
  });

  it('is given away when what is under way has ended, within the time there is', async () => {
    const within: number[] = [];
    const { owner, give } = start(() => ({
      end: async (_slot, _tenure, withinMs) => void within.push(withinMs),
    }));
    give(SLOT);
    await expect.poll(() => owner.slots()).toEqual([SLOT]);
    await owner.drain(12_345);
    expect([within, owner.slots()]).toEqual([[12_345], []]);
  });

  it('is begun for work that is served later, too', async () => {
    const { owner, give, noted } = start();
    give(SLOT);
    await expect.poll(() => owner.slots()).toEqual([SLOT]);
    owner.serve('more', {
      takeOver: async () => undefined,
      begin: (slot) => void noted.push(`more ${slot}`),
      end: async () => undefined,
      hear: () => undefined,
    });
    await expect.poll(() => noted.at(-1)).toBe(`more ${SLOT}`);
  });

  it('is not begun again for work that is served while it is given away', async () => {
    const ended = Promise.withResolvers<void>();
    const taking = Promise.withResolvers<void>();
    const { owner, give, noted } = start(() => ({ end: () => ended.promise }));
    const { tenure, work } = give(SLOT);
    await expect.poll(() => owner.slots()).toEqual([SLOT]);
    owner.serve('late', {
      takeOver: () => taking.promise,
      begin: (slot) => void noted.push(`late ${slot}`),
      end: async () => undefined,
      hear: () => undefined,
    });
    const given = work?.[Symbol.asyncDispose]();
    taking.resolve();
    await new Promise(setImmediate);
    expect(tenure.isHeld()).toBe(true);
    expect([owner.slots(), noted]).toEqual([[], slotNames]);
    ended.resolve();
    await given;
  });

  it('whose takeover fails is given away without a further try', async () => {
    let tries = 0;
    const { give } = start(() => ({
      takeOver: async () => {
        tries += 1;
        throw new Error('no database');
      },
    }));
    const { work } = give(SLOT);
    await work?.[Symbol.asyncDispose]();
    expect(tries).toBe(1);
  });

  it('has its owner told of a key, and the right work of what it is told', async () => {
    const { owner, give, told, noted } = start();
    owner.tell('work', KEY);
    expect(told).toEqual([`slot:${SLOT} work ${KEY}`]);
    const { work } = give(SLOT);
    work?.hear(`other ${KEY}`);
    work?.hear(`work ${KEY} with words`);
    expect(noted.filter((one) => one.startsWith('told'))).toEqual([`told ${KEY} with words`]);
  });
});
