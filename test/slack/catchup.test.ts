import { expect, it } from 'vitest';
import type { FakeUser } from '../fakes/slack/index.ts';
import { sentence } from '../fakes/sentences.ts';
import { openSlackBot, withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

const lastFor = (at: Place, user: FakeUser): string =>
  JSON.stringify(at.channel.ephemeralsFor(user).at(-1) ?? '');
const linesIn = (shown: string): readonly string[] =>
  [...shown.matchAll(/es:line \d+\./g)].map(([line]) => line);

it('the shortcut shows what was written since a message, in pages, to the one who asks alone', async () => {
  const at = bot.place();
  at.channel.say(at.ann, 'line 0.');
  const from = at.channel.say(at.ann, 'line 1.');
  for (let count = 2; count <= 12; count += 1) at.channel.say(at.ann, `line ${count}.`);
  await bot.use(at, 'language language:es', { by: at.bob });
  bot.slack.messageShortcut(at.bob, from, 'catchup');
  await bot.slack.until(() => /catchup page:[^"]*,next,/.test(lastFor(at, at.bob)));
  const first = at.channel.ephemeralsFor(at.bob).at(-1)!;
  expect([...new Set(linesIn(lastFor(at, at.bob)))]).toHaveLength(10);
  const next = /catchup page:[^"]*,next,[\d.]*/.exec(JSON.stringify(first))![0];
  bot.slack.act(at.bob, first, next);
  await bot.slack.until(() => lastFor(at, at.bob).includes('es:line 12.'));
  expect([...new Set(linesIn(lastFor(at, at.bob)))]).toEqual(['es:line 11.', 'es:line 12.']);
  expect(at.channel.ephemeralsFor(at.ann)).toEqual([]);
  expect(at.channel.posts).toEqual([]);
});

it('shows what was missed since the person’s last message', async () => {
  const at = bot.place();
  at.channel.say(at.bob, 'bye for today');
  at.channel.say(at.ann, 'line 1.');
  const shown = await bot.use(at, 'catchup to:es', { by: at.bob, part: 'line' });
  expect(shown).not.toContain('bye');
  expect(linesIn(lastFor(at, at.bob))).not.toEqual([]);
});

it('says where Slack gives the app little history', async () => {
  await using limited = await openSlackBot('socket', { history: 'limited' });
  const at = limited.place();
  for (let count = 1; count <= 30; count += 1) at.channel.say(at.ann, `line ${count}.`);
  await limited.use(at, 'catchup to:es', { by: at.bob });
  const again = await limited.use(at, 'catchup to:es', { by: at.bob });
  expect(again).toContain(sentence('autotranslate.read-slow'));
});
