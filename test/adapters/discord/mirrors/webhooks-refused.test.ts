import { expect, test } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { never, openDiscord, placeOf, type TestDiscord } from '../support.ts';
import { row } from '../../../../src/rich-text/compose.ts';
import { rich } from '../../../fakes/rich-text.ts';

const setUp = (discord: TestDiscord) => {
  const guild = discord.fake.guild();
  const from = guild.channel({ name: 'from' });
  const ann = discord.fake.user({ name: 'Ann' });
  const copyTo = async (to: Channel) => {
    const source = { channel: placeOf(guild, from), id: from.say(ann, 'hello').id };
    const copy = {
      source,
      content: { text: rich('HOLA') },
      key: 'watch',
      label: row('🌐 Spanish'),
      as: { name: 'Ann' },
    };
    return Array.fromAsync(
      discord.mirrors.create({ channel: to }, [copy], { mayExist: false, signal: never() }),
    );
  };
  return { guild, copyTo };
};

const MANY = { message: 'You are being rate limited.', retry_after: 3_000, global: false };

test('while a server takes no more webhooks the bot itself posts, and soon it is asked again', async () => {
  const clock = createHastyClock();
  await using discord = await openDiscord({ limits: 'off' }, { clock });
  const { guild, copyTo } = setUp(discord);
  const to = guild.channel({ name: 'to' });
  discord.fake.fail('POST /channels/:id/webhooks', {
    status: 429,
    body: MANY,
    headers: { 'retry-after': '3000' },
  });
  const asked = (): number =>
    discord.fake.requests.filter(({ route }) => route === 'POST /channels/:id/webhooks').length;
  await copyTo(placeOf(guild, to));
  await copyTo(placeOf(guild, to));
  expect(to.messages.map(({ content }) => content.includes('HOLA'))).toEqual([true, true]);
  expect(to.messages.map(({ author }) => author)).not.toContain('Ann');
  expect(asked()).toBe(1);
  clock.ms += 300_000;
  await copyTo(placeOf(guild, to));
  expect(asked()).toBe(2);
  expect(discord.core.logged.join('')).toContain('no webhook');
});

test('the permission for webhooks is noticed when it is granted', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { guild, copyTo } = setUp(discord);
  const to = guild.channel({ name: 'to' });
  const authors = (): string[] => to.messages.map(({ author }) => author);
  guild.revoke('ManageWebhooks');
  await copyTo(placeOf(guild, to));
  expect(authors()).not.toContain('Ann');
  to.allow('ManageWebhooks');
  const next = async () => {
    await copyTo(placeOf(guild, to));
    return authors().at(-1);
  };
  await expect.poll(next).toBe('Ann');
});

test('a channel whose webhooks are all in use is told of, once one was needed', async () => {
  await using discord = await openDiscord({ limits: 'off' });
  const { guild, copyTo } = setUp(discord);
  const to = placeOf(guild, guild.channel({ name: 'to' }));
  discord.fake.fail('POST /channels/:id/webhooks', {
    status: 400,
    body: { code: 30_007, message: 'Maximum number of webhooks reached (15)' },
  });
  expect(await discord.feed.drawback?.(to, 'mirror')).toBeUndefined();
  await copyTo(to);
  expect(await discord.feed.drawback?.(to, 'mirror')).toMatchObject({
    key: 'watch.webhooks-full',
  });
});
