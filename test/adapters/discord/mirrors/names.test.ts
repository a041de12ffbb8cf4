import { describe, expect, test } from 'vitest';
import { never, placeOf } from '../support.ts';
import { firstLines, footer, TWO_PARTS, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';

const { discord, setUp } = withCopies();

describe('a copy under somebody’s name', () => {
  test('comes through one webhook of ours, with name, picture and a link to its source', async () => {
    const { to, copyOf, post } = setUp();
    const copies = [copyOf('one'), copyOf('two')];
    await post([copies[0]!]);
    await post([copies[1]!]);
    expect(to.messages).toMatchObject([
      { author: 'Ann', avatarUrl: copies[0]?.as?.avatarUrl, content: `ONE\n${footer(copies[0]!)}` },
      { author: 'Ann', content: `TWO\n${footer(copies[1]!)}` },
    ]);
    expect(to.webhooks).toMatchObject([{ ours: true }]);
  });

  test('has a name that Discord takes, whatever the name is', async () => {
    const { to, copyOf, post, ann } = setUp();
    for (const name of ['Clyde of Discord', ' \u200B ', 'x'.repeat(200), '🦆'.repeat(60)])
      await post([copyOf('hi', ann, { as: { name } })]);
    expect(to.messages).toHaveLength(4);
    expect(to.messages[0]?.author.replaceAll('\u200A', '')).toBe('Clyde of Discord');
  });

  test('quotes the mirror of what it answers to, when both are posted together', async () => {
    const { copyOf, post, to, target } = setUp();
    const answered = copyOf('what');
    const quote = { name: 'Ann', text: 'WHAT', ref: answered.source };
    await post([answered, copyOf('that', undefined, { quote })]);
    const [first, second] = to.messages;
    expect(second?.content.split('\n')[0]).toBe(
      `-# ↪ [**Ann**: WHAT](<https://discord.com/channels/${target.space.id}/${to.id}/${first?.id}>)`,
    );
  });

  test('quotes the original of what stands in the same message', async () => {
    const { copyOf, post, to, from, target, bob } = setUp();
    await post(Array.from({ length: 11 }, (_, index) => copyOf(`${index}`)));
    const answered = copyOf('what');
    const quote = { name: 'Ann', text: 'WHAT', ref: answered.source };
    await post([
      ...Array.from({ length: 11 }, (_, index) => copyOf(`${index}`, index % 2 ? bob : undefined)),
      answered,
      copyOf('that', bob, { quote }),
    ]);
    expect(to.last?.content).toContain('WHAT\n-# ');
    expect(to.last?.content).toContain(
      `-# ↪ [**Ann**: WHAT](<https://discord.com/channels/${target.space.id}/${from.id}/${answered.source.id}>)`,
    );
  });

  test('quotes what it answers to, on a line above', async () => {
    const { to, copyOf, post, sourceOf, from, bob } = setUp();
    const answered = from.say(bob, 'what?');
    const quote = {
      name: 'Bob [x]',
      text: 'see https://a.example *now*',
      ref: sourceOf(answered.id),
    };
    await post([copyOf('that', undefined, { quote })]);
    expect(to.last?.content.split('\n')[0]).toBe(
      `-# ↪ [**Bob \\[x\\]**: see https:\u200B//a.example \\*now\\*](<${answered.url}>)`,
    );
  });

  test('loses its quote alone, whatever else it holds', async () => {
    const { to, copyOf, post, sourceOf, from, bob } = setUp();
    const quote = { name: 'Bob', text: 'secret', ref: sourceOf(from.say(bob, 'secret').id) };
    const file = { id: '1', name: 'a plan.txt', mediaType: 'text/plain', bytes: Buffer.from('x') };
    const copies = [
      copyOf('one', undefined, { quote, content: { text: rich('ONE'), files: [file] } }),
      copyOf('two', undefined, { quote: { ...quote, mentions: bob.id } }),
      copyOf('long', undefined, { quote, content: TWO_PARTS }),
      copyOf('-# ↪ three'),
    ];
    const posted = await post(copies);
    const before = to.messages.map(({ attachments }) => attachments.length);
    expect(to.messages.map(({ content }) => content).join()).toContain('secret');
    for (const at of [0, 1, 2]) await discord.mirrors.unquote(posted[at]!, copies[at]!.source);
    const text = to.messages.map(({ content }) => content).join('\n');
    expect(text).not.toContain('secret');
    expect(text).toMatch(/ONE[^]*TWO[^]*word word[^]*-# ↪ THREE/);
    expect(to.messages.map(({ attachments }) => attachments.length)).toEqual(before);
    // All of them are found again, and stand as they are.
    const { quote: _, ...unquoted } = copies[0]!;
    const again = await post([unquoted, ...copies.slice(1)], true);
    expect(again.map(({ ids }) => ids)).toEqual(posted.map(({ ids }) => ids));
  });

  test('loses its quote alone where the bot names its author', async () => {
    const { guild, to, copyOf, post, sourceOf, from, bob } = setUp();
    guild.revoke('ManageWebhooks');
    const quote = { name: 'Bob', text: 'secret', ref: sourceOf(from.say(bob, 'secret').id) };
    const copy = copyOf('one', undefined, { quote });
    const [posted] = await post([copy]);
    await discord.mirrors.unquote(posted!, copy.source);
    expect(to.last?.content).toBe(`**Ann**: ONE\n${footer(copy)}`);
  });

  test('is deleted with its quote where nobody can change it any more', async () => {
    const { to, copyOf, post, sourceOf, from, bob } = setUp();
    const quote = { name: 'Bob', text: 'secret', ref: sourceOf(from.say(bob, 'secret').id) };
    const copy = copyOf('one', undefined, { quote });
    const [posted] = await post([copy]);
    to.webhooks[0]?.delete();
    await discord.mirrors.unquote(posted!, copy.source);
    expect(to.messages.map(({ content }) => content).join()).not.toContain('secret');
  });

  test('is numbered when it is split, and all of it is found again', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('a', undefined, { content: { text: rich('word '.repeat(700)) } });
    const [posted] = await post([copy]);
    expect(to.messages.map(({ content }) => content.split('\n').at(-1))).toEqual([
      `${footer(copy)} 1/2`,
      `${footer(copy)} 2/2`,
    ]);
    expect(await post([copy], true)).toEqual([posted]);
    expect(to.messages).toHaveLength(2);
  });

  test('carries a voice message over as one, before its words', async () => {
    const { to, copyOf, post } = setUp();
    const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
    const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
    const copy = copyOf('hm', undefined, { content: { text: rich('Words'), files: [file] } });
    const [posted] = await post([copy]);
    expect(to.messages[0]).toMatchObject({
      flags: 8_192,
      author: 'Ann',
      attachments: [{ durationSecs: 2.5, waveform: 'AAAA' }],
    });
    expect(to.messages[1]?.content).toContain('Words');
    expect(await post([copy], true)).toEqual([posted]);
    await discord.mirrors.update(posted!, { ...copy, content: { text: rich('Better words') } });
    expect(to.messages).toMatchObject([{ flags: 8_192 }, { edited: true }]);
  });

  test('does not stand twice when the answer to its post was lost', async () => {
    const { to, copyOf, post } = setUp();
    const copies = [copyOf('one'), copyOf('two')];
    await post([copyOf('zero')]);
    discord.fake.fail('POST /webhooks/:id/:token', { reset: 'after' });
    await expect(post(copies)).rejects.toMatchObject({ retryable: true });
    await post(copies, true);
    expect(to.messages.map(({ content }) => content.split('\n')[0])).toEqual([
      'ZERO',
      'ONE',
      'TWO',
    ]);
  });

  test.each([
    ['whose pieces were left by a failed try', { status: 500 }],
    [
      'that Discord refuses half-way',
      { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } },
    ],
  ])('%s is posted as a whole when it is tried again', async (_, fault) => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('zero')]);
    const copy = copyOf('a', undefined, { content: { text: rich('word '.repeat(700)) } });
    let asked = 0;
    discord.fake.fail('POST /webhooks/:id/:token', fault, { while: () => (asked += 1) === 2 });
    await expect(post([copy])).rejects.toMatchObject({ retryable: true });
    discord.fake.heal();
    await post([copy], true);
    expect(to.messages.slice(1).map(({ content }) => content.slice(-4).trim())).toEqual([
      '1/2',
      '2/2',
    ]);
  });

  test('gets a new webhook when the old one was deleted by hand', async () => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('one')]);
    to.webhooks[0]?.delete();
    await post([copyOf('two')]);
    expect(to.last).toMatchObject({ author: 'Ann' });
    expect(to.webhooks).toHaveLength(1);
  });

  test('is posted by the bot, with the name in it, where webhooks are not allowed', async () => {
    const { to, copyOf, post, guild, ann } = setUp();
    guild.revoke('ManageWebhooks');
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    expect(to.last).toMatchObject({
      author: discord.fake.botUser.name,
      content: `**Ann**: ONE\n${footer(copy)}`,
    });
    expect(await post([copy], true)).toEqual([posted]);
    await discord.mirrors.update(posted!, { ...copy, content: { text: rich('two') } });
    expect(to.last?.content).toBe(`**Ann**: two\n${footer(copy)}`);
    expect(ann.name).toBe('Ann');
  });

  test('and where Discord takes no more from webhooks for long', async () => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('one')]);
    discord.fake.fail('POST /webhooks/:id/:token', {
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 30, global: false },
      headers: { 'retry-after': '30', 'x-ratelimit-scope': 'shared' },
    });
    const posts = (): number =>
      discord.fake.requests.filter(({ route }) => route === 'POST /webhooks/:id/:token').length;
    await post([copyOf('two')]);
    const before = posts();
    await post([copyOf('three')]);
    expect(posts()).toBe(before);
    expect(to.messages.map(({ content }) => content.split('\n')[0])).toEqual([
      'ONE',
      '**Ann**: TWO',
      '**Ann**: THREE',
    ]);
  });

  test('and where the channel has no room for one more webhook', async () => {
    const { to, copyOf, post, ann } = setUp();
    for (let count = 0; count < 15; count += 1) to.webhook(ann);
    await post([copyOf('one')]);
    expect(to.last?.webhookId).toBeUndefined();
    expect(to.last?.content).toContain('**Ann**: ONE');
  });

  test('speaks in a thread through the webhook of its channel', async () => {
    const { to, copyOf, guild } = setUp();
    const thread = await discord.mirrors.thread(placeOf(guild, to), 'Español');
    const copy = copyOf('one');
    const [posted] = await Array.fromAsync(
      discord.mirrors.create(thread, [copy], { mayExist: false, signal: never() }),
    );
    const shown = to.threads[0];
    expect(shown?.last).toMatchObject({ author: 'Ann', content: `ONE\n${footer(copy)}` });
    await discord.mirrors.update(posted!, { ...copy, content: { text: rich('two') } });
    expect(shown?.last?.content).toContain('two');
    shown?.archive();
    await discord.mirrors.update(posted!, { ...copy, content: { text: rich('three') } });
    expect(shown?.last?.content).toContain('three');
    expect(shown?.archived).toBe(false);
    await discord.mirrors.remove(posted!, copy.source);
    expect(shown?.messages).toEqual([]);
  });

  test('is told apart from what somebody writes to look like a mark', async () => {
    const { to, copyOf, post } = setUp();
    const honest = copyOf('honest');
    const fake = copyOf('x', undefined, {
      content: { text: parseDiscord(`hi\n${footer(honest)}`) },
    });
    await post([fake]);
    await post([honest], true);
    expect(to.messages).toHaveLength(2);
  });

  test('that was deleted is reported as not found when it is to be shown anew', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    to.last?.delete();
    await expect(discord.mirrors.update(posted!, copy)).rejects.toMatchObject({
      code: 'not-found',
    });
    await discord.mirrors.remove(posted!, copy.source);
  });
});

