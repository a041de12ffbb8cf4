import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { login, request } from './login.ts';
import { setUp } from './set-up.ts';

test('an answer that is lost is sent again by discord.js; its nonce keeps it single', async () => {
  const { discord, channel } = await setUp({ speed: 20 });
  await using _ = discord;
  await using bot = await login(discord);
  const room = await bot.client.channels.fetch(channel.id);
  if (!room?.isSendable()) throw new Error('cannot write there');
  discord.fail('POST /channels/:id/messages', { reset: 'after' }, { times: 2 });
  await room.send({ content: 'once', nonce: 'n-1', enforceNonce: true });
  expect(channel.messages.map((one) => one.content)).toEqual(['once']);
  await room.send('twice');
  expect(discord.requests.filter((one) => one.route.startsWith('POST /ch'))).toHaveLength(4);
  discord.fail('POST /channels/:id/messages', { reset: 'after' });
  await room.send('doubled');
  expect(channel.messages.filter((one) => one.content === 'doubled')).toHaveLength(2);
});

test('a nonce counts for some minutes, in all channels, and is at most 25 characters', async () => {
  const { discord, guild, channel, post } = await setUp();
  await using _ = discord;
  const body = { content: 'x', nonce: '1', enforce_nonce: true };
  const first = await request(discord, post, body);
  expect((await request(discord, post, { ...body, content: 'y' })).body['id']).toBe(
    first.body['id'],
  );
  const elsewhere = guild.channel();
  const there = await request(discord, `POST /channels/${elsewhere.id}/messages`, body);
  expect(there.body['id']).toBe(first.body['id']);
  expect(elsewhere.messages).toEqual([]);
  await request(discord, post, { content: 'x', nonce: '1' });
  expect(channel.messages).toHaveLength(2);
  discord.clock.advance(6 * 60_000);
  await request(discord, post, body);
  expect(channel.messages).toHaveLength(3);
  channel.last?.delete();
  expect((await request(discord, post, body)).body).toMatchObject({ code: 10_008 });
  const long = await request(discord, post, { ...body, nonce: 'n'.repeat(26) });
  expect(long.body).toMatchObject({ code: 50035, errors: { nonce: { _errors: [{}] } } });
});

test.each([
  ['no text at all', { content: ' \n ' }, 50006, undefined],
  ['2,001 characters', { content: 'x'.repeat(2001) }, 50035, 'content'],
  [
    'eleven embeds',
    { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) },
    50035,
    'embeds',
  ],
  [
    '6,001 characters of embeds',
    { embeds: [1, 2, 3].map(() => ({ description: 'x'.repeat(2001) })) },
    50035,
    'embeds',
  ],
  ['an embed that shows nothing', { embeds: [{ color: 1 }] }, 50035, 'embeds'],
  [
    'a reply to nothing',
    { content: 'x', message_reference: { message_id: '1573312802024587264' } },
    50035,
    'message_reference',
  ],
  [
    'kinds and ids at once',
    { content: 'x', allowed_mentions: { parse: ['users'], users: ['1573312802024587264'] } },
    50035,
    'allowed_mentions',
  ],
  ['a file that is not there', { content: 'x', attachments: [{ id: '0' }] }, 50035, 'attachments'],
  ['a voice message without sound', { flags: 8192 }, 50160, undefined],
  [
    'a button without custom id',
    { content: 'x', components: [{ type: 1, components: [{ type: 2, style: 1, label: 'x' }] }] },
    50035,
    'components',
  ],
  [
    'six rows',
    {
      content: 'x',
      components: Array.from({ length: 6 }, (_, id) => ({
        type: 1,
        components: [{ type: 2, style: 1, label: 'x', custom_id: String(id) }],
      })),
    },
    50035,
    'components',
  ],
  [
    'one custom id twice',
    {
      content: 'x',
      components: [
        {
          type: 1,
          components: [1, 2].map(() => ({ type: 2, style: 1, label: 'x', custom_id: 'a' })),
        },
      ],
    },
    50035,
    'components',
  ],
  [
    'text beside Components V2',
    { content: 'x', flags: 32_768, components: [{ type: 10, content: 'y' }] },
    50035,
    'content',
  ],
  [
    '4,001 characters of Components V2',
    {
      flags: 32_768,
      components: [
        { type: 10, content: 'x'.repeat(2001) },
        { type: 10, content: 'x'.repeat(2000) },
      ],
    },
    50035,
    'components',
  ],
])('refuses %s', async (_what, body, code, field) => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  const answer = await request(discord, post, body);
  expect(answer.body['code']).toBe(code);
  if (field !== undefined) expect(answer.body['errors']).toHaveProperty(field);
  expect(channel.messages).toEqual([]);
});

