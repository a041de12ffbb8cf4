import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createAccounts } from '../service/keys/accounts.ts';
import { hashKey, makeKey } from '../service/keys/key.ts';
import { loadPrices } from '../service/keys/prices.ts';
import type { Amounts } from '../service/keys/spending.ts';
import { openKeyStore } from '../service/keys/store.ts';
import { createWriteThread } from '../service/keys/write-thread.ts';
import { createLog } from '../src/telemetry/log.ts';
import { comparePair, fixed, printTable, quantile } from './measure.ts';

/** Costs of a key for a request: looking it up and letting it pay, against a write for each request. */

const KEYS = 1_000;
const database = join(mkdtempSync(join(tmpdir(), 'dragoman-bench-')), 'service.db');
const keys = Array.from({ length: KEYS }, makeKey);
using store = openKeyStore(database, 0);
for (const [at, key] of keys.entries())
  store.create({
    hash: hashKey(key).toString('hex'),
    name: `key-${at}`,
    access: 'all',
    creditNanoUsd: 10_000_000_000,
    rate: null,
    asrRate: null,
    createdAt: '',
  });
await using accounts = createAccounts({
  keys: [makeKey()],
  stored: { database, prices: await loadPrices() },
  log: createLog('silent'),
});

let at = 0;
const nextKey = (): string => keys[(at += 1) % KEYS]!;
const pay = (): void => {
  const account = accounts.find(`Bearer ${nextKey()}`);
  account.admit('translation');
  account.charge({ ability: 'translation', engine: 'pseudo', amount: 100 });
};
const writeEach = (): void => {
  const hash = hashKey(nextKey()).toString('hex');
  if (store.find(hash)) store.spend(new Map([[hash, 100_000]]));
};

const { oursUs, commonUs, ratio } = await comparePair(pay, writeEach, { rounds: 9, calls: 5_000 });

/** Milliseconds for which each of many writes of 100 keys stops everything else. */
const stopsMs = async (write: (amounts: Amounts) => unknown): Promise<readonly number[]> => {
  const amounts = new Map(
    keys.slice(0, 100).map((key) => [hashKey(key).toString('hex'), 1] as const),
  );
  const took: number[] = [];
  for (let round = 0; round < 2_000; round += 1) {
    const startMs = performance.now();
    const written = write(amounts);
    took.push(performance.now() - startMs);
    await written;
    await turn();
  }
  return took;
};
await using thread = createWriteThread(database);
await thread.spend(new Map());
const ours = await stopsMs(async (amounts) => thread.spend(amounts));
const common = await stopsMs((amounts) => store.spend(amounts));

const row = (what: string, share: number) => {
  const [mine, theirs] = [quantile(ours, share), quantile(common, share)];
  return {
    what,
    ours: `${fixed(mine)} ms`,
    common: `${fixed(theirs)} ms: in the same thread`,
    ratio: fixed(mine / theirs, 3),
  };
};
printTable('Keys of the service', [
  {
    what: 'a request: key, access, credit, price',
    ours: `${fixed(oursUs, 1)} µs`,
    common: `${fixed(commonUs, 1)} µs: a write for each`,
    ratio: fixed(ratio),
  },
  row('writing what 100 keys spent stops all else, median', 0.5),
  row('the same, longest of 2,000', 0.9999),
]);
