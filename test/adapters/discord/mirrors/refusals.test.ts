import { describe, expect, test } from 'vitest';
import { never } from '../support.ts';
import { isSecond, lastWords, REFUSED, TWO_PARTS, withCopies } from './support.ts';
import { row } from '../../../../src/rich-text/compose.ts';
import { rich } from '../../../fakes/rich-text.ts';

const { clock, discord, setUp } = withCopies();

describe('a copy of which Discord refuses a part for good', () => {
  test('leaves nothing behind, through a webhook', async () => {
    const { to, copyOf, post } = setUp();
    discord.fake.fail('POST /webhooks/:id/:token', REFUSED, { while: isSecond });
    const copy = copyOf('a', undefined, { content: TWO_PARTS });
    await expect(post([copy])).rejects.toMatchObject({ code: 'bad-input', retryable: false });
    expect(to.messages).toEqual([]);
  });

  test('nor by the bot, and can be posted when nothing of it is refused any more', async () => {
    const { to, copyOf, post, guild } = setUp();
    guild.revoke('ManageWebhooks');
    discord.fake.fail('POST /channels/:id/messages', REFUSED, { while: isSecond });
    const copy = copyOf('a', undefined, { content: TWO_PARTS });
    await expect(post([copy])).rejects.toMatchObject({ code: 'bad-input' });
    expect(to.messages).toEqual([]);
    discord.fake.heal();
    await post([copy]);
    expect(lastWords(to.messages)).toEqual(['1/2', '2/2']);
  });
});

describe('a copy that grows', () => {
  test('does not have a part twice when the answer to it was lost, through a webhook', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('short');
    const [posted] = await post([copy]);
    const long = { ...copy, content: TWO_PARTS };
    discord.fake.fail('POST /webhooks/:id/:token', { close: 'after' });
    await expect(discord.mirrors.update(posted!, long)).rejects.toMatchObject({ retryable: true });
    const grown = await discord.mirrors.update(posted!, long, { sinceMs: 0 });
    expect(lastWords(to.messages)).toEqual(['1/2', '2/2']);
    expect(grown.ids).toEqual(to.messages.map(({ id }) => id));
  });

  test('nor as a reply', async () => {
    const { from, copyOf } = setUp();
    const { as: _, ...reply } = copyOf('short', undefined, { key: 'watch', label: row('🇪🇸') });
    const copying = discord.mirrors.create({ channel: reply.source.channel }, [reply], {
      mayExist: false,
      signal: never(),
    });
    const [posted] = await Array.fromAsync(copying);
    const long = { ...reply, content: TWO_PARTS };
    discord.fake.fail('POST /channels/:id/messages', { close: 'after' }, { times: 4 });
    await expect(discord.mirrors.update(posted!, long)).rejects.toMatchObject({ retryable: true });
    await discord.mirrors.update(posted!, long, { sinceMs: 0 });
    const parts = from.messages.slice(1).map(({ content }) => content.split(' ', 2)[1]);
    expect(parts).toEqual(['1/2', '2/2']);
  });

  test('counts what it adds as posts of the webhook', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('short');
    const [posted] = await post([copy]);
    await discord.mirrors.update(posted!, { ...copy, content: TWO_PARTS });
    // Without what Discord tells of its limits, so that nothing but our own count makes them wait.
    discord.fake.fail(
      'POST /webhooks/:id/:token',
      { status: 200, body: { id: '1', channel_id: to.id } },
      { times: 4 },
    );
    const before = clock.ms;
    await post(Array.from({ length: 3 }, () => copyOf('more')));
    expect(clock.ms).toBe(before);
    await post([copyOf('too many')]);
    expect(clock.ms).toBeGreaterThan(before);
  });

  test('loses what it has added when the rest is refused for good', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('short');
    const [posted] = await post([copy]);
    discord.fake.fail('POST /webhooks/:id/:token', REFUSED, {
      while: ({ body }) => String(body['content']).includes(' 3/3'),
    });
    const long = { ...copy, content: { text: rich('word '.repeat(1_000)) } };
    await expect(discord.mirrors.update(posted!, long)).rejects.toMatchObject({
      code: 'bad-input',
    });
    expect(to.messages.map(({ id }) => id)).toEqual(posted?.ids);
  });
});

describe('a voice message where Discord takes none', () => {
  const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  const spoken = { text: rich('Words'), files: [file] };

  test.each(['webhook', 'bot'] as const)('stands as a file with its words (%s)', async (by) => {
    const { to, copyOf, post, guild } = setUp();
    if (by === 'bot') guild.revoke('ManageWebhooks');
    for (const route of ['POST /webhooks/:id/:token', 'POST /channels/:id/messages'])
      discord.fake.fail(
        route,
        { status: 403, body: { code: 50_173, message: 'Cannot send voice messages here' } },
        { while: ({ body }) => body['flags'] === 8_192 },
      );
    const copy = copyOf('hm', undefined, { content: spoken });
    const [posted] = await post([copy, copyOf('after')]);
    expect(to.messages).toHaveLength(2);
    expect(to.messages[0]?.content).toContain('Words');
    expect(to.messages[0]?.attachments).toHaveLength(1);
    expect((await post([copy], true))[0]?.ids).toEqual(posted?.ids);
    const changed = { ...copy, content: { ...spoken, text: rich('Better words') } };
    await discord.mirrors.update(posted!, changed);
    expect(to.messages[0]?.content).toContain('Better words');
    expect(to.messages[0]?.attachments).toHaveLength(1);
  });

  test.each(['webhook', 'bot'] as const)('for it lacks the permission, too (%s)', async (by) => {
    const { to, copyOf, post, guild } = setUp();
    to.deny('SendVoiceMessages');
    if (by === 'bot') guild.revoke('ManageWebhooks');
    await post([copyOf('hm', undefined, { content: spoken })]);
    expect(to.messages).toHaveLength(1);
    expect(to.messages[0]?.content).toContain('Words');
    expect(to.messages[0]?.attachments).toHaveLength(1);
  });
});

test('where the bot may not read what stands there, nothing is posted a second time', async () => {
  const { to, copyOf, post } = setUp();
  to.deny('ReadMessageHistory');
  const copy = copyOf('one');
  discord.fake.fail('POST /webhooks/:id/:token', { reset: 'after' });
  await expect(post([copy])).rejects.toMatchObject({ retryable: true });
  await expect(post([copy], true)).rejects.toMatchObject({ code: 'forbidden' });
  expect(to.messages).toHaveLength(1);
});