test('counts characters, not UTF-16 units', async () => {
  const { discord, post } = await setUp();
  await using _ = discord;
  expect((await request(discord, post, { content: '🦊'.repeat(2000) })).status).toBe(200);
  expect((await request(discord, post, { content: '🦊'.repeat(2001) })).status).toBe(400);
});

test('a reply to a deleted message goes out alone where it may', async () => {
  const { discord, channel, ann, post } = await setUp();
  await using _ = discord;
  const gone = channel.say(ann, 'soon gone');
  gone.delete();
  const reference = { message_id: gone.id, fail_if_not_exists: false };
  const answer = await request(discord, post, { content: 'x', message_reference: reference });
  expect(answer.status).toBe(200);
  expect(channel.last?.replyTo).toBeUndefined();
});

test('each missing permission is refused as its own', async () => {
  const { discord, channel, ann, post } = await setUp();
  await using _ = discord;
  const said = channel.say(ann, 'x');
  const one = `/channels/${channel.id}/messages/${said.id}`;
  const codeOf = async (route: string, body?: unknown) =>
    (await request(discord, route, body)).body['code'];
  expect(await codeOf(`PATCH ${one}`, { content: 'mine now' })).toBe(50005);
  channel.deny(
    'ManageMessages',
    'ManageWebhooks',
    'CreatePublicThreads',
    'AddReactions',
    'EmbedLinks',
  );
  expect(await codeOf(`DELETE ${one}`)).toBe(50013);
  expect(await codeOf(`POST /channels/${channel.id}/webhooks`, { name: 'x' })).toBe(50013);
  expect(await codeOf(`POST ${one}/threads`, { name: 'x' })).toBe(50013);
  expect(await codeOf(`PUT ${one}/reactions/${encodeURIComponent('🇯🇵')}/@me`)).toBe(50013);
  expect(await codeOf(post, { embeds: [{ title: 'x' }] })).toBe(50013);
  channel.deny('ReadMessageHistory');
  expect(await codeOf(post, { content: 'x', message_reference: { message_id: said.id } })).toBe(
    160002,
  );
  expect(await codeOf(`GET ${one}`)).toBe(50013);
  channel.deny('SendMessages');
  expect(await codeOf(post, { content: 'x' })).toBe(50013);
  channel.deny('ViewChannel');
  expect(await codeOf(post, { content: 'x' })).toBe(50001);
  expect(await codeOf('GET /channels/1573312802024587264')).toBe(10003);
  expect(discord.invalidRequests).toBeGreaterThan(6);
});

test('history is paged newest first, with before, after and around', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  const all = Array.from({ length: 7 }, (_each, index) => channel.say(ann, String(index)));
  const page = async (query: string): Promise<string> => {
    const { body } = await request(discord, `GET /channels/${channel.id}/messages?${query}`);
    return (body as unknown as { content: string }[]).map((one) => one.content).join('');
  };
  expect(await page('limit=3')).toBe('654');
  expect(await page(`limit=2&before=${all[4]?.id}`)).toBe('32');
  expect(await page(`limit=3&after=${all[1]?.id}`)).toBe('432');
  expect(await page(`limit=3&around=${all[3]?.id}`)).toBe('432');
  const tooMany = await request(discord, `GET /channels/${channel.id}/messages?limit=101`);
  expect(tooMany.body['code']).toBe(50035);
});

test('notes whom a message would notify, and whom code and allowed_mentions spare', async () => {
  const { discord, guild, channel, ann, post } = await setUp();
  await using _ = discord;
  const role = guild.role('crew');
  const said = channel.say(ann, 'x');
  const loud = `@everyone <@&${role.id}> ${ann.mention}`;
  const reply = { message_reference: { message_id: said.id } };
  await request(discord, post, { content: loud, allowed_mentions: { parse: [] }, ...reply });
  await request(discord, post, {
    content: `\`${loud}\` \`\`\`\n${loud}\n\`\`\``,
    allowed_mentions: { parse: ['everyone', 'users', 'roles'] },
  });
  await request(discord, post, { content: 'x', flags: 4096, allowed_mentions: { parse: [] } });
  expect(discord.pings).toEqual([]);
  await request(discord, post, { content: `\\\`${ann.mention}\\\`` });
  expect(discord.pings.splice(0)).toHaveLength(1);
  const { body } = await request(discord, post, { content: loud, ...reply });
  const kinds = () => discord.pings.splice(0).map((one) => `${one.by} ${one.kind}`);
  expect(kinds()).toEqual(['post everyone', 'post role', 'post user', 'post reply']);
  guild.revoke('MentionEveryone');
  await request(discord, `PATCH /channels/${channel.id}/messages/${String(body['id'])}`, {
    content: `${loud}!`,
  });
  expect(kinds()).toEqual(['edit user']);
  const hook = await request(discord, `POST /channels/${channel.id}/webhooks`, { name: 'mirror' });
  const path = `POST /webhooks/${String(hook.body['id'])}/${String(hook.body['token'])}`;
  await request(discord, path, { content: loud });
  expect(kinds()).toEqual(['post user']);
  await request(discord, path, { content: loud, allowed_mentions: { parse: [] } });
  expect(kinds()).toEqual([]);
});

