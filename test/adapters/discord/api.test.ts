import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, getEventListeners, once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { createDiscordApi, createSharedLimits } from '../../../adapters/discord/api.ts';
import type { Quota } from '../../../src/ports/processes.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createEmbeddedQuota } from '../../../src/store/quota.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { voiceCertificate } from '../../fakes/discord/voice/trust.ts';
import { optionsFor } from './support.ts';
import { realClock } from '../../../src/async/clock.ts';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../src/errors.ts';

const log = silentLog;

describe('the requests of several processes', () => {
  it('take from one rate, but for those without the bot’s token', async () => {
    await using fake = await startDiscordFake({ limits: 'off' });
    const taken: unknown[] = [];
    const quota: Quota = {
      take: async (name, rate) => void taken.push([name, rate]),
      tryTake: async () => true,
      hold: async () => {},
    };
    const processes = { quota, isAlone: false };
    const limits = createSharedLimits({ processes, requestsPerSecond: 50, log, clock: realClock });
    const api = createDiscordApi({ ...optionsFor(fake), limits });
    const route = `/channels/${fake.guild().channel().id}` as const;
    await api.send('GET', route);
    await api.send('GET', route);
    const without = { auth: false, body: {} };
    for (const other of ['/interactions/1/x/callback', '/webhooks/1/x'] as const)
      await expect(api.sendOnce('POST', other, without)).rejects.toThrow('404');
    const rate = ['discord-requests', { perSecond: 40, burst: 5 }];
    expect(taken).toEqual([rate, rate]);
  });
});

it('webhooks and answers to interactions wait for no limit of all requests together', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const api = createDiscordApi({ ...optionsFor(fake), requestsPerSecond: 1 });
  const route = `/channels/${fake.guild().channel().id}` as const;
  await api.send('GET', route);
  const ended: string[] = [];
  const waiting = api.send('GET', route).then(() => ended.push('limited'));
  const options = { auth: false, body: {} };
  for (const path of ['/interactions/1/x/callback', '/webhooks/1/x'] as const)
    await api.sendOnce('POST', path, options).catch(() => ended.push(path));
  await waiting;
  expect(ended).toEqual(['/interactions/1/x/callback', '/webhooks/1/x', 'limited']);
});

describe('a refusal of all requests', () => {
  it('has all processes wait for as long as Discord says, or a second', async () => {
    const held: unknown[] = [];
    const quota: Quota = {
      take: async () => {},
      tryTake: async () => true,
      hold: async (name, ms) => void held.push([name, ms]),
    };
    const refuse = (isAlone: boolean, headers: Record<string, string>): void => {
      const processes = { quota, isAlone };
      const rest = new EventEmitter();
      createSharedLimits({ processes, requestsPerSecond: 50, log, clock: realClock }).watch(
        rest as never,
      );
      rest.emit('response', {}, { status: 429, headers: new Headers(headers) });
    };
    refuse(false, { 'retry-after': '3', 'x-ratelimit-global': 'true' });
    for (const bad of ['-1', 'soon', '', 'Infinity'])
      refuse(false, { 'retry-after': bad, 'x-ratelimit-global': 'true' });
    refuse(false, { 'x-ratelimit-global': 'true' });
    refuse(false, { 'retry-after': '3' });
    refuse(true, { 'retry-after': '3', 'x-ratelimit-global': 'true' });
    const second = ['discord-requests', 1_000];
    expect(held).toEqual([['discord-requests', 3_000], second, second, second, second, second]);
  });
});

describe('a wall clock that is set', () => {
  /** How far ahead the wall clock is for what a test does, so that they wait beside each other. */
  const ahead = new AsyncLocalStorage<{ ms: number }>();
  beforeAll(() => {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + (ahead.getStore()?.ms ?? 0));
  });
  afterAll(() => vi.mocked(Date.now).mockRestore());

  it.concurrent.each([
    ['back by a second', -1_000],
    ['forward by a second', 1_000],
    ['back by a minute', -60_000],
    ['forward by a minute', 60_000],
    ['back by an hour', -3_600_000],
    ['forward by an hour', 3_600_000],
    ['forward by 400 days', 400 * 86_400_000],
  ])('%s, and again as it was, keeps no request for longer than the limits do', async (_, ms) => {
    await using fake = await startDiscordFake({ limits: 'off' });
    const wall = { ms: 0 };
    await ahead.run(wall, async () => {
      const api = createDiscordApi({ ...optionsFor(fake), requestsPerSecond: 5 });
      const guild = fake.guild();
      const routes = Array.from({ length: 5 }, () => `/channels/${guild.channel().id}` as const);
      const ask = (): Promise<unknown> =>
        Promise.all(routes.map(async (route) => api.send('GET', route)));
      // The limit of the second is used up.
      await ask();
      wall.ms = ms;
      await ask();
      const waiting = ask();
      await setImmediate();
      wall.ms = 0;
      await waiting;
      await ask();
    });
  });
});

describe('invalid requests', () => {
  it('end all requests for a minute before Discord bans the address', async () => {
    const clock = createTestClock();
    const processes = { quota: createEmbeddedQuota(clock), isAlone: true };
    const limits = createSharedLimits({ processes, requestsPerSecond: 50, log, clock });
    const rest = new EventEmitter();
    limits.watch(rest as never);
    const refuse = async (times: number, scope: string): Promise<void> => {
      const headers = new Headers({ 'x-ratelimit-scope': scope });
      for (let count = 0; count < times; count += 1)
        rest.emit('response', {}, { status: 429, headers });
      await setImmediate();
    };
    await refuse(9_000, 'shared');
    await refuse(8_000, 'user');
    await limits.wait(true, undefined);
    await refuse(1, 'user');
    await expect(limits.wait(true, undefined)).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 60_000,
    });
    await clock.advance(60_000);
    await limits.wait(true, undefined);
  });
});

