import { describe, expect, it } from 'vitest';
import { createAccounts } from '../../../service/keys/accounts.ts';
import { loadPrices } from '../../../service/keys/prices.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { createKeys } from './support.ts';

describe('an account that an open session holds', () => {
  it('follows its key: rates and access as they are now', async () => {
    const keys = createKeys();
    await using accounts = createAccounts({
      keys: [],
      stored: { database: keys.database, prices: await loadPrices() },
      log: silentLog,
      clock: createTestClock(),
    });
    const account = accounts.find(`Bearer ${keys.create('ada')}`);
    for (let times = 0; times < 10; times += 1) account.admit('speech');
    keys.run('change', 'ada', '--rate', '1/h', '--access', 'speech:pseudo');
    account.admit('speech');
    expect(() => account.admit('speech')).toThrow('Too many requests');
    expect(() => account.checkVoicesOf('espeak-ng')).toThrow('has no access');
    keys.run('change', 'ada', '--rate', 'none');
    account.admit('speech');
  });
});

describe('a credit', () => {
  const withCredit = async (credit: string) => {
    const keys = createKeys();
    const clock = createTestClock();
    const accounts = createAccounts({
      keys: [],
      stored: { database: keys.database, prices: await loadPrices() },
      log: silentLog,
      clock,
    });
    const key = keys.create('ada', '--credit', credit);
    return { accounts, begin: () => accounts.find(`Bearer ${key}`) };
  };
  /** A use of 0.0018 USD at most, and the engines that may do it. */
  const USE = { ability: 'translation', amount: 180 } as const;
  const ENGINES = ['apertium', 'openai'];

  it('is overdrawn by the last of many requests at once at most', async () => {
    const { accounts, begin } = await withCredit('0.01');
    await using _ = accounts;
    let taken = 0;
    for (let at = 0; at < 100; at += 1) {
      const account = begin();
      try {
        account.admit('translation');
        account.reserve(USE, ENGINES);
        taken += 1;
      } catch (error) {
        expect(error).toMatchObject({ named: 'ErrRateLimited', retryAfterMs: 1_000 });
      }
    }
    expect(taken).toBe(6);
  });

  it('gets back what a request did not cost, and all of one that failed', async () => {
    const { accounts, begin } = await withCredit('0.0025');
    await using _ = accounts;
    const [first, second, third] = [begin(), begin(), begin()] as const;
    for (const account of [first, second]) account.reserve(USE, ENGINES);
    expect(() => third.reserve(USE, ENGINES)).toThrow('Retry after 1s');
    first.charge({ ...USE, engine: 'apertium' });
    expect(() => third.reserve(USE, ENGINES)).toThrow('Retry after 1s');
    first.release();
    third.reserve(USE, ENGINES);
    expect(() => first.admit('translation')).toThrow('Retry after 1s');
    second.release();
    first.admit('translation');
  });

  it('stays reserved for one request whatever number another comes and goes with', async () => {
    const { accounts, begin } = await withCredit('0.0025');
    await using _ = accounts;
    const [first, odd, second, third] = [begin(), begin(), begin(), begin()] as const;
    first.reserve(USE, ENGINES);
    odd.reserve({ ...USE, amount: 1e30 }, ENGINES);
    odd.release();
    odd.reserve({ ...USE, amount: -1e6 }, ENGINES);
    second.reserve(USE, ENGINES);
    expect(() => third.reserve(USE, ENGINES)).toThrow('Retry after 1s');
  });

  it('that requests have reserved ends no open session', async () => {
    const { accounts, begin } = await withCredit('0.001');
    await using _ = accounts;
    const [request, session] = [begin(), begin()] as const;
    request.reserve(USE, ENGINES);
    session.checkOpen('realtime-recognition');
    request.charge({ ...USE, engine: 'openai' });
    expect(() => session.checkOpen('realtime-recognition')).toThrow('used up');
  });
});
