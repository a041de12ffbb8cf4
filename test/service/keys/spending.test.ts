import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/telemetry/log.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createSpending, type Amounts } from '../../../service/keys/spending.ts';
import { openKeyStore, type KeyStore } from '../../../service/keys/store.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { createKeys } from './support.ts';

const DEPS = {
  pause: async () => undefined,
  nameOf: (hash: string) => `key ${hash}`,
  log: silentLog,
};
const writeOf = (store: KeyStore, amounts: Amounts): string | undefined =>
  store.spend(amounts) ? undefined : 'locked';

const createDeps = () => {
  const keys = createKeys();
  keys.create('ada');
  keys.create('eve');
  const clock = createTestClock();
  const store = openKeyStore(keys.database, 0);
  const spending = createSpending({
    ...DEPS,
    write: async (amounts) => writeOf(store, amounts),
    clock,
  });
  const hashOf = (name: string): string => keys.find(name)!.hash;
  const creditOf = (name: string): number => keys.find(name)!.creditNanoUsd;
  return { keys, clock, store, spending, hashOf, creditOf };
};

describe('what keys spend', () => {
  it('is written together after half a second, and known before', async () => {
    const { clock, spending, hashOf, creditOf } = createDeps();
    spending.add(hashOf('ada'), 3);
    spending.add(hashOf('ada'), 4);
    spending.add(hashOf('eve'), 5);
    expect(spending.unwritten(hashOf('ada'))).toBe(7);
    await clock.advance(499);
    expect(creditOf('ada')).toBe(10_000_000_000);
    await clock.advance(1);
    expect([creditOf('ada'), creditOf('eve')]).toEqual([9_999_999_993, 9_999_999_995]);
    expect(spending.unwritten(hashOf('ada'))).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  it('may take a credit below zero', async () => {
    const { clock, spending, hashOf, creditOf } = createDeps();
    spending.add(hashOf('ada'), 10_000_000_001);
    await clock.advance(500);
    expect(creditOf('ada')).toBe(-1);
  });

  it('is kept while another process writes, and written later', async () => {
    const { keys, clock, spending, hashOf, creditOf } = createDeps();
    const hash = hashOf('ada');
    const { DatabaseSync } = await import('node:sqlite');
    using other = new DatabaseSync(keys.database);
    other.exec('BEGIN IMMEDIATE');
    spending.add(hash, 3);
    await clock.advance(500);
    expect(spending.unwritten(hash)).toBe(3);
    other.exec('ROLLBACK');
    spending.add(hash, 4);
    await clock.advance(1_000);
    expect(creditOf('ada')).toBe(9_999_999_993);
  });

  it('is kept when a write fails, with what comes meanwhile, and counts once', async () => {
    const clock = createTestClock();
    const writes: Amounts[] = [];
    const results = [1, 2].map(() => Promise.withResolvers<string | undefined>());
    const spending = createSpending({
      write: (amounts) => {
        writes.push(amounts);
        return results[writes.length - 1]!.promise;
      },
      ...DEPS,
      clock,
    });
    spending.add('a', 3);
    await clock.advance(500);
    spending.add('a', 4);
    results[0]!.reject(new Error('the thread ended'));
    await clock.advance(0);
    expect(spending.unwritten('a')).toBe(7);
    await clock.advance(1_000);
    results[1]!.resolve(undefined);
    await spending[Symbol.asyncDispose]();
    expect(writes).toEqual([new Map([['a', 3]]), new Map([['a', 7]])]);
    expect([spending.unwritten('a'), clock.waiting]).toEqual([0, 0]);
  });

  it('is written at the end', async () => {
    const { spending, clock, hashOf, creditOf } = createDeps();
    spending.add(hashOf('ada'), 3);
    await spending[Symbol.asyncDispose]();
    expect(creditOf('ada')).toBe(9_999_999_997);
    expect(clock.waiting).toBe(0);
  });

  it('is not counted twice while it is being written', async () => {
    const { keys, clock, hashOf, creditOf } = createDeps();
    const answered = Promise.withResolvers<undefined>();
    using store = openKeyStore(keys.database, 0);
    const spending = createSpending({
      ...DEPS,
      write: async (amounts) => {
        store.spend(amounts);
        return answered.promise;
      },
      clock,
    });
    const hash = hashOf('ada');
    spending.add(hash, 6_000_000_000);
    await clock.advance(500);
    expect(creditOf('ada') - spending.unwritten(hash)).toBe(4_000_000_000);
    answered.resolve(undefined);
    await spending[Symbol.asyncDispose]();
  });

  it('is tried again less and less often while it cannot be written, with the reason in the log', async () => {
    const clock = createTestClock();
    const lines: string[] = [];
    let writes = 0;
    const spending = createSpending({
      ...DEPS,
      write: async () => {
        writes += 1;
        return writes < 9 ? 'the disk is full' : undefined;
      },
      clock,
      log: createLog('warn', { write: (line: string) => void lines.push(line) }),
    });
    spending.add('a', 3);
    // After half a second, and then after 1, 2, 4, 8, 16, 32, 60 and 60 s.
    await clock.advance(63_500);
    expect(writes).toBe(7);
    await clock.advance(119_999);
    expect(writes).toBe(8);
    expect(JSON.parse(lines[0]!)).toMatchObject({ reason: 'the disk is full' });
    await clock.advance(1);
    expect([writes, clock.waiting]).toEqual([9, 0]);
    spending.add('a', 3);
    await clock.advance(500);
    expect([writes, lines.length]).toEqual([10, 8]);
  });

  it('is tried several times at the end, and then told in the log', async () => {
    const lines: string[] = [];
    const waits: number[] = [];
    let writes = 0;
    const end = async (worksAt: number): Promise<void> => {
      writes = 0;
      const spending = createSpending({
        write: async () => ((writes += 1) < worksAt ? 'the disk is full' : undefined),
        pause: async (ms) => void waits.push(ms),
        nameOf: () => 'ada',
        clock: createTestClock(),
        log: createLog('warn', { write: (line: string) => void lines.push(line) }),
      });
      spending.add('a', 1_500_000_000);
      await spending[Symbol.asyncDispose]();
    };
    await end(3);
    expect([writes, waits]).toEqual([3, [500, 500]]);
    expect(lines.join('')).not.toContain('lost');
    await end(Infinity);
    expect(writes).toBe(3);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      lost: { ada: '1.50 USD' },
      msg: 'what keys spent is lost: it could not be written before the end',
    });
  });

  it('by a key that is revoked is not asked of a new one with its name', async () => {
    const { keys, clock, spending, hashOf, creditOf } = createDeps();
    spending.add(hashOf('ada'), 3);
    keys.run('revoke', 'ada');
    keys.create('ada');
    await clock.advance(500);
    expect(creditOf('ada')).toBe(10_000_000_000);
  });

  it('of two processes adds up', async () => {
    const { keys, clock, spending, hashOf, creditOf } = createDeps();
    using store = openKeyStore(keys.database, 0);
    const others = createSpending({
      ...DEPS,
      write: async (amounts) => writeOf(store, amounts),
      clock,
    });
    for (let at = 0; at < 20; at += 1) {
      spending.add(hashOf('ada'), 1);
      others.add(hashOf('ada'), 2);
      await clock.advance(500);
    }
    expect(creditOf('ada')).toBe(10_000_000_000 - 60);
  });
});
