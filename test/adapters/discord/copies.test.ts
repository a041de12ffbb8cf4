import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MessageRef, Posted } from '../../../src/model.ts';
import type { Copy } from '../../../src/watch/port.ts';
import { collect, never, openDiscord, placeOf, type TestDiscord } from './support.ts';

let discord: TestDiscord;
/** Moves only when a test says so, and does not wait. */
const clock = {
  ms: 0,
  now: () => clock.ms,
  sleep: async (ms: number) => {
    clock.ms += ms;
    discord.fake.clock.advance(ms);
  },
};

beforeAll(async () => {
  discord = await openDiscord({}, { clock });
});
afterAll(async () => discord[Symbol.asyncDispose]());
beforeEach(() => {
  discord.fake.heal();
  discord.fake.clock.advance(61_000);
  clock.ms += 61_000;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const [from, to] = [guild.channel({ name: 'from' }), guild.channel({ name: 'to' })];
  const ann = discord.fake.user({ name: 'Ann' });
  const bob = discord.fake.user({ name: 'Bob' });
  const sourceOf = (id: string): MessageRef => ({ channel: placeOf(guild, from), id });
  const copyOf = (text: string, by = ann, part: Partial<Copy> = {}): Copy => {
    const said = from.say(by, text);
    return {
      source: sourceOf(said.id),
      content: { text: text.toUpperCase() },
      mark: '🌐 English',
      as: { name: by.name, avatarUrl: 'https://cdn.discordapp.com/embed/avatars/1.png' },
      ...part,
    };
  };
  const target = placeOf(guild, to);
  const post = async (copies: readonly Copy[], again = false): Promise<Posted[]> =>
    collect(discord.watch.copy(target, copies, { again, signal: never() }));
  return { guild, from, to, ann, bob, copyOf, target, post, sourceOf };
};

const footer = (copy: Copy): string => {
  const { channel, id } = copy.source;
  return `-# [${copy.mark}](<https://discord.com/channels/${channel.space.id}/${channel.id}/${id}>)`;
};

describe('a copy as a reply', () => {
  const reply = (here: ReturnType<typeof setUp>, text: string, part: Partial<Copy> = {}): Copy => {
    const said = here.from.say(here.ann, 'hello');
    return { source: here.sourceOf(said.id), content: { text }, mark: '🇪🇸', ...part };
  };
  const post = async (here: ReturnType<typeof setUp>, copy: Copy, again = false) =>
    collect(discord.watch.copy(placeOf(here.guild, here.from), [copy], { again, signal: never() }));

  test('stands under its message with its mark in front, and pings nobody', async () => {
    const here = setUp();
    discord.fake.pings.length = 0;
    const copy = reply(here, `hola ${here.bob.mention} @everyone`);
    await post(here, copy);
    expect(here.from.last).toMatchObject({
      content: `🇪🇸 hola ${here.bob.mention} @everyone`,
      replyTo: copy.source.id,
    });
    expect(discord.fake.pings).toEqual([]);
  });

  test('has its mark on a line of its own before a list or code', async () => {
    const here = setUp();
    await post(here, reply(here, '- uno\n- dos'));
    expect(here.from.last?.content).toBe('🇪🇸\n- uno\n- dos');
  });

  test('is found again instead of being posted twice, in all of its parts', async () => {
    const here = setUp();
    const copy = reply(here, 'palabra '.repeat(400));
    const [first] = await post(here, copy);
    expect(first?.ids).toHaveLength(2);
    const before = here.from.messages.length;
    const [found] = await post(here, copy, true);
    expect(found?.ids).toEqual(first?.ids);
    expect(here.from.messages).toHaveLength(before);
  });

  test('is made to show the newer text when it is found again', async () => {
    const here = setUp();
    const copy = reply(here, 'viejo');
    const [first] = await post(here, copy);
    await post(here, { ...copy, content: { text: 'nuevo' } }, true);
    expect(here.from.last).toMatchObject({ id: first?.ids[0], content: '🇪🇸 nuevo' });
  });

  test('does not stand twice when the answer to its post is lost', async () => {
    const here = setUp();
    discord.fake.fail('POST /channels/:id/messages', { reset: 'after' });
    await post(here, reply(here, 'hola'));
    expect(here.from.messages.filter(({ content }) => content === '🇪🇸 hola')).toHaveLength(1);
  });

  test('is refused when its message is gone', async () => {
    const here = setUp();
    const copy = reply(here, 'hola');
    here.from.messages.at(-1)?.delete();
    await expect(post(here, copy)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('can be posted anew after it was taken away', async () => {
    const here = setUp();
    const copy = reply(here, 'hola');
    const [posted] = await post(here, copy);
    await discord.watch.uncopy(posted!, copy.source);
    expect(here.from.messages).toHaveLength(1);
    await post(here, copy);
    expect(here.from.last?.content).toBe('🇪🇸 hola');
  });

  test('grows and shrinks by parts when it is shown anew', async () => {
    const here = setUp();
    const copy = reply(here, 'corto');
    const [posted] = await post(here, copy);
    const long = { ...copy, content: { text: 'palabra '.repeat(400) } };
    const grown = await discord.watch.recopy(posted!, long);
    expect(here.from.messages.slice(1).map(({ content }) => content.split(' ', 2)[1])).toEqual([
      '1/2',
      '2/2',
    ]);
    const shrunk = await discord.watch.recopy(grown, copy);
    expect(shrunk.ids).toEqual(posted?.ids);
    expect(here.from.messages.slice(1).map(({ content }) => content)).toEqual(['🇪🇸 corto']);
  });
});

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

  test('is numbered when it is split, and all of it is found again', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('a', undefined, { content: { text: 'word '.repeat(700) } });
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
    const voice = { durationMs: 2_500, waveform: 'AAAA' };
    const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
    const copy = copyOf('hm', undefined, { content: { text: 'Words', files: [file] } });
    const [posted] = await post([copy]);
    expect(to.messages[0]).toMatchObject({
      flags: 8_192,
      author: 'Ann',
      attachments: [{ durationSecs: 2.5, waveform: 'AAAA' }],
    });
    expect(to.messages[1]?.content).toContain('Words');
    expect(await post([copy], true)).toEqual([posted]);
    await discord.watch.recopy(posted!, { ...copy, content: { text: 'Better words' } });
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

  test('whose pieces were left by a failed try is posted whole', async () => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('zero')]);
    const copy = copyOf('a', undefined, { content: { text: 'word '.repeat(700) } });
    let asked = 0;
    discord.fake.fail(
      'POST /webhooks/:id/:token',
      { status: 500 },
      {
        while: () => (asked += 1) === 2,
      },
    );
    await expect(post([copy])).rejects.toMatchObject({ retryable: true });
    discord.fake.heal();
    await post([copy], true);
    expect(to.messages.slice(1).map(({ content }) => content.slice(-4).trim())).toEqual([
      '1/2',
      '2/2',
    ]);
  });

  test('that Discord refuses half-way is tried again as a whole', async () => {
    const { to, copyOf, post } = setUp();
    await post([copyOf('zero')]);
    const copy = copyOf('a', undefined, { content: { text: 'word '.repeat(700) } });
    let asked = 0;
    const refused = { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } };
    discord.fake.fail('POST /webhooks/:id/:token', refused, { while: () => (asked += 1) === 2 });
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
    await discord.watch.recopy(posted!, { ...copy, content: { text: 'two' } });
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
    const thread = await discord.watch.thread(placeOf(guild, to), 'Español');
    const copy = copyOf('one');
    const [posted] = await collect(
      discord.watch.copy(thread, [copy], { again: false, signal: never() }),
    );
    const shown = to.threads[0];
    expect(shown?.last).toMatchObject({ author: 'Ann', content: `ONE\n${footer(copy)}` });
    await discord.watch.recopy(posted!, { ...copy, content: { text: 'two' } });
    expect(shown?.last?.content).toContain('two');
    shown?.archive();
    await discord.watch.recopy(posted!, { ...copy, content: { text: 'three' } });
    expect(shown?.last?.content).toContain('three');
    expect(shown?.archived).toBe(false);
    await discord.watch.uncopy(posted!, copy.source);
    expect(shown?.messages).toEqual([]);
  });

  test('is told apart from what somebody writes to look like a mark', async () => {
    const { to, copyOf, post } = setUp();
    const honest = copyOf('honest');
    const fake = copyOf('x', undefined, { content: { text: `hi\n${footer(honest)}` } });
    await post([fake]);
    await post([honest], true);
    expect(to.messages).toHaveLength(2);
  });

  test('that was deleted is reported as not found when it is to be shown anew', async () => {
    const { to, copyOf, post } = setUp();
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    to.last?.delete();
    await expect(discord.watch.recopy(posted!, copy)).rejects.toMatchObject({ code: 'not-found' });
    await discord.watch.uncopy(posted!, copy.source);
  });
});

