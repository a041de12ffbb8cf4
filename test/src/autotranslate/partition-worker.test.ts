import { createLog } from '../../../src/log.ts';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import type { Row } from '../../../src/store/inbox/row.ts';
import type { Ready } from '../../../src/autotranslate/deliver.ts';
import { workPartition, type Jobs } from '../../../src/autotranslate/partition-worker.ts';
import { LANE, messageOf, withInbox } from '../store/inbox/support.ts';

const inbox = withInbox();
const away = (retryAfterMs?: number): AppError =>
  new AppError('unavailable', 'away', {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

let prepare: (row: Row, last: boolean, signal: AbortSignal) => Promise<Partial<Ready>>;
/** Resolves with how many it did; all of them when left out. */
let deliver: (batch: readonly Ready[]) => Promise<number | void>;
let delivered: string[][];
let buried: string[];
let registered: Set<string>;
let jobs: Jobs;

/** A round through the lane; resolves with how long it is to wait then, in ms. */
const work = async (): Promise<number | undefined> => {
  const dueMs = await workPartition(
    {
      inbox: inbox.ours,
      prepare: async (row, { last }, signal) => {
        const nothing = { placed: [], carries: [], fault: undefined };
        const plan = { ...nothing, used: { characters: 0, audioMs: 0 } };
        const made = await prepare(row, last, signal);
        return {
          row,
          message: undefined,
          plan,
          watch: undefined,
          again: row.again,
          sweep: [],
          ...made,
        };
      },
      deliver: async (batch) => {
        const done = batch.slice(0, (await deliver(batch)) ?? batch.length);
        delivered.push(done.map(({ row }) => row.ref.id));
        for (const { row } of done) await inbox.settle(row);
        return done.length;
      },
      bury: async (row) => {
        buried.push(row.ref.id);
        await inbox.settle(row);
      },
      log: createLog('silent'),
      now: () => inbox.clock.ms,
      random: () => 0.5,
    },
    LANE,
    jobs,
    new AbortController().signal,
    ({ ref }) => {
      registered.add(ref.id);
      return { [Symbol.dispose]: () => void registered.delete(ref.id) };
    },
  );
  return dueMs === undefined ? undefined : dueMs - inbox.clock.ms;
};
const accept = async (...messages: Message[]): Promise<void> => {
  for (const message of messages) await inbox.accept(message);
};
/** Messages 1 to `count`. */
const acceptAll = (count: number): Promise<void> =>
  accept(...Array.from({ length: count }, (_, index) => messageOf(index + 1)));

/** Lets the others be ready when the first is. */
const afterOthers = async ({ ref: { id } }: Row): Promise<void> => {
  if (id === '1') await setImmediate();
};

beforeEach(() => {
  prepare = async () => ({});
  deliver = async () => undefined;
  delivered = [];
  buried = [];
  registered = new Set();
  jobs = new Map();
});

describe('a lane', () => {
  it('delivers all that waits in it, in order, and holds nothing of it afterwards', async () => {
    await acceptAll(50);
    expect(await work()).toBeUndefined();
    expect(delivered.flat().map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect([registered.size, jobs.size]).toEqual([0, 0]);
  });

  it('delivers together what is ready together, and passes over nothing that is not', async () => {
    const second = Promise.withResolvers<void>();
    prepare = async ({ ref: { id } }) => {
      if (id === '2') await second.promise;
      return {};
    };
    deliver = async () => second.resolve();
    await acceptAll(3);
    await work();
    expect(delivered).toEqual([['1'], ['2', '3']]);
  });

  it('delivers an answer after what it answers to', async () => {
    const replyTo = messageOf(1).ref;
    prepare = async (row) => {
      await afterOthers(row);
      const { id } = row.ref;
      return { message: { ...messageOf(Number(id)), ...(id === '3' ? { replyTo } : {}) } };
    };
    await acceptAll(4);
    await work();
    expect(delivered).toEqual([
      ['1', '2'],
      ['3', '4'],
    ]);
  });

  it('delivers by itself what carries files', async () => {
    prepare = async (row) => {
      await afterOthers(row);
      const { id } = row.ref;
      const carries = id === '2' ? [{ name: 'x' } as Message['files'][number]] : [];
      const used = { characters: 0, audioMs: 0 };
      return { plan: { placed: [], carries, used, fault: undefined } };
    };
    await acceptAll(4);
    await work();
    expect(delivered).toEqual([['1'], ['2'], ['3', '4']]);
  });

  it('tells of what may stand already, whether the row says so or its preparation', async () => {
    const again: boolean[] = [];
    prepare = async (row) => {
      await afterOthers(row);
      return { again: row.ref.id === '1' };
    };
    deliver = async (batch) => {
      again.push(...batch.map((ready) => ready.again));
      if (again.length <= 2) throw away();
    };
    await acceptAll(2);
    inbox.clock.ms += (await work()) ?? 0;
    await work();
    expect(again).toEqual([true, false, true, true]);
  });
});

describe('what fails in a lane', () => {
  it('is tried again until the last try, which is told so, and then given up', async () => {
    const lasts: boolean[] = [];
    prepare = async (_, last) => {
      lasts.push(last);
      throw away();
    };
    await acceptAll(1);
    while (buried.length === 0) inbox.clock.ms += (await work()) ?? 0;
    expect(lasts.length).toBeGreaterThan(2);
    expect(lasts.indexOf(true)).toBe(lasts.length - 1);
  });

  it('waits longer from try to try, and at least as long as it is told', async () => {
    deliver = () => Promise.reject(away());
    await acceptAll(1);
    const waits: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      waits.push((await work()) ?? 0);
      inbox.clock.ms += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(new Set(waits).size).toBe(3);
    deliver = () => Promise.reject(away(300_000));
    expect(await work()).toBe(300_000);
  });

  it('waits for nobody who asks for days', async () => {
    deliver = () => Promise.reject(away(3 * 86_400_000));
    await acceptAll(1);
    expect(await work()).toBeLessThan(3_600_000);
  });

  it('for good is given up at once, and holds up nothing', async () => {
    prepare = async ({ ref: { id } }) => {
      if (id === '1') throw new AppError('bad-reply', 'unreadable');
      return {};
    };
    await acceptAll(2);
    expect(await work()).toBeUndefined();
    expect([buried, delivered]).toEqual([['1'], [['2']]]);
  });

  it('leaves nothing behind in memory once it is given up', async () => {
    deliver = () => Promise.reject(new AppError('bad-reply', 'unreadable'));
    await acceptAll(1);
    await work();
    expect([buried, jobs.size, registered.size]).toEqual([['1'], 0, 0]);
  });

  it('because of a fault of ours is tried again, and no message is given up for it', async () => {
    deliver = () => Promise.reject(new Error('disk I/O error'));
    await acceptAll(1);
    inbox.clock.ms += (await work()) ?? 0;
    expect(buried).toEqual([]);
    deliver = async () => undefined;
    await work();
    expect(delivered).toEqual([['1']]);
  });

  it('is prepared once, however often it has to be delivered', async () => {
    let prepared = 0;
    prepare = async () => {
      prepared += 1;
      return {};
    };
    deliver = () => Promise.reject(away());
    await acceptAll(2);
    inbox.clock.ms += (await work()) ?? 0;
    deliver = async () => undefined;
    await work();
    expect([prepared, delivered]).toEqual([2, [['1', '2']]]);
  });
});

describe('a message that changes under the hands of a lane', () => {
  it('has not failed: it is tried again at once, as often as any other', async () => {
    const attempts: number[] = [];
    deliver = async ([first]) => {
      attempts.push(first?.row.attempts ?? 0);
      if (attempts.length === 1) throw new AppError('cancelled', 'it changed');
    };
    await acceptAll(1);
    expect(await work()).toBeUndefined();
    expect(attempts).toEqual([1, 1]);
  });

  it('is prepared anew where it is not to stand any more as it was, and those before it are done', async () => {
    const prepared: string[] = [];
    prepare = async ({ ref: { id } }) => {
      prepared.push(id);
      if (id === '1') await setImmediate();
      return {};
    };
    let isFirst = true;
    deliver = async (batch) => {
      if (!isFirst) return batch.length;
      isFirst = false;
      return 1;
    };
    await acceptAll(3);
    expect(await work()).toBeUndefined();
    expect(prepared).toEqual(['1', '2', '3', '2']);
    expect(delivered).toEqual([['1'], ['2', '3']]);
    expect([jobs.size, registered.size]).toEqual([0, 0]);
  });

  it('is prepared anew, and what was made of its former state is ended', async () => {
    const signals: AbortSignal[] = [];
    const texts: unknown[] = [];
    prepare = async ({ ref: { id }, message }, _, signal) => {
      if (id === '1') return {};
      signals.push(signal);
      texts.push(typeof message === 'string' ? message : message.text);
      return {};
    };
    deliver = () => Promise.reject(away());
    await acceptAll(2);
    const waitMs = await work();
    await accept(messageOf(2, 'changed'));
    inbox.clock.ms += waitMs ?? 0;
    deliver = async () => undefined;
    await work();
    expect(texts).toEqual(['hello', 'changed']);
    expect(signals.map(({ aborted }) => aborted)[0]).toBe(true);
  });
});
