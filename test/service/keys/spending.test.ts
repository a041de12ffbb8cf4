import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { createSpending, type Amounts } from '../../../service/keys/spending.ts';
import { openKeyStore } from '../../../service/keys/store.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { createKeys } from './support.ts';

const createDeps = () => {
  const keys = createKeys();
  keys.create('ada');
  keys.create('eve');
  const clock = createTestClock();
  const store = openKeyStore(keys.database, 0);
  const spending = createSpending({
    write: async (amounts) => store.spend(amounts),
    clock,
    log: createLog('silent'),
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
    await clock.advance(500);
    expect(creditOf('ada')).toBe(9_999_999_993);
  });

  it('is kept when a write fails, with what comes meanwhile, and counts once', async () => {
    const clock = createTestClock();
    const writes: Amounts[] = [];
    const results = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
    const spending = createSpending({
      write: (amounts) => {
        writes.push(amounts);
        return results[writes.length - 1]!.promise;
      },
      clock,
      log: createLog('silent'),
    });
    spending.add('a', 3);
    await clock.advance(500);
    spending.add('a', 4);
    expect(spending.unwritten('a')).toBe(7);
    results[0]!.reject(new Error('the disk is full'));
    await clock.advance(500);
    expect(spending.unwritten('a')).toBe(7);
    results[1]!.resolve(true);
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
      write: async (amounts) => store.spend(amounts),
      clock,
      log: createLog('silent'),
    });
    for (let at = 0; at < 20; at += 1) {
      spending.add(hashOf('ada'), 1);
      others.add(hashOf('ada'), 2);
      await clock.advance(500);
    }
    expect(creditOf('ada')).toBe(10_000_000_000 - 60);
  });
});