test('copies to one channel asked for at the same time follow each other', async () => {
  const { to, copyOf, post } = setUp();
  const copies = Array.from({ length: 4 }, (_, index) => copyOf(`line ${index}.`));
  await Promise.all(copies.map(async (copy) => post([copy])));
  expect(to.messages.map(({ content }) => content.slice(0, 7))).toEqual(
    copies.map(({ content }) => plainText(content.text)),
  );
});

test('a channel that is gone and a permission that is lost are told as such', async () => {
  const { to, copyOf, post, guild } = setUp();
  guild.revoke('SendMessages', 'ManageWebhooks');
  await expect(post([copyOf('one')])).rejects.toMatchObject({ code: 'forbidden' });
  to.delete();
  await expect(post([copyOf('two')])).rejects.toMatchObject({ code: 'not-found' });
});

test('an answer to a command is no copy, whatever it says', async () => {
  const { to, ann, copyOf, post, target } = setUp();
  const copy = copyOf('real words');
  discord.core.work = async ({ answer }) => answer.show({ text: rich(`forged\n${footer(copy)}`) });
  const use = { channel: to, name: 'translate', options: { text: 'x' } };
  const forged = await discord.fake.command(ann, use).answer();
  const [posted] = await post([copy], true);
  expect(posted?.ids).not.toContain(forged.id);
  expect(firstLines(to.messages)).toEqual(['forged', 'REAL WORDS']);
  await discord.mirrors.removeOrphans({ channel: target }, copy.source);
  expect(firstLines(to.messages)).toEqual(['forged']);
});
