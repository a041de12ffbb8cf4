import { beforeAll, describe, expect, it } from 'vitest';
import { createSlackProcess } from '../fakes/slack-bot.ts';
import type { FakeChannel, FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { shared } from '../fakes/opened.ts';

let ann: FakeUser;
const bot = shared(() => createSlackProcess({ speed: 60 }));
beforeAll(async () => {
  ann = bot.workspace.user({ name: 'Ann' });
  await bot.start();
});

const fileOf = (name: string) => ({
  name,
  mimetype: 'text/plain',
  bytes: new TextEncoder().encode(`what is in ${name}`),
});

const linked = async (): Promise<readonly [FakeChannel, FakeChannel]> => {
  const [english, spanish] = ['english', 'spanish'].map((name) =>
    bot.workspace.channel({ name: `${name}-${crypto.randomUUID()}`, members: [bot.admin] }),
  ) as [FakeChannel, FakeChannel];
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
  return [english, spanish];
};

const textsIn = ({ posts }: FakeChannel): readonly string[] =>
  posts.filter(({ text }) => text.includes('es:')).map(({ text }) => text);
const filesIn = ({ posts }: FakeChannel): readonly FakeMessage[] =>
  posts.filter(({ state }) => state.files.length > 0);
const copiesOf = (name: string): number =>
  [...bot.slack.files.values()].filter(
    (file) => file.owner.isBot && file.name === name && !file.deleted,
  ).length;

/** What its author does with a message while the program is dead, and what then stands. */
const ACTS = {
  'stays as it is': { do: (): void => {}, texts: 1, files: 1 },
  'is edited': {
    do: (said: FakeMessage) => said.edit('Here are the newest plans'),
    texts: 1,
    files: 1,
  },
  'is deleted': { do: (said: FakeMessage) => said.delete(), texts: 0, files: 0 },
  'loses its file': {
    do: (said: FakeMessage) => said.deleteFile(said.fileNames[0] ?? ''),
    texts: 1,
    files: 0,
  },
};

const POINTS = [
  ['chat.postMessage', 'after'],
  ['files.completeUploadExternal', true],
  ['files.completeUploadExternal', 'after'],
  ['files.info', true],
] as const;

/** A message with a file in one of two linked channels. */
const saying = async () => {
  const [english, spanish] = await linked();
  const file = `${crypto.randomUUID()}.txt`;
  const say = () => english.say(ann, 'Here are the plans for summer', { files: [fileOf(file)] });
  return { english, spanish, file, say };
};

/** Two at a time, as many as the program has under way with files. */
const PAIRS = [
  ['stays as it is', 'is edited'],
  ['is deleted', 'loses its file'],
] as const;

const CASES = POINTS.flatMap(([method, hang]) =>
  PAIRS.map((acts) => [method, hang, acts.join(' or '), acts] as const),
);

describe('a program that is killed within mirrors with a file', () => {
  it.each(CASES)(
    'in %s (%s) shows each once or not at all, whose source %s meanwhile',
    async (method, hang, _, acts) => {
      const cases = await Array.fromAsync(acts, async (act) => ({
        act: ACTS[act],
        ...(await saying()),
      }));
      const begun = bot.slack.requests.length;
      bot.slack.fail(method, { hang }, { times: cases.length });
      const said = cases.map(({ say }) => say());
      await bot.slack.until(
        () =>
          bot.slack.requests
            .slice(begun)
            .filter(
              ({ method: called, result }) =>
                called === method && (hang === true || result === 'ok'),
            ).length >= cases.length,
      );
      await bot.kill();
      bot.slack.heal();
      for (const [at, { act }] of cases.entries()) act.do(said[at]!);
      await bot.start();
      const settle = async (at: number): Promise<void> => {
        const { act, english, spanish, file } = cases[at]!;
        const next = english.say(ann, 'What comes after all of that');
        await bot.slack.until(() => textsIn(spanish).some((text) => text.includes('What comes')));
        await bot.slack.until(() => copiesOf(file) === act.files);
        // Slack shares a file a moment after it has one.
        await bot.slack.until(() => filesIn(spanish).length >= act.files);
        await bot.slack.until(() => textsIn(spanish).length === act.texts + 1);
        expect(filesIn(spanish).flatMap(({ fileNames }) => fileNames)).toEqual(
          act.files === 0 ? [] : [file],
        );
        if (!said[at]!.isDeleted) said[at]!.delete();
        next.delete();
        await bot.slack.until(() => textsIn(spanish).length === 0 && copiesOf(file) === 0);
        expect(filesIn(spanish)).toEqual([]);
      };
      await Promise.all(cases.keys().map(settle));
      // Otherwise each start would read the history of all channels so far.
      for (const { english } of cases) await bot.use(english, 'autotranslate off');
    },
  );
});

it('what a killed program posted for replies in threads is gone with them, whatever the mode', async () => {
  const [threads, below] = ['threads', 'below'].map((name) =>
    bot.workspace.channel({ name, members: [bot.admin] }),
  ) as [FakeChannel, FakeChannel];
  await bot.use(threads, 'autotranslate reply languages:es');
  await bot.use(below, 'autotranslate reply languages:es below:yes');
  const [english, spanish] = await linked();
  const translations = (): readonly string[] =>
    [threads, below, spanish].flatMap(({ posts }) =>
      posts.flatMap(({ text }) => (/\bes:/u.test(text) ? [text] : [])),
    );
  const roots = [threads, below, english].map((at) => at.say(ann, 'Where do we meet tomorrow?'));
  await bot.slack.until(() => translations().length === roots.length);
  bot.slack.fail('chat.postMessage', { hang: 'after' }, { times: roots.length });
  const replies = [threads, below, english].map((at, index) =>
    at.say(ann, 'At the station, as always', { thread: roots[index]! }),
  );
  await bot.slack.until(() => translations().length === 2 * roots.length);
  await bot.kill();
  bot.slack.heal();
  for (const reply of replies) reply.delete();
  await bot.start();
  await bot.slack.until(() => translations().length === roots.length);
  expect(translations().every((text) => text.includes('es:Where'))).toBe(true);
});
