import { expect, it } from 'vitest';
import type { ScopeChoice } from '../../adapters/slack/scopes.ts';
import type { FakeChannel } from '../fakes/slack/index.ts';
import { openLinked, openSlackBot } from './support.ts';

const open = async (choice: ScopeChoice) => {
  const bot = await openSlackBot('socket', { choice });
  const at = await openLinked(bot);
  return { bot, ...at, [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose]() };
};

const copyIn = async (channel: FakeChannel, words: string) => {
  const shown = await channel.until((posts) => posts.some((post) => post.words.includes(words)));
  return shown.find((post) => post.words.includes(words))!;
};

it('copies under the app’s own name need no other scope, name their author and follow edits', async () => {
  await using at = await open({ names: 'app' });
  const said = at.channel.say(at.ann, 'good morning everybody');
  const copy = await copyIn(at.spanish, 'es:good morning');
  expect(copy.state.username).toBeUndefined();
  expect(copy.words).toContain('Ann es:good morning everybody');
  said.edit('good evening everybody');
  await copyIn(at.spanish, 'Ann es:good evening everybody');
  expect(await at.bot.use(at, 'autotranslate thread languages:ja')).not.toContain('chat:write');
  expect(at.bot.errors).toEqual([]);
});

it('copies under their authors’ names say what posted them, however long a name is', async () => {
  await using at = await open({ names: 'via' });
  at.ann.rename('A'.repeat(80));
  at.channel.say(at.ann, 'good morning everybody');
  const { shownAuthor } = await copyIn(at.spanish, 'es:good morning');
  expect(shownAuthor).toMatch(/^A{60,}… \(via Dragoman\)$/);
  expect(shownAuthor.length).toBeLessThanOrEqual(80);
});

it('without files, messages are copied without theirs, and nothing is asked of files', async () => {
  await using at = await open({ without: ['files'] });
  const bytes = new TextEncoder().encode('a recording');
  const files = [{ name: 'voice.mp3', mimetype: 'audio/mpeg', bytes }];
  at.channel.say(at.ann, 'here is what I said', { files });
  const copy = await copyIn(at.spanish, 'es:here is what');
  expect(copy.state.files).toEqual([]);
  expect(at.bot.slack.requests.filter(({ method }) => method.startsWith('files.'))).toEqual([]);
  expect(at.bot.errors).toEqual([]);
});
