import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDiscordApi } from '../../../adapters/discord/api.ts';
import { AppError } from '../../../src/errors.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { optionsFor } from './support.ts';

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
  const once = api.sendOnce('POST', `/channels/${id}/messages`, { body: { content: 'x' } });
  await expect(once).rejects.toMatchObject({ code: 'unavailable', retryable: true });
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
    const once = api.sendOnce('POST', `/channels/${id}/messages`, { body });
    await expect(once).rejects.toMatchObject({ code: 'unavailable', retryable: true });
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
