import { createSilentWaits } from '../../fakes/outage-waits.ts';
import { nothingFor, type Prepared } from '../../../src/autotranslate/prepare/prepared.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { Row } from '../../../src/store/inbox/row.ts';
import { createPartitionWorker, type Jobs } from '../../../src/autotranslate/partition-worker.ts';
import { createLateTargets } from '../../../src/autotranslate/mirror/late-targets.ts';
import { slotOf } from '../../../src/store/rows.ts';
import { EARLIER, messageOf, PARTITION, withInbox } from '../store/inbox/support.ts';

const inbox = withInbox();
const away = (retryAfterMs?: number): AppError =>
  new AppError('unavailable', 'away', {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

let prepare: (row: Row, last: boolean, signal: AbortSignal) => Promise<Partial<Prepared>>;
/** Resolves with how many it did; all of them when left out. */
let reconcile: (batch: readonly Prepared[]) => Promise<number | void>;
let reconciled: string[][];
let givenUp: string[];
let isOnHold: boolean;
/** Answers to the next questions for a hold. */
let looks: boolean[] = [];
let registered: Set<string>;
let jobs: Jobs;

/** A round through the partition; resolves with how long it is to wait then, in ms. */
const work = async (tenure = EARLIER): Promise<number | undefined> => {
  const due = await createPartitionWorker({
    inbox: inbox.ours,
    prepare: async (row, { isLast }, signal) => {
      const made = await prepare(row, isLast, signal);
      return { ...nothingFor(row), ...made };
    },
    reconcile: async (batch) => {
      const [{ row: first, fault, mirrors }] = batch as [Prepared];
      const isGivenUp = fault !== undefined && mirrors.length === 0;
      const count = isGivenUp ? 1 : ((await reconcile(batch)) ?? batch.length);
      const done = batch.slice(0, count);
      if (isGivenUp) givenUp.push(first.ref.id);
      else reconciled.push(done.map(({ row }) => row.ref.id));
      for (const { row } of done) await inbox.settle(row);
      return done.length;
    },
    late: createLateTargets(inbox.ours),
    notices: { failed: () => undefined, passed: () => undefined },
    isOnHold: async () => looks.shift() ?? isOnHold,
    ...createSilentWaits(),
    log: silentLog,
    now: () => inbox.clock.ms,
    random: () => 0.5,
  })(
    {
      partition: PARTITION,
      tenure: {
        ...tenure,
        name: 'slot:1',
        signal: new AbortController().signal,
        isHeld: () => true,
        assertHeld: () => undefined,
        release: async () => undefined,
      },
      jobs,
    },
    ({ ref }) => {
      registered.add(ref.id);
      return { [Symbol.dispose]: () => void registered.delete(ref.id) };
    },
  );
  return due && due.atMs - inbox.clock.ms;
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
  reconcile = async () => undefined;
  reconciled = [];
  givenUp = [];
  isOnHold = false;
  registered = new Set();
  jobs = new Map();
});

describe('a partition', () => {
  it('reconciles all that waits in it, in order, and holds nothing of it afterwards', async () => {
    await acceptAll(50);
    expect(await work()).toBeUndefined();
    expect(reconciled.flat().map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect([registered.size, jobs.size]).toEqual([0, 0]);
  });

  it('reconciles together what is ready together, and passes over nothing that is not', async () => {
    const second = Promise.withResolvers<void>();
    prepare = async ({ ref: { id } }) => {
      if (id === '2') await second.promise;
      return {};
    };
    reconcile = async () => second.resolve();
    await acceptAll(3);
    await work();
    expect(reconciled).toEqual([['1'], ['2', '3']]);
  });

  it('reconciles an answer together with what it answers to', async () => {
    const replyTo = messageOf(1).ref;
    prepare = async (row) => {
      await afterOthers(row);
      const { id } = row.ref;
      return { message: { ...messageOf(Number(id)), ...(id === '3' ? { replyTo } : {}) } };
    };
    await acceptAll(4);
    await work();
    expect(reconciled).toEqual([['1', '2', '3', '4']]);
  });

  it('gives back what it claims where a hold begins meanwhile', async () => {
    await acceptAll(2);
    looks = [false, true];
    await work();
    expect(reconciled).toEqual([]);
    await work();
    expect(reconciled.flat()).toEqual(['1', '2']);
  });

  it('claims nothing more once it is on hold', async () => {
    reconcile = async () => {
      isOnHold = true;
    };
    await acceptAll(200);
    expect(await work()).toBeUndefined();
    expect(reconciled.flat().length).toBeLessThan(100);
    isOnHold = false;
    reconcile = async () => undefined;
    await work();
    expect(reconciled.flat()).toHaveLength(200);
  });

  it('reconciles by itself what carries files', async () => {
    prepare = async (row) => {
      await afterOthers(row);
      const { id } = row.ref;
      return { files: id === '2' ? [{ name: 'x' } as Message['files'][number]] : [] };
    };
    await acceptAll(4);
    await work();
    expect(reconciled).toEqual([['1'], ['2'], ['3', '4']]);
  });

  it('tells of what may stand already, whether the row says so or its preparation', async () => {
    const again: boolean[] = [];
    prepare = async (row) => {
      await afterOthers(row);
      return { mayExist: row.ref.id === '1' };
    };
    reconcile = async (batch) => {
      again.push(...batch.map(({ mayExist }) => mayExist));
      if (again.length <= 2) throw away();
    };
    await acceptAll(2);
    inbox.clock.ms += (await work()) ?? 0;
    await work();
    expect(again).toEqual([true, false, true, true]);
  });
});

describe('what fails in a partition', () => {
  it('is tried again until the last try, which is told so, and then given up', async () => {
    const lasts: boolean[] = [];
    prepare = async (_, last) => {
      lasts.push(last);
      throw away();
    };
    await acceptAll(1);
    while (givenUp.length === 0) inbox.clock.ms += (await work()) ?? 0;
    expect(lasts.length).toBeGreaterThan(2);
    expect(lasts.indexOf(true)).toBe(lasts.length - 1);
  });

  it('waits longer from try to try, and at least as long as it is told', async () => {
    reconcile = () => Promise.reject(away());
    await acceptAll(1);
    const waits: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      waits.push((await work()) ?? 0);
      inbox.clock.ms += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(new Set(waits).size).toBe(3);
    reconcile = () => Promise.reject(away(300_000));
    expect(await work()).toBe(300_000);
  });

  it('waits for nobody who asks for days', async () => {
    reconcile = () => Promise.reject(away(3 * 86_400_000));
    await acceptAll(1);
    expect(await work()).toBeLessThan(3_600_000);
  });

  it('is not given up for the tries of processes that were ended in the middle of them', async () => {
    await acceptAll(1);
    for (let ended = 1; ended <= 100; ended += 1) {
      await inbox.claim({ epoch: ended });
      await inbox.ours.takeOver(slotOf(PARTITION), { epoch: ended + 1 });
    }
    reconcile = () => Promise.reject(away());
    const tenure = { epoch: 101 };
    expect(await work(tenure)).toBeGreaterThan(0);
    expect(givenUp).toEqual([]);
  });

  it('for good is given up at once, and holds up nothing', async () => {
    prepare = async ({ ref: { id } }) => {
      if (id === '1') throw new AppError('bad-reply', 'unreadable');
      return {};
    };
    await acceptAll(2);
    expect(await work()).toBeUndefined();
    expect([givenUp, reconciled]).toEqual([['1'], [['2']]]);
  });

  it('leaves nothing behind in memory once it is given up', async () => {
    reconcile = () => Promise.reject(new AppError('bad-reply', 'unreadable'));
    await acceptAll(1);
    await work();
    expect([givenUp, jobs.size, registered.size]).toEqual([['1'], 0, 0]);
  });

  it('because of a fault of ours is tried again, and no message is given up for it', async () => {
    reconcile = () => Promise.reject(new Error('disk I/O error'));
    await acceptAll(1);
    inbox.clock.ms += (await work()) ?? 0;
    expect(givenUp).toEqual([]);
    reconcile = async () => undefined;
    await work();
    expect(reconciled).toEqual([['1']]);
  });

  it('is prepared once, however often it has to be reconciled', async () => {
    let prepared = 0;
    prepare = async () => {
      prepared += 1;
      return {};
    };
    reconcile = () => Promise.reject(away());
    await acceptAll(2);
    inbox.clock.ms += (await work()) ?? 0;
    reconcile = async () => undefined;
    await work();
    expect([prepared, reconciled]).toEqual([2, [['1', '2']]]);
  });
});

describe('a message that changes under the hands of a worker', () => {
  it('does not count as failed: it is prepared again at once, and its attempts stay the same', async () => {
    const attempts: number[] = [];
    reconcile = async ([first]) => {
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
    reconcile = async (batch) => {
      if (!isFirst) return batch.length;
      isFirst = false;
      return 1;
    };
    await acceptAll(3);
    expect(await work()).toBeUndefined();
    expect(prepared).toEqual(['1', '2', '3', '2']);
    expect(reconciled).toEqual([['1'], ['2', '3']]);
    expect([jobs.size, registered.size]).toEqual([0, 0]);
  });

  it('is prepared anew, and what was made of its former state is ended', async () => {
    const signals: AbortSignal[] = [];
    const texts: unknown[] = [];
    prepare = async ({ ref: { id }, message }, _, signal) => {
      if (id === '1') return {};
      signals.push(signal);
      texts.push(typeof message === 'string' ? message : plainText(message.text));
      return {};
    };
    reconcile = () => Promise.reject(away());
    await acceptAll(2);
    const waitMs = await work();
    await accept(messageOf(2, 'changed'));
    inbox.clock.ms += waitMs ?? 0;
    reconcile = async () => undefined;
    await work();
    expect(texts).toEqual(['hello', 'changed']);
    expect(signals.map(({ aborted }) => aborted)[0]).toBe(true);
  });
});
