import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { forgetCopies } from '../fakes/forget-copies.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { openLinked, openSlackBot, withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

/** What a person alone sees in a channel, without what blocks repeat of the text of notifications. */
const shownTo = (at: Place, user: FakeUser) =>
  at.channel
    .ephemeralsFor(user)
    .map((one) => ({ one, shown: JSON.stringify(one.blocks ?? one.text) }));
const linesIn = (shown = ''): readonly string[] =>
  [...shown.matchAll(/es:line \d+\./g)].map(([line]) => line);

/** Chooses _Read from here_; resolves once the page is there, and the summary below it. */
const readFrom = async (at: Place, from: FakeMessage): Promise<void> => {
  await bot.use(at, 'language language:es', { by: at.bob });
  const before = shownTo(at, at.bob).length;
  bot.slack.messageShortcut(at.bob, from, 'catchup');
  await bot.slack.until(() => shownTo(at, at.bob).length === before + 2);
};

/** Presses a control of the page; resolves once a condition holds of what it shows. */
const press = async (
  at: Place,
  name: RegExp,
  isIt: (shown: string) => boolean,
): Promise<string> => {
  const { one: page, shown } = shownTo(at, at.bob).at(-2)!;
  bot.slack.act(at.bob, page, name.exec(shown)![0]);
  const now = () => JSON.stringify(page.blocks ?? page.text);
  await bot.slack.until(() => isIt(now()));
  return now();
};
const LATER = /catchup page:[^"]*,next,[\d.]*/;
const EARLIER = /catchup page:[^"]*,back,[\d.]*/;

it('the file of all comes as a direct message, which is said above the page where it was pressed', async () => {
  const at = bot.place();
  const from = at.channel.say(at.ann, 'line 1.');
  for (let count = 2; count <= 12; count += 1) at.channel.say(at.ann, `line ${count}.`);
  await readFrom(at, from);
  const note = sentence('slack.file-sent');
  const shown = await press(at, /catchup file:[^"]*/, (now) => now.includes(note));
  expect(shown.indexOf(note)).toBeLessThan(shown.indexOf('es:line'));
});

it('the shortcut shows what was written since a message, in pages, to the one who asks alone', async () => {
  const at = bot.place();
  at.channel.say(at.ann, 'line 0.');
  const from = at.channel.say(at.ann, 'line 1.');
  for (let count = 2; count <= 12; count += 1) at.channel.say(at.ann, `line ${count}.`);
  await readFrom(at, from);
  const [page, summary] = shownTo(at, at.bob).slice(-2);
  expect(linesIn(page?.shown)).toHaveLength(10);
  expect(summary?.shown).toContain('You asked');
  expect(linesIn(summary?.shown)).toEqual([]);
  const next = await press(at, LATER, (shown) => shown.includes('es:line 12.'));
  expect(linesIn(next)).toEqual(['es:line 11.', 'es:line 12.']);
  const older = sentence('catchup.older-threads', { threads: 'replies' });
  expect([page?.shown, next].map((shown) => shown?.includes(older))).toEqual([false, true]);
  const before = shownTo(at, at.bob).length;
  bot.slack.act(at.bob, page!.one, /catchup summary:[^"]*/.exec(next)![0]);
  await bot.slack.until(() => shownTo(at, at.bob).length > before);
  expect(shownTo(at, at.bob).at(-1)?.shown).toContain('You asked');
  expect(linesIn(JSON.stringify(page?.one.blocks))).toEqual(linesIn(next));
  expect(at.channel.ephemeralsFor(at.ann)).toEqual([]);
  expect(at.channel.posts).toEqual([]);
});

it('the shortcut begins far back at its message, and reads on behind the last page', async () => {
  const at = bot.place();
  // Those without words are not shown.
  const said = Array.from({ length: 900 }, (_, index) =>
    at.channel.say(at.ann, index < 105 || index >= 395 ? `line ${index}.` : ''),
  );
  await bot.use(at, 'language language:es', { by: at.bob });
  const before = shownTo(at, at.bob).length;
  bot.slack.messageShortcut(at.bob, said[100]!, 'catchup');
  await bot.slack.until(() => shownTo(at, at.bob).length === before + 1);
  const { one } = shownTo(at, at.bob).at(-1)!;
  const now = () => JSON.stringify(one.blocks ?? one.text);
  const act = async (name: RegExp, isIt: (shown: string) => boolean): Promise<void> => {
    bot.slack.act(at.bob, one, name.exec(now())![0]);
    await bot.slack.until(() => isIt(now()));
  };
  const lines = [100, 101, 102, 103, 104, 395, 396, 397, 398, 399];
  expect(linesIn(now())).toEqual(lines.map((count) => `es:line ${count}.`));
  expect(now()).toContain(sentence('catchup.next', { count: 10 }));
  said[400]!.delete();
  await act(/catchup onward:[^"]*/, (shown) => !shown.includes('es:line'));
  await act(/catchup page:[^"]*/, (shown) => shown.includes('es:line'));
  expect(linesIn(now())[0]).toBe('es:line 401.');
});

it('begins with the newest of many, and from the start where that is wanted', async () => {
  const at = bot.place();
  for (let count = 1; count <= 450; count += 1) at.channel.say(at.ann, `line ${count}.`);
  const numbers = { count: 300, first: 1, last: 300, characters: 0, replies: 0 };
  const many = sentence('catchup.many', { ...numbers, part: 'newest', since: '', summary: 'yes' });
  const part = many.split('. ').at(-1) ?? '';
  await bot.use(at, 'catchup since:1h to:es', { by: at.bob, part });
  const { one, shown } = shownTo(at, at.bob).at(-1)!;
  const now = () => JSON.stringify(one.blocks ?? one.text);
  bot.slack.act(at.bob, one, /catchup page:[^"]*/.exec(shown)![0]);
  await bot.slack.until(() => now().includes('es:line'));
  expect(linesIn(now())[0]).toBe('es:line 151.');
  bot.slack.act(at.bob, one, /catchup onward:[^"]*/.exec(now())![0]);
  await bot.slack.until(() => !now().includes('es:line'));
  bot.slack.act(at.bob, one, /catchup page:[^"]*/.exec(now())![0]);
  await bot.slack.until(() => now().includes('es:line'));
  expect(linesIn(now())[0]).toBe('es:line 1.');
});

it('the shortcut on a reply goes on in its thread from there, page by page, whoever wrote its first message', async () => {
  const at = bot.place();
  const root = at.channel.say(at.admin, 'line 100.');
  const replies = Array.from({ length: 14 }, (_, index) =>
    at.channel.say(index === 4 ? at.admin : at.ann, `line ${index + 1}.`, {
      thread: root,
      broadcast: index === 6,
    }),
  );
  at.channel.say(at.ann, 'line 200.');
  await bot.use(at, 'privacy', { by: at.admin });
  bot.slack.act(at.admin, at.channel.ephemeralsFor(at.admin).at(-1)!, 'privacy out');
  await bot.slack.until(() =>
    JSON.stringify(at.channel.ephemeralsFor(at.admin).at(-1)).includes('privacy in'),
  );
  await readFrom(at, replies[1]!);
  const [page, summary] = shownTo(at, at.bob).slice(-2);
  const line = (count: number): string => `es:line ${count}.`;
  expect(linesIn(page?.shown)).toEqual([2, 3, 4, 6, 7, 8, 9, 10, 11, 12].map(line));
  expect(summary?.shown).toContain('You asked');
  replies[12]!.delete();
  const next = await press(at, LATER, (shown) => shown.includes(line(14)));
  expect(linesIn(next)).toEqual([line(14)]);
  expect(next).toContain(sentence('catchup.thread').split('`')[0]);
  expect(next).not.toContain(sentence('catchup.older-threads', { threads: 'replies' }));
  bot.slack.act(at.bob, page!.one, /catchup file:[^"]*/.exec(next)![0]);
  const sent = sentenceLike('catchup.file-ready', { count: 11 });
  await bot.slack.until(() => sent.test(JSON.stringify(page?.one.blocks)));
  at.channel.makePrivate();
  at.channel.state.members.delete(at.bob.id);
  const refused = await press(at, EARLIER, (shown) => !shown.includes(line(14)));
  expect(linesIn(refused)).toEqual([]);
  expect(at.channel.posts).toEqual([]);
});

it('a page that is turned shows what may be read now, and to who may read it', async () => {
  const at = bot.place();
  const from = at.channel.say(at.ann, 'line 1.');
  const said = Array.from({ length: 12 }, (_, index) =>
    at.channel.say(index === 2 ? at.admin : at.ann, `line ${index + 2}.`),
  );
  await readFrom(at, from);
  await press(at, LATER, (shown) => shown.includes('es:line 13.'));
  await bot.use(at, 'privacy', { by: at.admin });
  bot.slack.act(at.admin, at.channel.ephemeralsFor(at.admin).at(-1)!, 'privacy out');
  const out = () =>
    JSON.stringify(at.channel.ephemeralsFor(at.admin).at(-1)).includes('privacy in');
  await bot.slack.until(out);
  said[0]!.delete();
  said[1]!.edit('line 30.');
  const back = await press(at, EARLIER, (shown) => shown.includes('es:line 1.'));
  expect(linesIn(back).slice(0, 3)).toEqual(['es:line 1.', 'es:line 30.', 'es:line 5.']);
  at.channel.makePrivate();
  at.channel.state.members.delete(at.bob.id);
  const refused = await press(at, LATER, (shown) => !shown.includes('es:line 1.'));
  expect(linesIn(refused)).toEqual([]);
});

it('a page holds nothing of who opts out, or of what is deleted or edited, while it is translated', async () => {
  const at = bot.place();
  const said = Array.from({ length: 6 }, (_, index) =>
    at.channel.say(index === 2 ? at.admin : at.ann, `line ${index + 71}.`),
  );
  const gate = Promise.withResolvers<void>();
  const before = bot.speech.seen.length;
  bot.speech.fail(PATHS.translate, { until: gate.promise });
  const used = bot.use(at, 'catchup to:es', { by: at.bob, part: 'line' });
  const isAsked = () => bot.speech.seen.slice(before).some(({ path }) => path === PATHS.translate);
  await expect.poll(isAsked).toBe(true);
  await bot.use(at, 'privacy', { by: at.admin });
  bot.slack.act(at.admin, at.channel.ephemeralsFor(at.admin).at(-1)!, 'privacy out');
  await bot.slack.until(() =>
    JSON.stringify(at.channel.ephemeralsFor(at.admin).at(-1)).includes('privacy in'),
  );
  said[3]!.delete();
  said[4]!.edit('line 80.');
  gate.resolve();
  const lines = ['es:line 71.', 'es:line 72.', 'es:line 80.', 'es:line 76.'];
  expect([...new Set(linesIn(await used))]).toEqual(lines);
});

it('shows the first replies of threads, none of who opted out or was deleted, and how many more there are', async () => {
  const at = bot.place();
  const roots = Array.from({ length: 3 }, (_, index) => at.channel.say(at.ann, `root ${index}.`));
  const replies = roots.map((root, index) =>
    Array.from({ length: 5 }, (_, count) =>
      at.channel.say(count === 1 ? at.admin : at.bob, `line ${index}${count}.`, { thread: root }),
    ),
  );
  const catchUp = async (part: string): Promise<string> => {
    await bot.use(at, 'catchup to:es since:1h', { by: at.bob, part });
    return shownTo(at, at.bob).at(-1)!.shown;
  };
  const shown = await catchUp('line 22');
  const lines = [0, 1, 2].flatMap((root) => [0, 1, 2].map((count) => `es:line ${root}${count}.`));
  expect(linesIn(shown)).toEqual(lines);
  expect(shown.split(sentence('catchup.more-replies', { count: 2 }))).toHaveLength(4);
  await bot.use(at, 'privacy', { by: at.admin });
  bot.slack.act(at.admin, at.channel.ephemeralsFor(at.admin).at(-1)!, 'privacy out');
  await bot.slack.until(() =>
    JSON.stringify(at.channel.ephemeralsFor(at.admin).at(-1)).includes('privacy in'),
  );
  replies[2]![0]!.delete();
  const now = await catchUp('line 24');
  expect(linesIn(now).slice(-2)).toEqual(['es:line 23.', 'es:line 24.']);
  expect(linesIn(now)).not.toContain('es:line 21.');
  expect(now).toContain(sentence('catchup.left-out', { count: 3 }));
});

it('leads to the replies of people, not to those of translations', async () => {
  const at = bot.place();
  await bot.use(at, 'autotranslate reply languages:ja');
  const [alone, asked] = ['Good evening.', 'Shall we have tea?'].map((words) =>
    at.channel.say(at.ann, words),
  ) as [FakeMessage, FakeMessage];
  at.channel.say(at.bob, 'Yes, please.', { thread: asked });
  await bot.slack.until(() =>
    [alone, asked].every(({ replies }) => replies.some((one) => one.isOurs)),
  );
  await bot.use(at, 'catchup to:es', { by: at.bob, part: 'tea' });
  const shown = shownTo(at, at.bob).at(-1)!.shown;
  const ways = [...shown.matchAll(/archives\/\w+\/p\d+\?thread_ts=([\d.]+)/g)].map(([, ts]) => ts);
  expect(ways).toEqual([asked.ts]);
  expect(shown).toContain('es:Yes, please.');
  expect(shown).toContain(`🧵 ${sentence('catchup.more-replies', { count: 0 })} ↗`);
});

it('shows what was missed since the person’s last message', async () => {
  const at = bot.place();
  at.channel.say(at.bob, 'bye for today');
  at.channel.say(at.ann, 'line 1.');
  const shown = await bot.use(at, 'catchup to:es', { by: at.bob, part: 'line' });
  expect(shown).not.toContain('bye');
  expect(linesIn(shown)).not.toEqual([]);
});

it('names the files of copies, without the line with a name that stands over them', async () => {
  const at = bot.place();
  const spanish = at.workspace.channel({ name: 'es', members: [at.admin] });
  const both = `<#${at.channel.id}> en, <#${spanish.id}> es`;
  await bot.use(at, `autotranslate mirror channels:"${both}"`);
  const bytes = new TextEncoder().encode('what is in the file');
  const files = [{ name: 'plan.txt', mimetype: 'text/plain', bytes }];
  at.channel.say(at.ann, 'Here are the plans for summer', { files });
  await spanish.until((posts) => posts.some(({ state }) => state.files.length === 1));
  const there = { ...at, channel: spanish };
  const shown = await bot.use(there, 'catchup since:1h to:es', { by: at.admin, part: 'plan.txt' });
  expect(shown.split('Here are the plans')).toHaveLength(2);
  expect(shown).not.toContain('📎');
});

it('counts the copies whose author nobody knows any more, as once the app was removed where they were written', async () => {
  const at = await openLinked(bot);
  at.channel.say(at.ann, 'Shall we have tea together?');
  await at.spanish.until((posts) => posts.length === 1);
  await forgetCopies(bot.store, at.spanish.id);
  const there = { ...at, channel: at.spanish };
  const left = sentence('catchup.left-out', { count: 1 });
  const shown = await bot.use(there, 'catchup since:1h to:ja', { by: at.admin, part: left });
  expect(shown).not.toContain('tea');
});

it('leads to no replies of a copied message where flags alone brought any', async () => {
  const at = await openLinked(bot);
  const [alone, answered] = ['Good evening.', 'Shall we have tea?'].map((words) =>
    at.channel.say(at.ann, words),
  ) as [FakeMessage, FakeMessage];
  at.channel.say(at.bob, 'Yes, please.', { thread: answered });
  for (const said of [alone, answered]) {
    said.react(at.bob, 'flag-fr');
    await bot.slack.until(() => said.replies.some((one) => one.isOurs));
  }
  await expect
    .poll(async () =>
      (await bot.store.selectFrom('mirror').select('purpose').execute()).filter(
        ({ purpose }) => purpose === 'flag:fr',
      ),
    )
    .toHaveLength(2);
  await bot.use(at, 'catchup to:es', { by: at.bob, part: 'tea' });
  const shown = shownTo(at, at.bob).at(-1)!.shown;
  const ways = [...shown.matchAll(/archives\/\w+\/p\d+\?thread_ts=([\d.]+)/g)].map(([, ts]) => ts);
  expect(ways).toEqual([]);
  expect(shown).toContain('es:Yes, please.');
});

it('says where Slack gives the app little history', async () => {
  await using limited = await openSlackBot('socket', { history: 'limited' });
  const at = limited.place();
  for (let count = 1; count <= 30; count += 1) at.channel.say(at.ann, `line ${count}.`);
  await limited.use(at, 'catchup to:es', { by: at.bob });
  const slow = sentence('autotranslate.read-slow');
  const again = await limited.use(at, 'catchup to:es', { by: at.bob, part: slow });
  expect(again).toContain(slow);
});
