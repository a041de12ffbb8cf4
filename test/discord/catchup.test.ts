import { expect, it } from 'vitest';
import type { FakeMessage, FakeUser } from '../fakes/discord/index.ts';
import { forgetCopies } from '../fakes/forget-copies.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { copyOf } from './shown.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();

/** The control of a message whose `press` begins so. */
const pressOf = ({ components }: FakeMessage, begins: string): string | undefined =>
  components
    .flatMap((row) => (row['components'] as { custom_id: string }[]).map(({ custom_id: id }) => id))
    .find((id) => id.startsWith(begins));

const FOLLOWS = sentence('catchup.summing');

/** Uses `/catchup` in a channel; resolves with what its asker alone sees. */
const catchUp = async (
  { channel }: Pick<Place, 'channel'>,
  by: FakeUser,
  options: Record<string, string> = { to: 'es' },
): Promise<FakeMessage> => {
  const used = bot.discord.command(by, { channel, name: 'catchup', options });
  // The summary comes below, where there is one.
  await used.until(
    ({ shown, followUps }) =>
      shown !== undefined &&
      shown.content !== '' &&
      (!shown.content.startsWith(FOLLOWS) || followUps.length === 1),
  );
  expect([used, ...used.followUps].map(({ ephemeral }) => ephemeral)).not.toContain(false);
  return used.shown as FakeMessage;
};

/** Presses a control of an answer; resolves once what it shows fits. */
const press = async (
  by: FakeUser,
  on: FakeMessage,
  begins: string,
  isIt: (content: string) => boolean,
): Promise<FakeMessage> => {
  const pressed = bot.discord.press(by, on, pressOf(on, begins)!);
  await pressed.until(({ shown }) => isIt(shown?.content ?? ''));
  return pressed.shown as FakeMessage;
};

const linesIn = ({ content }: FakeMessage): readonly string[] =>
  [...content.matchAll(/es:line \d+\./g)].map(([line]) => line);

it('shows what was missed to the one who asks alone, in pages, with no ping', async () => {
  const at = bot.place();
  at.channel.say(at.bob, 'my last words here');
  for (let count = 1; count <= 15; count += 1)
    at.channel.say(at.ann, `line ${count}. ${at.bob.mention}`);
  const first = await catchUp(at, at.bob);
  expect(linesIn(first)).toHaveLength(10);
  expect(first.content).not.toContain('my last words');
  const second = await press(at.bob, first, 'catchup page', (text) => text.includes('es:line 15.'));
  expect(linesIn(second)).toHaveLength(5);
  expect(second.ephemeral).toBe(true);
  expect(at.channel.messages.filter(({ ephemeral }) => !ephemeral)).toHaveLength(16);
  expect(bot.discord.pings.splice(0)).toEqual([]);
});

it('begins at a message in whose menu it is chosen', async () => {
  const at = bot.place();
  at.channel.say(at.ann, 'line 1.');
  const target = at.channel.say(at.ann, 'line 2.');
  at.channel.say(at.ann, 'line 3.');
  await bot.use(at, 'language', { language: 'es' }, at.bob);
  const name = sentence('commands.catchup.menu');
  const chosen = bot.discord.command(at.bob, { channel: at.channel, name, target });
  await chosen.until(({ shown }) => shown?.content.includes('line 3.') === true);
  expect(linesIn(chosen.shown as FakeMessage)).toEqual(['es:line 2.', 'es:line 3.']);
});

it('begins far back at a message in whose menu it is chosen, and reads on behind its last page', async () => {
  const at = bot.place();
  // Those without words are not shown.
  const said = Array.from({ length: 900 }, (_, index) =>
    at.channel.say(at.ann, index < 105 || index >= 395 ? `line ${index}.` : ''),
  );
  await bot.use(at, 'language', { language: 'es' }, at.bob);
  const before = bot.discord.requests.length;
  const name = sentence('commands.catchup.menu');
  const chosen = bot.discord.command(at.bob, { channel: at.channel, name, target: said[100]! });
  await chosen.until(({ shown }) => shown?.content.includes('es:line') === true);
  const reads = bot.discord.requests
    .slice(before)
    .filter(({ route }) => route === 'GET /channels/:id/messages');
  expect(reads.length).toBeLessThanOrEqual(7);
  const first = chosen.shown!;
  const lines = [100, 101, 102, 103, 104, 395, 396, 397, 398, 399];
  expect(linesIn(first)).toEqual(lines.map((count) => `es:line ${count}.`));
  expect(first.content).toContain(sentence('catchup.next', { count: 10 }));
  said[400]!.delete();
  const isPage = (text: string): boolean => text.includes('es:line');
  const part = { part: 'more', count: 310, first: 11 };
  const many = sentenceLike('catchup.many', { ...part, last: 310 });
  const asked = await press(at.bob, first, 'catchup onward', (text) => many.test(text));
  const second = await press(at.bob, asked, 'catchup page', isPage);
  expect(linesIn(second)[0]).toBe('es:line 401.');
  expect(second.content).toMatch(sentenceLike('catchup.page', part));
});

