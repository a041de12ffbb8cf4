import { expect, it, onTestFinished, describe } from 'vitest';
import { createServiceClient } from '../../../src/api/client.ts';
import { PATHS } from '../../../src/api/contract.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { ASKER } from '../../fakes/asker.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { startSpeechFake } from '../../fakes/speech.ts';
import { createRetryBudget } from '../../../src/api/key-gates.ts';

const start = async () => {
  const fake = await startSpeechFake();
  const metrics = createMetrics();
  const clock = createHastyClock();
  const client = createServiceClient({
    baseUrl: fake.url,
    key: fake.key,
    retry: { random: () => 0, sleep: async () => {} },
    clock,
    metrics,
  });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  return {
    fake,
    clock,
    voices: () => client.voices({ ...ASKER, signal, deadlineMs: 60_000 }),
    read: async (name: string) => {
      const line = (await metrics.text())
        .split('\n')
        .find((one) => one.startsWith(`${name}{endpoint="voices"`));
      return line?.slice(name.length);
    },
  };
};

it('refusals are counted from zero, so that an alert sees the first', async () => {
  const { read } = await start();
  for (const name of ['dragoman_service_refused_total', 'dragoman_service_breaker_opened_total'])
    expect(await read(name)).toBe('{endpoint="voices"} 0');
});

it('each refusal of the service is counted, though the call is answered at last', async () => {
  const { fake, voices, read } = await start();
  fake.fail(PATHS.voices, { status: 429, headers: { 'retry-after': '1' } }, { status: 429 });
  await voices();
  expect(await read('dragoman_service_refused_total')).toBe('{endpoint="voices"} 2');
});

it('an endpoint that does not answer is told until it answers again', async () => {
  const { fake, clock, voices, read } = await start();
  fake.fail(PATHS.voices, ...Array.from({ length: 10 }, () => ({ status: 503 })));
  for (let call = 0; call < 5; call += 1) await voices().catch(() => undefined);
  expect(await read('dragoman_service_breakers_open')).toBe('{endpoint="voices"} 1');
  expect(await read('dragoman_service_breaker_opened_total')).toBe('{endpoint="voices"} 1');
  clock.ms += 3_000;
  await voices();
  expect(await read('dragoman_service_breakers_open')).toBe('{endpoint="voices"} 0');
});

const takeAll = (budget: ReturnType<typeof createRetryBudget>): number => {
  let taken = 0;
  while (budget.take()) taken += 1;
  return taken;
};

describe('the budget of retries', () => {
  it('has a few for small use, and gets them back with time', () => {
    let nowMs = 0;
    const budget = createRetryBudget(() => nowMs);
    expect(takeAll(budget)).toBe(10);
    nowMs = 30_000;
    expect(takeAll(budget)).toBe(3);
    nowMs = 10_000_000;
    expect(takeAll(budget)).toBe(10);
  });

  it('grows by a tenth of the calls', () => {
    const budget = createRetryBudget(() => 0);
    takeAll(budget);
    for (let call = 0; call < 500; call += 1) budget.called();
    expect(takeAll(budget)).toBeGreaterThanOrEqual(49);
    expect(takeAll(budget)).toBe(0);
  });

  it('saves up no more than a hundred', () => {
    const budget = createRetryBudget(() => 0);
    for (let call = 0; call < 10_000; call += 1) budget.called();
    expect(takeAll(budget)).toBe(100);
  });
});
