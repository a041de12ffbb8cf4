import { describe, expect, test } from 'vitest';
import type { Posted } from '../../../../src/model/place.ts';
import type { Mirror } from '../../../../src/ports/mirrors.ts';
import { createDiscordAdapter } from '../../../../adapters/discord/adapter.ts';
import { createTestCore, never, optionsFor, placeOf } from '../support.ts';
import { firstLines, TWO_PARTS, type SetUp, withCopies } from './support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { labelled, lines, row } from '../../../../src/rich-text/compose.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';

const { discord, setUp } = withCopies();

/** The same platform as a new process has it. */
const anew = async () => {
  const adapter = createDiscordAdapter(optionsFor(discord.fake), createTestCore());
  await adapter.start();
  const { mirrors } = adapter.platform;
  if (!mirrors) throw new Error('Discord has no mirrors');
  return { mirrors, [Symbol.asyncDispose]: async () => adapter[Symbol.asyncDispose]() };
};

describe('a copy as a reply', () => {
  const reply = (here: ReturnType<SetUp>, text: string, part: Partial<Mirror> = {}): Mirror => {
    const said = here.from.say(here.ann, 'hello');
    return {
      source: here.sourceOf(said.id),
      content: { text: parseDiscord(text) },
      key: 'watch',
      label: row('🇪🇸'),
      ...part,
    };
  };
  const post = async (here: ReturnType<SetUp>, copy: Mirror, mayExist = false) =>
    Array.fromAsync(
      discord.mirrors.create({ channel: placeOf(here.guild, here.from) }, [copy], {
        mayExist,
        signal: never(),
      }),
    );

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

  test('in several languages has the mark of its language on each part, and is found again', async () => {
    const here = setUp();
    const [spanish, french] = [rich('uno '.repeat(700)), rich('deux '.repeat(300))];
    const copy = reply(here, '', {
      content: { text: lines(spanish, labelled(row('🇫🇷'), french)) },
      blocks: [
        { label: row('🇪🇸'), text: spanish },
        { label: row('🇫🇷'), text: french },
      ],
    });
    const [posted] = await post(here, copy);
    const shown = here.from.messages.slice(1).map(({ content }) => content);
    expect(shown.map((content) => content.slice(0, 8))).toEqual(['🇪🇸 1/3', '🇪🇸 2/3', '🇫🇷 3/3']);
    expect(shown.slice(0, 2).join('')).not.toContain('deux');
    expect(await post(here, copy, true)).toEqual([posted]);
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
    await post(here, { ...copy, content: { text: rich('nuevo') } }, true);
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
    await discord.mirrors.remove(posted!, copy.source);
    expect(here.from.messages).toHaveLength(1);
    await post(here, copy);
    expect(here.from.last?.content).toBe('🇪🇸 hola');
  });

  test('grows and shrinks by parts when it is shown anew', async () => {
    const here = setUp();
    const copy = reply(here, 'corto');
    const [posted] = await post(here, copy);
    const long = { ...copy, content: { text: rich('palabra '.repeat(400)) } };
    const grown = await discord.mirrors.update(posted!, long);
    expect(here.from.messages.slice(1).map(({ content }) => content.split(' ', 2)[1])).toEqual([
      '1/2',
      '2/2',
    ]);
    const shrunk = await discord.mirrors.update(grown, copy);
    expect(shrunk.ids).toEqual(posted?.ids);
    expect(here.from.messages.slice(1).map(({ content }) => content)).toEqual(['🇪🇸 corto']);
  });
});

test.each(['in one life', 'after a restart'])(
  'orphans of one key are removed without replies of another, %s',
  async (when) => {
    const { from, sourceOf, ann, guild } = setUp();
    const here = placeOf(guild, from);
    const source = sourceOf(from.say(ann, 'hello').id);
    const replies = ['🇪🇸', '🇯🇵'].map((label) => ({
      source,
      content: TWO_PARTS,
      label: row(label),
      key: `flag:${label}`,
    }));
    const posted: Posted[] = [];
    for (const reply of replies)
      posted.push(
        ...(await Array.fromAsync(
          discord.mirrors.create({ channel: here }, [reply], { mayExist: false, signal: never() }),
        )),
      );
    await using fresh = await anew();
    const { mirrors } = when === 'in one life' ? discord : fresh;
    const others = when === 'in one life' ? [] : posted.slice(1);
    await mirrors.removeOrphans({ channel: here }, source, { key: 'flag:🇪🇸', others });
    expect(from.messages.slice(1).map(({ content }) => content.split(' ', 2).join(' '))).toEqual([
      '🇯🇵 1/2',
      '🇯🇵 2/2',
    ]);
  },
);

test.each(['in one life', 'after a restart'])(
  'a reply is found again that began with another label, and told from one of another key, %s',
  async (when) => {
    const { from, sourceOf, ann, guild } = setUp();
    const here = placeOf(guild, from);
    const source = sourceOf(from.say(ann, 'hello').id);
    await using fresh = await anew();
    const post = async (copy: Partial<Mirror>, others?: readonly Posted[]) =>
      Array.fromAsync(
        (others && when !== 'in one life' ? fresh : discord).mirrors.create(
          { channel: here },
          [{ source, content: { text: rich('x') }, key: 'watch', label: row('🇪🇸'), ...copy }],
          { mayExist: others !== undefined, others: others ?? [], signal: never() },
        ),
      );
    const [first] = await post({ label: row('🇯🇵') });
    const [other] = await post({ key: 'flag:fr', label: row('🇫🇷') });
    const known = when === 'in one life' ? [] : [other!];
    const [found] = await post({ content: { text: rich('hola') } }, known);
    expect(found).toEqual(first);
    expect(from.messages.slice(1).map(({ content }) => content)).toEqual(['🇪🇸 hola', '🇫🇷 x']);
    expect(from.last?.id).toBe(other?.ids[0]);
  },
);

test('a reply is told apart from one whose mark only begins in the same way', async () => {
  const { from, copyOf } = setUp();
  const { as: _, ...england } = copyOf('hello', undefined, { label: row('🏴󠁧󠁢󠁥󠁮󠁧󠁿') });
  const post = async (copy: Mirror): Promise<Posted[]> =>
    Array.fromAsync(
      discord.mirrors.create({ channel: copy.source.channel }, [copy], {
        mayExist: true,
        signal: never(),
      }),
    );
  await post(england);
  await post({ ...england, key: 'flag:🏴', label: row('🏴') });
  expect(firstLines(from.messages.slice(1))).toEqual(['🏴󠁧󠁢󠁥󠁮󠁧󠁿 HELLO', '🏴 HELLO']);
});