it('shows nothing on the next page of who opted out meanwhile, nor what was deleted', async () => {
  const at = bot.place();
  const said = Array.from({ length: 14 }, (_, index) =>
    at.channel.say(index === 12 ? at.bob : at.ann, `line ${index + 1}.`),
  );
  const cat = bot.discord.user({ name: 'Cat' });
  at.guild.join(cat);
  const first = await catchUp(at, cat);
  const panel = await bot.use(at, 'privacy', {}, at.bob);
  await bot.press(panel, 'privacy out', undefined, at.bob);
  said[11]!.delete();
  const second = await press(cat, first, 'catchup page', (text) => text.includes('es:line 14.'));
  expect(linesIn(second)).toEqual(['es:line 11.', 'es:line 14.']);
});

it('asks nothing again for a page that was read, and shows of it what may be read now', async () => {
  const at = bot.place();
  const said = Array.from({ length: 14 }, (_, index) =>
    at.channel.say(index === 2 ? at.bob : at.ann, `line ${index + 1}.`),
  );
  const cat = bot.discord.user({ name: 'Cat' });
  at.guild.join(cat);
  const first = await catchUp(at, cat);
  const isLast = (text: string) => text.includes('es:line 14.');
  const isFirst = (text: string) => text.includes('es:line 1.');
  const firstContent = first.content;
  const second = await press(cat, first, pressOf(first, 'catchup page')!, isLast);
  const translated = bot.translations().length;
  const again = await press(cat, second, 'catchup page', isFirst);
  expect(`${FOLLOWS}\n\n${again.content}`).toBe(firstContent);
  expect(again.content).toContain(
    `[↗](https://discord.com/channels/${at.guild.id}/${at.channel.id}/${said[0]!.id})`,
  );
  expect(bot.translations()).toHaveLength(translated);
  const next = await press(cat, again, 'catchup page', isLast);
  const panel = await bot.use(at, 'privacy', {}, at.bob);
  await bot.press(panel, 'privacy out', undefined, at.bob);
  said[4]!.delete();
  said[5]!.edit('line 60.');
  const left = await press(cat, next, 'catchup page', isFirst);
  expect(linesIn(left).join()).not.toMatch(/line [356]\./);
  expect(linesIn(left)).toContain('es:line 60.');
  expect(left.content).toContain(sentence('catchup.left-out', { count: 1 }));
  const page = pressOf(left, 'catchup page')!;
  at.channel.deny('ReadMessageHistory');
  const refusal = sentence('watch.missing', { permissions: 'Read Message History' });
  const refused = await press(cat, left, page, (text) => text.includes(refusal));
  expect(linesIn(refused)).toEqual([]);
});

it('shows code as it was written, and the way to the replies under a message', async () => {
  const at = bot.place();
  const asked = at.channel.say(at.ann, 'Look:\n```ts\nlet a = 1;\nlet b = 2;\n```');
  const thread = asked.startThread(at.ann, 'about that');
  for (const words of ['one', 'two', 'three']) thread.say(at.bob, words);
  const { content } = await catchUp(at, at.guild.owner);
  const url = `https://discord.com/channels/${at.guild.id}/${thread.id}`;
  const replies = sentence('catchup.replies', { count: 3 });
  expect(content).toContain(
    `**Ann**: es:Look: [🧵 ${replies} ↗](${url})\n\`\`\`ts\nlet a = 1;\nlet b = 2;\n\`\`\``,
  );
});

it('puts a summary below the page, which stays, also while pages are turned', async () => {
  const at = bot.place();
  for (let count = 1; count <= 12; count += 1) at.channel.say(at.ann, `line ${count}.`);
  const used = bot.discord.command(at.bob, {
    channel: at.channel,
    name: 'catchup',
    options: { to: 'es' },
  });
  await used.until(({ followUps }) => followUps.length === 1);
  const heading = sentence('catchup.summary', { count: 12, isAll: 'yes' });
  expect(used.followUps[0]?.content).toContain(heading);
  const page = used.shown as FakeMessage;
  expect(linesIn(page)).toHaveLength(10);
  const turned = await press(at.bob, page, 'catchup page', (text) => text.includes('es:line 12.'));
  const pressed = bot.discord.press(at.bob, turned, pressOf(turned, 'catchup summary')!);
  await pressed.until(({ followUps }) => followUps.length === 1);
  expect(pressed.followUps[0]).toMatchObject({ ephemeral: true });
  expect(linesIn(pressed.shown as FakeMessage)).toEqual(['es:line 11.', 'es:line 12.']);
  expect(used.followUps[0]?.content).toContain(heading);
});

