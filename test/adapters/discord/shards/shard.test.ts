import { expect, test } from 'vitest';
import { createIdentifyGate, type GatewayInfo } from '../../../../adapters/discord/shards/shard.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { createHastyClock } from '../../../fakes/clock.ts';

test('session starts that others used during the wait for a turn are not begun', async () => {
  let left = 1_000;
  let turns = 0;
  const limit = () => ({ total: 1_000, remaining: left, reset_after: 60_000, max_concurrency: 1 });
  const gate = createIdentifyGate({
    info: (async () => ({ session_start_limit: limit() })) as unknown as GatewayInfo,
    quota: {
      take: async () => {
        turns += 1;
        if (turns === 1) left = 50;
      },
      tryTake: async () => true,
      hold: async () => undefined,
    },
    log: silentLog,
    clock: createHastyClock((ms) => {
      // The wait for the reset of the day, after which all are there again.
      if (ms >= 60_000) left = 1_000;
    }),
    everyMs: 1,
  });
  await gate({ id: 0, count: 1, tenure: { isHeld: () => true } }, new AbortController().signal);
  expect(turns).toBe(2);
  expect(left).toBe(1_000);
});
