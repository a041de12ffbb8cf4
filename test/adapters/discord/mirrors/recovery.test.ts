import { expect, test } from 'vitest';
import { never } from '../support.ts';
import { firstLines, lastWords, TWO_PARTS, withCopies } from './support.ts';

const { clock, discord, setUp } = withCopies();

const HISTORY = 'GET /channels/:id/messages';
const reads = (): number => discord.fake.requests.filter(({ route }) => route === HISTORY).length;
const EXECUTE = 'POST /webhooks/:id/:token';

test('a webhook’s post whose answer was lost is found however much was said since', async () => {
  const { to, bob, copyOf, post } = setUp();
  const copy = copyOf('one');
  discord.fake.fail(EXECUTE, { close: 'after' });
  await expect(post([copy])).rejects.toMatchObject({ retryable: true });
  for (let count = 0; count < 700; count += 1) to.say(bob, `later ${count}`);
  const [posted] = await post([copy], true);
  expect(firstLines(to.messages).filter((line) => line === 'ONE')).toHaveLength(1);
  expect(posted?.ids).toEqual([to.messages[0]?.id]);
});

test.each([
  ['one alone', 1],
  ['one of several in a message', 12],
])(
  'parts that an interrupted edit added to %s are found however much was said since',
  async (_, count) => {
    const { to, bob, copyOf, post } = setUp();
    await post(Array.from({ length: count - 1 }, (__, index) => copyOf(`${index}`)));
    const copy = copyOf('one');
    const [posted] = await post([copy]);
    const sinceMs = discord.fake.clock.now();
    const grown = { ...copy, content: TWO_PARTS };
    const route = posted?.handle?.startsWith('b') ? 'POST /channels/:id/messages' : EXECUTE;
    discord.fake.fail(route, { close: 'after' });
    await expect(discord.mirrors.update(posted!, grown)).rejects.toMatchObject({ retryable: true });
    for (let number = 0; number < 700; number += 1) to.say(bob, `later ${number}`);
    await discord.mirrors.update(posted!, grown, { sinceMs });
    const ours = to.messages.filter(({ content }) => content.includes('word'));
    expect(lastWords(ours)).toEqual(['1/2', '2/2']);
  },
);

test('an edit that is tried for the first time reads no history', async () => {
  const { copyOf, post } = setUp();
  const copy = copyOf('one');
  const [posted] = await post([copy]);
  const before = reads();
  await discord.mirrors.update(posted!, { ...copy, content: TWO_PARTS });
  expect(reads()).toBe(before);
});

test('a source of another platform is searched for from the time at which it was written', async () => {
  const { to, bob, copyOf, target } = setUp();
  const copy = copyOf('one');
  const elsewhere = { space: { platform: 'slack', id: 'T1' }, id: 'C1' };
  const mirror = { ...copy, source: { channel: elsewhere, id: '1700000000.000100' } };
  const sinceMs = discord.fake.clock.now();
  const post = async (mayExist: boolean) =>
    Array.fromAsync(
      discord.mirrors.create({ channel: target }, [mirror], { mayExist, sinceMs, signal: never() }),
    );
  discord.fake.fail(EXECUTE, { close: 'after' });
  await expect(post(false)).rejects.toMatchObject({ retryable: true });
  for (let count = 0; count < 700; count += 1) to.say(bob, `later ${count}`);
  const [posted] = await post(true);
  expect(posted?.ids).toEqual([to.messages[0]?.id]);
});

test('a backlog is searched for with one read of the history and what came since', async () => {
  const { to, bob, copyOf, post } = setUp();
  const copies = Array.from({ length: 160 }, (_, index) => copyOf(`line ${index}`));
  for (let count = 0; count < 320; count += 1) to.say(bob, `later ${count}`);
  const before = reads();
  for (let from = 0; from < copies.length; from += 16) {
    await post(copies.slice(from, from + 16), true);
    discord.fake.clock.advance(20_000);
    clock.ms += 20_000;
  }
  // Four pages, then one for each of the nine other batches.
  expect(reads() - before).toBe(13);
});

test('mirrors of many deleted messages are searched for with one read of the history', async () => {
  const { to, bob, copyOf, target } = setUp();
  const copies = Array.from({ length: 20 }, (_, index) => copyOf(`line ${index}`));
  for (let count = 0; count < 320; count += 1) to.say(bob, `later ${count}`);
  const before = reads();
  for (const { source } of copies) await discord.mirrors.removeOrphans({ channel: target }, source);
  expect(reads() - before).toBe(4 + 19);
});
