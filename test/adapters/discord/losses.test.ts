import { beforeEach, describe, expect, test } from 'vitest';
import { createDiscordApi } from '../../../adapters/discord/api.ts';
import type { Posted } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { request } from '../../fakes/discord/login.ts';
import { never, openDiscord, optionsFor, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { row } from '../../../src/rich-text/compose.ts';
import { shared } from '../../fakes/opened.ts';

/** Moves only when a test says so, and does not wait. */
const clock = createHastyClock();

const discord = shared(() => openDiscord({ limits: 'off' }, { clock }));
beforeEach(() => {
  discord.fake.heal();
  clock.ms += 600_000;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const [from, to] = [guild.channel({ name: 'from' }), guild.channel({ name: 'to' })];
  const ann = discord.fake.user({ name: 'Ann' });
  const target = placeOf(guild, to);
  const copyOf = (text: string, part: Partial<Mirror> = {}): Mirror => ({
    source: { channel: placeOf(guild, from), id: from.say(ann, text).id },
    content: { text: rich(text) },
    key: 'watch',
    label: row('🌐 English'),
    as: { name: 'Ann' },
    ...part,
  });
  const post = async (copies: readonly Mirror[], mayExist = false): Promise<Posted[]> =>
    Array.fromAsync(
      discord.mirrors.create({ channel: target }, copies, { mayExist, signal: never() }),
    );
  return { guild, from, to, ann, target, copyOf, post };
};

const firstLines = (messages: readonly { readonly content: string }[]): string[] =>
  messages.map(({ content }) => content.split('\n')[0] ?? '');
const asked = (route: string): number =>
  discord.fake.requests.filter((one) => one.route === route).length;

const POST_HOOK = 'POST /webhooks/:id/:token';
const MAKE_HOOK = 'POST /channels/:id/webhooks';
const TWO_PARTS = { text: rich('word '.repeat(700)) };

describe('the webhook of a channel', () => {
  test('that has another token since is found anew', async () => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('one')]);
    const refused = { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 } };
    discord.fake.fail(POST_HOOK, refused);
    await post([copyOf('two')]);
    expect(to.last).toMatchObject({ author: 'Ann' });
    expect(firstLines(to.messages)).toEqual(['one', 'two']);
    expect(discord.adapter.ready()).toBe(true);
  });

  test('is made once, though the answer was lost', async () => {
    const { to, copyOf, post } = setUp();
    discord.fake.fail(MAKE_HOOK, { reset: 'after' });
    await expect(post([copyOf('one')])).rejects.toMatchObject({ retryable: true });
    await post([copyOf('two')]);
    expect(to.webhooks).toHaveLength(1);
    expect(to.last).toMatchObject({ author: 'Ann' });
  });

  test('cannot be had where the server has as many as it may', async () => {
    const { to, copyOf, post } = setUp();
    const full = { status: 400, body: { message: 'Too many', code: 30_058 } };
    discord.fake.fail(MAKE_HOOK, full);
    await post([copyOf('one')]);
    expect(firstLines(to.messages)).toEqual(['**Ann**: one']);
  });

  test('is asked for again in five minutes after a refusal, and not before', async () => {
    const { guild, copyOf, post } = setUp();
    guild.revoke('ManageWebhooks');
    const before = asked('GET /channels/:id/webhooks');
    for (const waitMs of [0, 299_000, 2_000]) {
      clock.ms += waitMs;
      await post([copyOf('x')]);
    }
    expect(asked('GET /channels/:id/webhooks')).toBe(before + 2);
  });

  test.each([
    ['stays when it is of somebody else', 'others'],
    ['is ours when we made it', 'ours'],
  ])('%s', async (_what, whose) => {
    const { to, ann, copyOf, post } = setUp();
    if (whose === 'others') to.webhook(ann);
    else await request(discord.fake, `POST /channels/${to.id}/webhooks`, { name: 'made before' });
    const { id } = to.webhooks[0]!;
    await post([copyOf('one')]);
    expect(to.last?.webhookId === id).toBe(whose === 'ours');
  });
});

describe('when Discord takes no more from webhooks for a while', () => {
  test.each([20, 50])('they are used again after it: %i s', async (seconds) => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('one')]);
    discord.fake.fail(POST_HOOK, {
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
      headers: { 'retry-after': String(seconds), 'x-ratelimit-scope': 'shared' },
    });
    await post([copyOf('two')]);
    for (const [waitMs, text] of [
      [seconds * 1_000 - 1_000, 'three'],
      [2_000, 'four'],
    ] as const) {
      clock.ms += waitMs;
      await post([copyOf(text)]);
    }
    expect(firstLines(to.messages)).toEqual(['one', '**Ann**: two', '**Ann**: three', 'four']);
  });
});

