import { expect, test } from 'vitest';
import { openDiscord, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));

const post = async (text = 'a secret text') => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  return discord.adapter.platform.post(placeOf(guild, channel), { text: rich(text) });
};

const refusal = (status: number, code: number) => ({ status, body: { message: 'No', code } });

test.each([
  [refusal(404, 10_003), 'not-found', false],
  [refusal(403, 50_001), 'forbidden', false],
  [refusal(403, 50_013), 'forbidden', false],
  // One person has blocked the bot: of this message alone.
  [refusal(403, 90_001), 'bad-input', false],
  [refusal(400, 30_046), 'rate-limited', true],
  [refusal(413, 40_005), 'too-large', false],
  [refusal(400, 50_035), 'bad-input', false],
] as const)('a refusal %j is told as %s', async (effect, code, retryable) => {
  discord.fake.fail('POST /channels/:id/messages', effect);
  await expect(post()).rejects.toMatchObject({ name: 'AppError', code, retryable });
});

test('a server in trouble and a lost connection can be tried again', async () => {
  discord.fake.fail('POST /channels/:id/messages', { status: 502 }, { times: 4 });
  await expect(post()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  discord.fake.fail('POST /channels/:id/messages', { close: 'before' }, { times: 4 });
  await expect(post()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('a token that is refused can be tried again, and until then it is not ready', async () => {
  const refused = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
  discord.fake.fail('POST /channels/:id/messages', refused, { times: 2 });
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await expect(post()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    expect(discord.adapter.ready()).toBe(false);
  }
  await post();
  expect(discord.adapter.ready()).toBe(true);
});

test('a long refusal says when to try again instead of making everybody wait', async () => {
  discord.fake.fail('POST /channels/:id/messages', {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: 40, global: false },
    headers: { 'retry-after': '40' },
  });
  await expect(post()).rejects.toMatchObject({
    code: 'rate-limited',
    retryable: true,
    retryAfterMs: expect.toSatisfy((ms: number) => ms >= 40_000 && ms < 41_000),
  });
});

test('an error keeps nothing of the text that was sent', async () => {
  discord.fake.fail('POST /channels/:id/messages', refusal(403, 50_013));
  const error: unknown = await post().catch((thrown: unknown) => thrown);
  const kept = JSON.stringify(error, Object.getOwnPropertyNames(error));
  expect(kept).not.toContain('secret');
  expect(kept).toContain('403');
});
