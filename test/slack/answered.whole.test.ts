import { beforeAll, expect, it } from 'vitest';
import { createSlackProcess } from '../fakes/slack-bot.ts';
import type { FakeChannel, FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { shared } from '../fakes/opened.ts';

let ann: FakeUser;
let bob: FakeUser;
let english: FakeChannel;
let spanish: FakeChannel;
const bot = shared(() => createSlackProcess({ speed: 60 }));
beforeAll(async () => {
  [ann, bob] = ['Ann', 'Bob'].map((name) => bot.workspace.user({ name })) as [FakeUser, FakeUser];
  [english, spanish] = ['english', 'spanish'].map((name) =>
    bot.workspace.channel({ name, members: [bot.admin] }),
  ) as [FakeChannel, FakeChannel];
  await bot.start();
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
});

/** What stands in the thread of a message with these words. */
const repliesWith = (said: FakeMessage, part: string): readonly FakeMessage[] =>
  said.replies.filter(({ words }) => words.includes(part));
const pings = (): string[] => bot.slack.pings.splice(0).map(({ who }) => who);

const asked = async (): Promise<{ said: FakeMessage; copy: FakeMessage }> => {
  const words = `Shall we have tea ${crypto.randomUUID()}`;
  const said = english.say(ann, words);
  const isCopy = (one: FakeMessage): boolean => one.words.includes(words);
  await spanish.until((all) => all.some(isCopy));
  return { said, copy: spanish.posts.find(isCopy)! };
};

it('an answer to a copy mentions its author in their thread, once, whatever it says', async () => {
  const { said, copy } = await asked();
  const answer = spanish.say(bob, `Sí, por favor <@${ann.id}> <!channel>`, { thread: copy });
  await english.until(() => repliesWith(said, 'por favor').length === 1);
  expect(pings()).toEqual([`member ${ann.id}`]);
  answer.edit('Sí, con azúcar');
  await english.until(() => repliesWith(said, 'con azúcar').length === 1);
  expect(JSON.stringify(repliesWith(said, 'con azúcar')[0]?.blocks)).toContain(ann.id);
  spanish.say(bob, 'Y con leche también', { thread: copy });
  await english.until(() => repliesWith(said, 'con leche').length === 1);
  expect(pings()).toEqual([]);
  expect(JSON.stringify(repliesWith(said, 'con leche')[0]?.blocks)).not.toContain(ann.id);
});

it.each([true, 'after'] as const)(
  'a program that is killed while it posts one mentions once (hangs: %s)',
  async (hang) => {
    const { said, copy } = await asked();
    const begun = bot.slack.requests.length;
    bot.slack.fail('chat.postMessage', { hang });
    spanish.say(bob, 'Sí, con mucho gusto', { thread: copy });
    await bot.slack.until(() =>
      bot.slack.requests
        .slice(begun)
        .some(
          ({ method, result }) =>
            method === 'chat.postMessage' && (hang === true || result === 'ok'),
        ),
    );
    await bot.kill();
    bot.slack.heal();
    await bot.start();
    await english.until(() => repliesWith(said, 'mucho gusto').length === 1);
    await asked();
    expect(repliesWith(said, 'mucho gusto')).toHaveLength(1);
    expect(pings()).toEqual([`member ${ann.id}`]);
  },
);
