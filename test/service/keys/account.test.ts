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