test('requests of every kind share what Discord takes in a second', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const guild = fake.guild();
  const api = createDiscordApi(optionsFor(fake, { requestsPerSecond: 5 }));
  const post = async (send: typeof api.send): Promise<unknown> =>
    send('POST', `/channels/${guild.channel().id}/messages`, { body: { content: 'x' } });
  // The library's second ends when this clock says so: it stands still, then the end is far away.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { send, sendOnce } = api;
  await Promise.all([send, sendOnce, send, sendOnce, send].map(post));
  vi.setSystemTime(Date.now() - 20_000);
  for (const either of [send, sendOnce])
    await expect(post(either)).rejects.toMatchObject({ code: 'rate-limited' });
  expect(fake.requests).toHaveLength(5);
});

test('requests leave nothing behind on a signal that outlives them, and end with it', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const api = createDiscordApi(optionsFor(fake));
  const stop = new AbortController();
  const { signal } = stop;
  const read = (): Promise<unknown> => api.send('GET', `/channels/${id}`, { signal });
  await Promise.all([read(), read()]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  fake.fail('GET /channels/:id', { hang: true });
  const hanging = read();
  await fake.until(() => fake.requests.length === 3);
  stop.abort();
  await expect(hanging).rejects.toMatchObject({ code: 'cancelled' });
  await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
});

test('a page that a proxy answers with is no answer of Discord', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const api = createDiscordApi(optionsFor(fake));
  const page = { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } };
  fake.fail('GET /channels/:id', page);
  expect(await api.send('GET', `/channels/${id}`)).toMatchObject({ id });
  expect(fake.requests).toHaveLength(2);
  fake.fail('POST /channels/:id/messages', page);
  const sentOnce = api.sendOnce('POST', `/channels/${id}/messages`, { body: { content: 'x' } });
  await expect(sentOnce).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('requests are made by HTTP/1.1, also to a server that offers HTTP/2', async () => {
  const { cert, key } = voiceCertificate();
  const versions: string[] = [];
  const server = createSecureServer({ cert, key, allowHTTP1: true }, ({ httpVersion }, answer) => {
    versions.push(httpVersion);
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, 'localhost');
  await once(server, 'listening');
  const former = getGlobalDispatcher();
  setGlobalDispatcher(new Agent({ connect: { ca: cert, checkServerIdentity: () => undefined } }));
  onTestFinished(async () => {
    setGlobalDispatcher(former);
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  await createDiscordApi({ url, token: 'x', requestsPerSecond: 50 }).send('GET', '/gateway');
  expect(versions).toEqual(['1.1']);
});

test('only what may arrive twice is sent again', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const api = createDiscordApi(optionsFor(fake));
  const count = (): number => fake.requests.length;
  for (const effect of [{ status: 502 }, { reset: 'before' }, { close: 'after' }] as const) {
    const body = { content: 'x' };
    const before = count();
    fake.fail('POST /channels/:id/messages', effect);
    await api.send('POST', `/channels/${id}/messages`, { body });
    expect(count()).toBe(before + 2);
    fake.fail('POST /channels/:id/messages', effect);
    const sentOnce = api.sendOnce('POST', `/channels/${id}/messages`, { body });
    await expect(sentOnce).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    expect(count()).toBe(before + 3);
  }
});

test('what is sent again waits longer each time, as long as nobody calls it off', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const waits: number[] = [];
  const stop = new AbortController();
  const api = createDiscordApi(
    optionsFor(fake, {
      random: () => 0.5,
      sleep: async (ms, signal) => {
        waits.push(ms);
        if (signal) stop.abort();
        signal?.throwIfAborted();
      },
    }),
  );
  fake.fail('GET /users/@me', { status: 503 }, { times: 3 });
  await api.send('GET', '/users/@me');
  expect(waits).toEqual([250, 500, 1_000]);
  fake.fail('GET /users/@me', { status: 503 }, { times: 3 });
  const called = api.send('GET', '/users/@me', { signal: stop.signal });
  await expect(called).rejects.toMatchObject({ code: 'cancelled' });
  expect(waits).toHaveLength(4);
});

test('a guard is asked after the waits of the library, too, right before each request', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const api = createDiscordApi(optionsFor(fake));
  const body = { content: 'x' };
  const form = { body, files: [{ name: 'x.txt', data: 'x' }] };
  // The library sends the requests of one route one after the other.
  fake.fail('POST /channels/:id/messages', { hang: true });
  const stop = new AbortController();
  const first = api.send('POST', `/channels/${id}/messages`, { body, signal: stop.signal });
  await fake.until(() => fake.requests.length === 1);
  let isHeld = true;
  const assertHeld = (): void => {
    if (!isHeld) throw new AppError('cancelled', 'lost');
  };
  const waiting = [{ body }, form].map((sent) =>
    api.send('POST', `/channels/${id}/messages`, { ...sent, assertHeld }),
  );
  const ended = Promise.allSettled(waiting);
  // By then they wait in the library.
  await setImmediate();
  isHeld = false;
  stop.abort();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  const lost = { status: 'rejected', reason: { code: 'cancelled', message: 'lost' } };
  expect(await ended).toMatchObject([lost, lost]);
  expect(fake.requests).toHaveLength(1);
  await api.send('POST', `/channels/${id}/messages`, form);
  expect(fake.requests).toHaveLength(2);
});