describe('more copies than webhooks may post', () => {
  test('arrive all, in their order, without one refusal', async () => {
    const { to, copyOf, post, ann, bob } = setUp();
    const copies = Array.from({ length: 60 }, (_, index) =>
      copyOf(`line ${index}.`, index % 3 === 0 ? bob : ann),
    );
    const before = discord.fake.invalidRequests;
    const posted = await post(copies);
    expect(posted).toHaveLength(60);
    const shown = to.messages.map(({ content }) => content).join('\n');
    const order = [...shown.matchAll(/LINE (\d+)\./g)].map(([, index]) => Number(index));
    expect(order).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(discord.fake.invalidRequests).toBe(before);
    expect(to.messages.length).toBeLessThan(30);
    expect(await post(copies, true)).toEqual(posted);
  });

  test('share messages in which each is changed and taken away by itself', async () => {
    const { to, copyOf, post, guild, ann, bob } = setUp();
    guild.revoke('ManageWebhooks');
    const copies = [copyOf('one', ann), copyOf('two', bob), copyOf('three', ann)];
    const posted = await post(copies);
    expect(to.messages).toHaveLength(1);
    await discord.watch.recopy(posted[1]!, { ...copies[1]!, content: { text: 'zwei' } });
    await discord.watch.uncopy(posted[0]!, copies[0]!.source);
    expect(to.last?.content).toBe(
      `**Bob**: zwei\n${footer(copies[1]!)}\n**Ann**: THREE\n${footer(copies[2]!)}`,
    );
    await expect(discord.watch.recopy(posted[0]!, copies[0]!)).rejects.toMatchObject({
      code: 'not-found',
    });
    const long = { ...copies[1]!, content: { text: 'long '.repeat(390) } };
    const own = await discord.watch.recopy(posted[1]!, long);
    expect(own.ids).not.toEqual(posted[1]?.ids);
    expect(to.messages[0]?.content).toBe(`**Ann**: THREE\n${footer(copies[2]!)}`);
    await discord.watch.uncopy(posted[2]!, copies[2]!.source);
    await discord.watch.uncopy(own, copies[1]!.source);
    expect(to.messages).toEqual([]);
  });

  test('of one person share a webhook message', async () => {
    const { to, copyOf, post } = setUp();
    const copies = Array.from({ length: 40 }, (_, index) => copyOf(`line ${index}.`));
    const posted = await post(copies);
    expect(to.messages.every(({ author }) => author === 'Ann')).toBe(true);
    await discord.watch.recopy(posted[1]!, { ...copies[1]!, content: { text: 'changed' } });
    expect(to.messages[0]?.content).toContain(`changed\n${footer(copies[1]!)}`);
  });
});