test('edits and deletions of people arrive; a preview that resolves is an update without an edit', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  await using bot = await login(discord);
  const heard: unknown[] = [];
  bot.client.on(Events.MessageUpdate, (_old, now) =>
    heard.push([now.content, now.editedTimestamp !== null]),
  );
  bot.client.on(Events.MessageDelete, (one) => heard.push(['deleted', one.id]));
  bot.client.on(Events.MessageBulkDelete, (many) => heard.push(['purged', many.size]));
  const said = channel.say(ann, 'https://example.org');
  said.resolveEmbeds();
  said.edit('changed');
  said.echo();
  said.delete();
  channel.purge([channel.say(ann, 'a'), channel.say(ann, 'b')]);
  await expect
    .poll(() => heard)
    .toEqual([
      ['https://example.org', false],
      ['changed', true],
      ['changed', true],
      ['deleted', said.id],
      ['purged', 2],
    ]);
});

test('a ban takes the recent messages along', async () => {
  const { discord, guild, channel, ann } = await setUp();
  await using _ = discord;
  const bob = discord.user();
  channel.say(ann, 'long ago');
  discord.clock.advance(7_200_000);
  channel.say(ann, 'just now');
  channel.say(bob, 'stays');
  guild.ban(ann, { deleteMessageSeconds: 3600 });
  expect(channel.messages.map((one) => one.content)).toEqual(['long ago', 'stays']);
  expect(() => channel.say(ann, 'again')).toThrow('banned');
});

test('messages older than an hour take few edits', async () => {
  const { discord, channel, post } = await setUp();
  await using _ = discord;
  discord.clock.stop();
  const { body } = await request(discord, post, { content: 'x' });
  discord.clock.advance(3_700_000);
  const path = `PATCH /channels/${channel.id}/messages/${String(body['id'])}`;
  const codes: unknown[] = [];
  for (const content of ['a', 'b', 'c', 'd'])
    codes.push((await request(discord, path, { content })).body['code']);
  expect(codes).toEqual([undefined, undefined, undefined, 30046]);
});

test('threads open under messages once, take messages, and wake when written to', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  await using bot = await login(discord);
  const said = channel.say(ann, 'a topic');
  const room = await bot.client.channels.fetch(channel.id);
  if (!room?.isTextBased()) throw new Error('no text there');
  const message = await room.messages.fetch(said.id);
  const thread = await message.startThread({ name: 'Translations' });
  await thread.send('inside');
  expect(said.thread?.last?.content).toBe('inside');
  await expect(message.startThread({ name: 'again' })).rejects.toMatchObject({
    code: 'MessageExistingThread',
  });
  const path = `POST /channels/${channel.id}/messages/${said.id}/threads`;
  expect((await request(discord, path, { name: 'again' })).body['code']).toBe(160_004);
  said.thread?.archive();
  await thread.send('awake');
  expect(said.thread?.archived).toBe(false);
  said.thread?.archive(true);
  await expect(thread.send('locked')).rejects.toMatchObject({ code: 50083 });
});

test('reactions come, go and are told', async () => {
  const { discord, channel, ann } = await setUp();
  await using _ = discord;
  await using bot = await login(discord);
  const told: unknown[] = [];
  bot.client.on(Events.MessageReactionAdd, (one, by) => told.push(['+', one.emoji.name, by.id]));
  bot.client.on(Events.MessageReactionRemove, (one, by) => told.push(['-', one.emoji.name, by.id]));
  const said = channel.say(ann, 'x');
  said.react(ann, '🇯🇵');
  said.unreact(ann, '🇯🇵');
  await expect
    .poll(() => told)
    .toEqual([
      ['+', '🇯🇵', ann.id],
      ['-', '🇯🇵', ann.id],
    ]);
  const path = `PUT /channels/${channel.id}/messages/${said.id}/reactions`;
  expect((await request(discord, `${path}/${encodeURIComponent('✅')}/@me`)).status).toBe(204);
  discord.clock.advance(1000);
  expect((await request(discord, `${path}/nonsense/@me`)).body['code']).toBe(10014);
  expect(said.reactions).toEqual([{ emoji: '✅', users: [discord.botUser.id] }]);
});
