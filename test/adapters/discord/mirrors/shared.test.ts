import { describe, expect, test } from 'vitest';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { never, placeOf } from '../support.ts';
import { firstLines, footer, lastWords, TWO_PARTS, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { row } from '../../../../src/rich-text/compose.ts';

const { discord, setUp } = withCopies();

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
    await discord.mirrors.update(posted[1]!, { ...copies[1]!, content: { text: rich('zwei') } });
    await discord.mirrors.remove(posted[0]!, copies[0]!.source);
    expect(to.last?.content).toBe(
      `**Bob**: zwei\n${footer(copies[1]!)}\n**Ann**: THREE\n${footer(copies[2]!)}`,
    );
    await expect(discord.mirrors.update(posted[0]!, copies[0]!)).rejects.toMatchObject({
      code: 'not-found',
    });
    const long = { ...copies[1]!, content: { text: rich('long '.repeat(390)) } };
    const own = await discord.mirrors.update(posted[1]!, long);
    expect(own.ids).not.toEqual(posted[1]?.ids);
    expect(to.messages[0]?.content).toBe(`**Ann**: THREE\n${footer(copies[2]!)}`);
    await discord.mirrors.remove(posted[2]!, copies[2]!.source);
    await discord.mirrors.remove(own, copies[1]!.source);
    expect(to.messages).toEqual([]);
  });

  test('are found, changed and taken away where there is no room for links', async () => {
    const { to, copyOf, post, guild, ann, bob } = setUp();
    guild.revoke('ManageWebhooks');
    const words = 'said by one of many people in a busy channel';
    const copies = Array.from({ length: 16 }, (_, index) =>
      copyOf(`${index} ${words}`, index % 2 === 0 ? ann : bob),
    );
    const posted = await post(copies);
    expect(to.messages).toHaveLength(1);
    expect(to.last?.content).not.toContain('https');
    expect(await post(copies, true)).toEqual(posted);
    const changed = { ...copies[1]!, content: { text: rich('zwei') } };
    expect(await discord.mirrors.update(posted[1]!, changed)).toEqual(posted[1]);
    expect(await post([changed], true)).toEqual([posted[1]]);
    for (const { source } of copies.slice(2))
      await discord.mirrors.removeOrphans({ channel: placeOf(guild, to) }, source);
    await discord.mirrors.remove(posted[0]!, copies[0]!.source);
    expect(to.last?.content).toMatch(/^\*\*Bob\*\*: zwei\n-# 🌐 English · `[0-9a-f]{10}`$/);
  });

  test('of one person share a webhook message', async () => {
    const { to, copyOf, post } = setUp();
    const copies = Array.from({ length: 40 }, (_, index) => copyOf(`line ${index}.`));
    const posted = await post(copies);
    expect(to.messages.every(({ author }) => author === 'Ann')).toBe(true);
    await discord.mirrors.update(posted[1]!, { ...copies[1]!, content: { text: rich('changed') } });
    expect(to.messages[0]?.content).toContain(`changed\n${footer(copies[1]!)}`);
  });
});

describe('a copy that outgrows those it shares a message with', () => {
  test('leaves the others where they stand', async () => {
    const { to, copyOf, post, guild, bob } = setUp();
    guild.revoke('ManageWebhooks');
    const copies = [copyOf('one'), copyOf('two', bob)];
    const posted = await post(copies);
    const own = await discord.mirrors.update(posted[0]!, { ...copies[0]!, content: TWO_PARTS });
    expect(own.ids).not.toContain(posted[1]?.ids[0]);
    expect(firstLines(to.messages)[0]).toBe('**Bob**: TWO');
    expect(lastWords(to.messages.slice(1))).toEqual(['1/2', '2/2']);
    await discord.mirrors.update(own, copies[0]!);
    expect(firstLines(to.messages)).toEqual(['**Bob**: TWO', '**Ann**: ONE']);
  });

  test('stays when it was alone in it', async () => {
    const { to, copyOf, post, guild } = setUp();
    guild.revoke('ManageWebhooks');
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    const own = await discord.mirrors.update(posted!, { ...copy, content: TWO_PARTS });
    expect(own.ids[0]).toBe(posted?.ids[0]);
    expect(to.messages.map(({ id }) => id)).toEqual(own.ids);
  });
});

test('what is left of a copy in a shared message is taken away without its neighbours', async () => {
  const { to, copyOf, post, guild, bob } = setUp();
  guild.revoke('ManageWebhooks');
  const copies = [copyOf('one'), copyOf('two', bob)];
  await post(copies);
  const voice = { durationMs: 2_500, loudness: [0, 0, 0] };
  const file = { name: 'v.ogg', mediaType: 'audio/ogg', bytes: new Uint8Array(64), voice };
  await post([{ ...copies[0]!, content: { text: rich('spoken'), files: [file] } }], true);
  expect(firstLines(to.messages)).toEqual(['**Bob**: TWO', '', '**Ann**: spoken']);
});

test('a sweep takes away whatever was posted of a source, and nothing else', async () => {
  const { to, from, copyOf, post, target, guild, ann } = setUp();
  const [lost, kept] = [copyOf('lost'), copyOf('kept')];
  await post([lost, kept]);
  await post([{ ...lost, label: row('⚠️ English') }]);
  await discord.mirrors.removeOrphans({ channel: target }, lost.source);
  expect(to.messages.map(({ content }) => content.split('\n')[0])).toEqual(['KEPT']);
  const said = from.say(ann, 'hello');
  const here = placeOf(guild, from);
  const reply: Mirror = {
    source: { channel: here, id: said.id },
    content: { text: rich('hola') },
    key: 'watch',
    label: row('🇪🇸'),
  };
  await Array.fromAsync(
    discord.mirrors.create({ channel: here }, [reply], { mayExist: false, signal: never() }),
  );
  await discord.mirrors.removeOrphans({ channel: here }, reply.source);
  expect(from.last?.id).toBe(said.id);
});