test('a sweep takes away whatever was posted of a source, and nothing else', async () => {
  const { to, from, copyOf, post, target, guild, ann } = setUp();
  const [lost, kept] = [copyOf('lost'), copyOf('kept')];
  await post([lost, kept]);
  await post([{ ...lost, mark: '⚠️ English' }]);
  await discord.watch.sweep(target, lost.source);
  expect(to.messages.map(({ content }) => content.split('\n')[0])).toEqual(['KEPT']);
  const said = from.say(ann, 'hello');
  const here = placeOf(guild, from);
  const reply: Copy = {
    source: { channel: here, id: said.id },
    content: { text: 'hola' },
    mark: '🇪🇸',
  };
  await collect(discord.watch.copy(here, [reply], { again: false, signal: never() }));
  await discord.watch.sweep(here, reply.source);
  expect(from.last?.id).toBe(said.id);
});

test('copies to one channel asked for at the same time follow each other', async () => {
  const { to, copyOf, post } = setUp();
  const copies = Array.from({ length: 4 }, (_, index) => copyOf(`line ${index}.`));
  await Promise.all(copies.map(async (copy) => post([copy])));
  expect(to.messages.map(({ content }) => content.slice(0, 7))).toEqual(
    copies.map(({ content }) => content.text),
  );
});