describe('copies that are looked for again', () => {
  test('keep their order when only one in the middle was posted', async () => {
    const { to, copyOf, post } = setUp();
    const copies = ['one', 'two', 'three'].map((text) => copyOf(text));
    await post([copies[1]!]);
    const posted = await post(copies, true);
    expect(firstLines(to.messages)).toEqual(['two', 'one', 'three']);
    expect(posted.map(({ ids }) => ids[0])).toEqual([1, 0, 2].map((at) => to.messages[at]?.id));
  });

  test('are found among all that was written since', async () => {
    const { to, ann, copyOf, post } = setUp();
    const copy = copyOf('one');
    await post([copy]);
    for (let count = 0; count < 250; count += 1) to.say(ann, 'chat');
    await post([copy], true);
    expect(to.messages).toHaveLength(251);
  });
});

test('what could not be taken away for now stays, and is taken away the next time', async () => {
  const { guild, to, copyOf, post } = setUp();
  guild.revoke('ManageMessages');
  const copy = copyOf('one');
  const [posted] = await post([copy]);
  discord.fake.fail(
    'DELETE /webhooks/:id/:token/messages/:id',
    { status: 502 },
    { while: () => true },
  );
  const taking = discord.mirrors.remove(posted!, copy.source);
  await expect(taking).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(to.messages).toHaveLength(1);
  discord.fake.heal();
  await discord.mirrors.remove(posted!, copy.source);
  expect(to.messages).toEqual([]);
});

test('a reply is no reply where its message does not stand', async () => {
  const { to, copyOf, post } = setUp();
  const { as: _, ...plain } = copyOf('one');
  await post([plain]);
  expect(to.last).toMatchObject({ content: '🌐 English one', replyTo: undefined });
});

test('a copy that is cut off half-way keeps what stands, to be found again', async () => {
  const { guild, to, copyOf, post } = setUp();
  guild.revoke('ManageWebhooks');
  const copy = copyOf('long', { content: TWO_PARTS });
  const stop = new AbortController();
  discord.fake.fail(
    'POST /channels/:id/messages',
    { hang: true },
    { while: ({ body }) => String(body['content']).includes(' 2/2') && (stop.abort(), true) },
  );
  const copying = discord.mirrors.create({ channel: placeOf(guild, to) }, [copy], {
    mayExist: false,
    signal: stop.signal,
  });
  await expect(Array.fromAsync(copying)).rejects.toMatchObject({ code: 'cancelled' });
  const deletes = asked('DELETE /channels/:id/messages/:id');
  expect(to.messages).toHaveLength(1);
  discord.fake.heal();
  await post([copy], true);
  expect(to.messages.map(({ content }) => content.slice(-3))).toEqual(['1/2', '2/2']);
  expect(asked('DELETE /channels/:id/messages/:id')).toBe(deletes + 1);
});

describe('a request', () => {
  test('that was called off is not sent again', async () => {
    const { to } = setUp();
    const stop = new AbortController();
    const route = `/channels/${to.id}/messages` as const;
    let times = 0;
    discord.fake.fail(
      'GET /channels/:id/messages',
      { reset: 'before' },
      { while: () => ((times += 1), stop.abort(), true) },
    );
    const api = createDiscordApi(optionsFor(discord.fake));
    const reading = api.send('GET', route, { signal: stop.signal });
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    expect(times).toBe(1);
  });

  test.each(['webhooks', 'interactions'] as const)(
    'that fails names no token of its path: %s',
    async (kind) => {
      const token = 'aSecretToken_-1';
      const api = createDiscordApi(optionsFor(discord.fake));
      const route = `/${kind}/1573312802024587264/${token}/callback` as const;
      const asking = api.send('POST', route, { auth: false });
      await expect(asking).rejects.toThrow(/^(?!.*aSecretToken).*15733128/);
    },
  );

  test('whose own token is refused says nothing of the bot’s', async () => {
    const refused = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
    const { copyOf, post } = setUp();
    await post([copyOf('one')]);
    discord.fake.fail(POST_HOOK, refused);
    await expect(post([copyOf('two')])).rejects.toMatchObject({ code: 'unavailable' });
    expect(discord.adapter.ready()).toBe(true);
  });
});
