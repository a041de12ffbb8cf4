import { expect, test } from 'vitest';
import { createApi } from '../../../adapters/discord/api.ts';
import { startDiscordFake } from '../../fakes/discord/index.ts';
import { optionsFor } from './support.ts';

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