test('a channel that is gone and a permission that is lost are told as such', async () => {
  const { to, copyOf, post, guild } = setUp();
  guild.revoke('SendMessages', 'ManageWebhooks');
  await expect(post([copyOf('one')])).rejects.toMatchObject({ code: 'forbidden' });
  to.delete();
  await expect(post([copyOf('two')])).rejects.toMatchObject({ code: 'not-found' });
});

/** A copy that takes two messages. */
const TWO_PARTS = { text: 'word '.repeat(700) };
const REFUSED = {
  status: 400,
  body: { code: 200_000, message: 'Message was blocked by automatic moderation' },
};
const isSecond = ({ body }: { readonly body: Record<string, unknown> }): boolean =>
  String(body['content']).includes(' 2/2');
const firstLines = (messages: readonly { readonly content: string }[]): string[] =>
  messages.map(({ content }) => content.split('\n')[0] ?? '');
const lastWords = (messages: readonly { readonly content: string }[]): string[] =>
  messages.map(({ content }) => content.slice(-3));

describe('a copy that outgrows those it shares a message with', () => {
  test('leaves the others where they stand', async () => {
    const { to, copyOf, post, guild, bob } = setUp();
    guild.revoke('ManageWebhooks');
    const copies = [copyOf('one'), copyOf('two', bob)];
    const posted = await post(copies);
    const own = await discord.watch.recopy(posted[0]!, { ...copies[0]!, content: TWO_PARTS });
    expect(own.ids).not.toContain(posted[1]?.ids[0]);
    expect(firstLines(to.messages)[0]).toBe('**Bob**: TWO');
    expect(lastWords(to.messages.slice(1))).toEqual(['1/2', '2/2']);
    await discord.watch.recopy(own, copies[0]!);
    expect(firstLines(to.messages)).toEqual(['**Bob**: TWO', '**Ann**: ONE']);
  });

  test('stays when it was alone in it', async () => {
    const { to, copyOf, post, guild } = setUp();
    guild.revoke('ManageWebhooks');
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    const own = await discord.watch.recopy(posted!, { ...copy, content: TWO_PARTS });
    expect(own.ids[0]).toBe(posted?.ids[0]);
    expect(to.messages.map(({ id }) => id)).toEqual(own.ids);
  });
});

