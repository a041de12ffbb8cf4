import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createDiscordApi } from '../../../adapters/discord/api.ts';
import { declareDiscordMetrics } from '../../../adapters/discord/metrics.ts';
import { realClock } from '../../../src/async/clock.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { optionsFor } from './support.ts';

const read = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<number> => {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
};

test('requests that Discord counts as invalid are counted, but for limits that others share', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const metrics = createMetrics();
  const { watchRequests } = declareDiscordMetrics(metrics, realClock);
  const api = createDiscordApi(optionsFor(fake));
  api.watch(watchRequests);
  const get = () => api.send('GET', `/channels/${id}`).catch(() => undefined);
  const limited = (scope: string) => ({
    status: 429,
    body: { message: 'slow', retry_after: 0.001, global: false },
    headers: { 'x-ratelimit-scope': scope, 'retry-after': '0.001' },
  });
  await get();
  fake.fail('GET /channels/:id', { status: 403, body: { message: 'no', code: 50_001 } });
  await get();
  fake.fail('GET /channels/:id', limited('user'));
  await get();
  fake.fail('GET /channels/:id', limited('shared'));
  await get();
  expect(await read(metrics, 'dragoman_discord_invalid_requests_total')).toBe(2);
  expect(await read(metrics, 'dragoman_platform_rate_limited_total{platform="discord"}')).toBe(2);
});

test('sessions are counted by how they start', async () => {
  const metrics = createMetrics();
  const client = new EventEmitter();
  declareDiscordMetrics(metrics, realClock).watchSessions(client as never);
  client.emit('shardReady', 0);
  client.emit('shardReady', 1);
  client.emit('shardResume', 0, 5);
  expect(await read(metrics, 'dragoman_discord_sessions_total{start="identified"}')).toBe(2);
  expect(await read(metrics, 'dragoman_discord_sessions_total{start="resumed"}')).toBe(1);
});

test('the session starts left are those that Discord said last, and all of them after its reset', async () => {
  const metrics = createMetrics();
  let nowMs = 1_000;
  const { noteStarts } = declareDiscordMetrics(metrics, { nowMs: () => nowMs });
  const limit = { total: 1_000, max_concurrency: 1, reset_after: 60_000 };
  const left = 'dragoman_discord_session_starts_left';
  expect(await metrics.text()).not.toContain(`\n${left} `);
  noteStarts({ ...limit, remaining: 400 });
  noteStarts({ ...limit, remaining: 399 });
  expect(await read(metrics, left)).toBe(399);
  nowMs += 60_000;
  expect(await read(metrics, left)).toBe(1_000);
  expect(await read(metrics, 'dragoman_discord_session_starts_allowed')).toBe(1_000);
});
