import { expect, test } from 'vitest';
import { createApi } from '../../../adapters/discord/api.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { optionsFor } from './support.ts';

test('requests of every kind share what Discord takes in a second', async () => {
  await using fake = await startDiscordFake();
  const guild = fake.guild();
  const api = createApi(optionsFor(fake, { requestsPerSecond: 45 }));
  const post = async (send: typeof api.send) =>
    send('POST', `/channels/${guild.channel().id}/messages`, { body: { content: 'x' } });
  const all = Array.from({ length: 60 }, async (_, index) =>
    post(index % 2 === 0 ? api.send : api.sendOnce),
  );
  await Promise.all(all);
  expect(fake.requests.map(({ status }) => status)).not.toContain(429);
});

test('only what may arrive twice is sent again', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { id } = fake.guild().channel();
  const api = createApi(optionsFor(fake));
  const count = (): number => fake.requests.length;
  for (const effect of [{ status: 502 }, { reset: 'before' }] as const) {
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