describe('a copy whose webhook was deleted by hand', () => {
  const setUpLost = async (count = 1) => {
    const here = setUp();
    const copies = Array.from({ length: count }, (_, index) => here.copyOf(`line ${index}`));
    const posted = await here.post(copies);
    here.to.webhooks[0]?.delete();
    return { ...here, copies, copy: copies[0]!, posted: posted[0]! };
  };

  test('is taken away by the bot', async () => {
    const { to, copy, posted } = await setUpLost();
    await discord.watch.uncopy(posted, copy.source);
    expect(to.messages).toEqual([]);
  });

  test('is swept away by the bot', async () => {
    const { to, copy, target } = await setUpLost();
    await discord.watch.sweep(target, copy.source);
    expect(to.messages).toEqual([]);
  });

  test('is posted anew when it is to be shown anew', async () => {
    const { to, copy, posted } = await setUpLost();
    const anew = await discord.watch.recopy(posted, { ...copy, content: { text: 'two' } });
    expect(firstLines(to.messages)).toEqual(['two']);
    expect(anew.ids).toEqual([to.last?.id]);
  });

  test('stays, and this is told, where the bot may not take it away', async () => {
    const { to, copy, posted, guild } = await setUpLost();
    guild.revoke('ManageMessages');
    await expect(discord.watch.recopy(posted, copy)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(discord.watch.uncopy(posted, copy.source)).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(to.messages).toHaveLength(1);
  });

  test('goes with its neighbours when it is taken away, and stays with them otherwise', async () => {
    const { to, copies, posted } = await setUpLost(40);
    const long = { ...copies[0]!, content: TWO_PARTS };
    const before = to.messages.length;
    for (const copy of [{ ...copies[0]!, content: { text: 'short' } }, long])
      await expect(discord.watch.recopy(posted, copy)).rejects.toMatchObject({ code: 'forbidden' });
    expect(to.messages).toHaveLength(before);
    await discord.watch.uncopy(posted, copies[0]!.source);
    expect(to.messages.map(({ content }) => content).join()).not.toContain('LINE 0');
  });
});

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
    await expect(discord.watch.recopy(posted!, long)).rejects.toMatchObject({ retryable: true });
    const grown = await discord.watch.recopy(posted!, long);
    expect(lastWords(to.messages)).toEqual(['1/2', '2/2']);
    expect(grown.ids).toEqual(to.messages.map(({ id }) => id));
  });

  test('nor as a reply', async () => {
    const { from, copyOf } = setUp();
    const { as: _, ...reply } = copyOf('short', undefined, { mark: '🇪🇸' });
    const copying = discord.watch.copy(reply.source.channel, [reply], {
      again: false,
      signal: never(),
    });
    const [posted] = await collect(copying);
    const long = { ...reply, content: TWO_PARTS };
    discord.fake.fail('POST /channels/:id/messages', { close: 'after' });
    await expect(discord.watch.recopy(posted!, long)).rejects.toMatchObject({ retryable: true });
    await discord.watch.recopy(posted!, long);
    const parts = from.messages.slice(1).map(({ content }) => content.split(' ', 2)[1]);
    expect(parts).toEqual(['1/2', '2/2']);
  });

  test('counts what it adds as posts of the webhook', async () => {
    const { copyOf, post } = setUp();
    const copy = copyOf('short');
    const [posted] = await post([copy]);
    await discord.watch.recopy(posted!, { ...copy, content: TWO_PARTS });
    // Without what Discord tells of its limits, so that nothing but our own count makes them wait.
    discord.fake.fail(
      'POST /webhooks/:id/:token',
      { status: 200, body: { id: '1' } },
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
    const long = { ...copy, content: { text: 'word '.repeat(1_000) } };
    await expect(discord.watch.recopy(posted!, long)).rejects.toMatchObject({ code: 'bad-input' });
    expect(to.messages.map(({ id }) => id)).toEqual(posted?.ids);
  });
});

describe('a voice message where Discord takes none', () => {
  const voice = { durationMs: 2_500, waveform: 'AAAA' };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  const spoken = { text: 'Words', files: [file] };

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
    const changed = { ...copy, content: { ...spoken, text: 'Better words' } };
    await discord.watch.recopy(posted!, changed);
    expect(to.messages[0]?.content).toContain('Better words');
    expect(to.messages[0]?.attachments).toHaveLength(1);
  });
});

test('a reply is told apart from one whose mark only begins in the same way', async () => {
  const { from, copyOf } = setUp();
  const { as: _, ...england } = copyOf('hello', undefined, { mark: '🏴󠁧󠁢󠁥󠁮󠁧󠁿' });
  const post = async (copy: Copy): Promise<Posted[]> =>
    collect(discord.watch.copy(copy.source.channel, [copy], { again: true, signal: never() }));
  await post(england);
  await post({ ...england, mark: '🏴' });
  expect(firstLines(from.messages.slice(1))).toEqual(['🏴󠁧󠁢󠁥󠁮󠁧󠁿 HELLO', '🏴 HELLO']);
});

test('what is left of a copy in a shared message is taken away without its neighbours', async () => {
  const { to, copyOf, post, guild, bob } = setUp();
  guild.revoke('ManageWebhooks');
  const copies = [copyOf('one'), copyOf('two', bob)];
  await post(copies);
  const voice = { durationMs: 2_500, waveform: 'AAAA' };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  await post([{ ...copies[0]!, content: { text: 'spoken', files: [file] } }], true);
  expect(firstLines(to.messages)).toEqual(['**Bob**: TWO', '', '**Ann**: spoken']);
});
