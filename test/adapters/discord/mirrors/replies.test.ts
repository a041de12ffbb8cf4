import { describe, expect, test } from 'vitest';
import type { Posted } from '../../../../src/model/place.ts';
import type { Mirror } from '../../../../src/ports/channel-feed.ts';
import { collect, never, placeOf } from '../support.ts';
import { firstLines, TWO_PARTS, type SetUp, withCopies } from './support.ts';

const { discord, setUp } = withCopies();

describe('a copy as a reply', () => {
  const reply = (here: ReturnType<SetUp>, text: string, part: Partial<Mirror> = {}): Mirror => {
    const said = here.from.say(here.ann, 'hello');
    return { source: here.sourceOf(said.id), content: { text }, label: '🇪🇸', ...part };
  };
  const post = async (here: ReturnType<SetUp>, copy: Mirror, again = false) =>
    collect(
      discord.watch.create(placeOf(here.guild, here.from), [copy], { again, signal: never() }),
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
    await discord.watch.remove(posted!, copy.source);
    expect(here.from.messages).toHaveLength(1);
    await post(here, copy);
    expect(here.from.last?.content).toBe('🇪🇸 hola');
  });

  test('grows and shrinks by parts when it is shown anew', async () => {
    const here = setUp();
    const copy = reply(here, 'corto');
    const [posted] = await post(here, copy);
    const long = { ...copy, content: { text: 'palabra '.repeat(400) } };
    const grown = await discord.watch.update(posted!, long);
    expect(here.from.messages.slice(1).map(({ content }) => content.split(' ', 2)[1])).toEqual([
      '1/2',
      '2/2',
    ]);
    const shrunk = await discord.watch.update(grown, copy);
    expect(shrunk.ids).toEqual(posted?.ids);
    expect(here.from.messages.slice(1).map(({ content }) => content)).toEqual(['🇪🇸 corto']);
  });
});

test('a sweep for some marks takes away the replies that begin with one of them', async () => {
  const { from, sourceOf, ann, guild } = setUp();
  const here = placeOf(guild, from);
  const source = sourceOf(from.say(ann, 'hello').id);
  const replies = ['🇪🇸', '🇯🇵'].map((mark) => ({ source, content: TWO_PARTS, mark }));
  for (const reply of replies)
    await collect(discord.watch.create(here, [reply], { again: false, signal: never() }));
  await discord.watch.removeOrphans(here, source, ['🇪🇸', '🎧']);
  expect(from.messages.slice(1).map(({ content }) => content.split(' ', 2).join(' '))).toEqual([
    '🇯🇵 1/2',
    '🇯🇵 2/2',
  ]);
});

test('a reply is found again that began with another mark, and told from one that is not it', async () => {
  const { from, sourceOf, ann, guild } = setUp();
  const here = placeOf(guild, from);
  const source = sourceOf(from.say(ann, 'hello').id);
  const post = async (copy: Partial<Mirror>, again: boolean) =>
    collect(
      discord.watch.create(here, [{ source, content: { text: 'x' }, label: '🇪🇸', ...copy }], {
        again,
        signal: never(),
      }),
    );
  const formerMarks = ['🇪🇸', '🇯🇵'];
  const [first] = await post({ label: '🇯🇵', formerMarks }, false);
  const [other] = await post({ label: '🇫🇷' }, false);
  const [found] = await post({ content: { text: 'hola' }, formerMarks }, true);
  expect(found).toEqual(first);
  expect(from.messages.slice(1).map(({ content }) => content)).toEqual(['🇪🇸 hola', '🇫🇷 x']);
  expect(from.last?.id).toBe(other?.ids[0]);
});

test('a reply is told apart from one whose mark only begins in the same way', async () => {
  const { from, copyOf } = setUp();
  const { as: _, ...england } = copyOf('hello', undefined, { label: '🏴󠁧󠁢󠁥󠁮󠁧󠁿' });
  const post = async (copy: Mirror): Promise<Posted[]> =>
    collect(discord.watch.create(copy.source.channel, [copy], { again: true, signal: never() }));
  await post(england);
  await post({ ...england, label: '🏴' });
  expect(firstLines(from.messages.slice(1))).toEqual(['🏴󠁧󠁢󠁥󠁮󠁧󠁿 HELLO', '🏴 HELLO']);
});