it('shows nothing more to who may not see the channel any more', async () => {
  const at = bot.place();
  const readers = at.guild.role('readers', ['ViewChannel', 'ReadMessageHistory']);
  at.guild.give(at.bob, readers);
  const permissions = {
    everyone: { deny: ['ViewChannel'] },
    bot: { allow: ['ViewChannel', 'ReadMessageHistory'] },
    [readers.id]: { allow: ['ViewChannel'] },
  } as const;
  const channel = at.guild.channel({ permissions });
  for (let count = 1; count <= 12; count += 1) channel.say(at.ann, `line ${count}.`);
  const first = await catchUp({ channel }, at.bob);
  expect(linesIn(first)).toHaveLength(10);
  at.guild.state.members.get(at.bob.id)!.roles.length = 0;
  const unseen = sentence('errors.channel-unseen', { channel: `<#${channel.id}>` });
  const refused = await press(at.bob, first, 'catchup page', (text) => text.includes(unseen));
  expect(linesIn(refused)).toEqual([]);
});

it('reads four pages of history of thousands of messages, and asks before it translates', async () => {
  const at = bot.place();
  for (let count = 1; count <= 1_000; count += 1) at.channel.say(at.ann, `line ${count}.`);
  const before = bot.discord.requests.length;
  const translated = bot.translations().length;
  const asked = await catchUp(at, at.bob);
  const reads = bot.discord.requests
    .slice(before)
    .filter(({ route }) => route === 'GET /channels/:id/messages');
  expect(reads.length).toBeLessThanOrEqual(4);
  const newest = { part: 'newest', count: 300, first: 1, last: 300 };
  expect(asked.content).toMatch(sentenceLike('catchup.many', newest));
  expect(asked.content).not.toContain(sentence('catchup.cut', { count: 300 }));
  expect(pressOf(asked, 'catchup onward')).toBeDefined();
  expect(bot.translations()).toHaveLength(translated);
  const read = await press(at.bob, asked, 'catchup page', (text) => text.includes('es:line 701.'));
  expect(linesIn(read)).toHaveLength(10);
});

it('shows nothing to who may not read what was written before', async () => {
  const at = bot.place();
  const permissions = {
    everyone: { deny: ['ReadMessageHistory'] },
    bot: { allow: ['ReadMessageHistory'] },
  } as const;
  const channel = at.guild.channel({ permissions });
  channel.say(at.ann, 'line 1.');
  const shown = await catchUp({ channel }, at.bob);
  const refusal = sentence('errors.channel-history', { channel: `<#${channel.id}>` });
  expect(shown.content).toContain(refusal);
});

it('shows a copy as it stands once its source is not linked any more', async () => {
  const at = await bot.linked();
  const said = at.english.say(at.ann, 'Shall we have tea?');
  await copyOf(said, at.spanish);
  await bot.use({ ...at, channel: at.english }, 'autotranslate off');
  said.edit('Secret of another server');
  const { content } = await catchUp({ channel: at.spanish }, at.bob, { to: 'ja' });
  expect(content).toContain('Shall we have tea?');
  expect(content).not.toContain('Secret');
});

it('counts the copies whose author nobody knows any more, as once the bot was removed where they were written', async () => {
  const at = await bot.linked();
  await copyOf(at.english.say(at.ann, 'Shall we have tea?'), at.spanish);
  await forgetCopies(bot.store, at.spanish.id);
  const { content } = await catchUp({ channel: at.spanish }, at.bob, { to: 'ja' });
  expect(content).not.toContain('tea');
  expect(content).toContain(sentence('catchup.left-out', { count: 1 }));
});

it('shows the copies of messages from linked channels with their authors', async () => {
  const at = await bot.linked();
  const said = at.english.say(at.ann, 'Shall we have tea?');
  await copyOf(said, at.spanish);
  at.spanish.say(at.ann, 'Claro que sí');
  const { content } = await catchUp({ channel: at.spanish }, at.bob, { to: 'ja' });
  expect(content).toMatch(/Ann\*\*: ja:Shall we have tea\?\n.*Ann\*\*: ja:Claro que sí/);
});
