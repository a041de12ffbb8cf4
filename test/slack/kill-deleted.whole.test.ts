import { expect, it } from 'vitest';
import { createSlackProcess } from '../fakes/slack-bot.ts';
import type { FakeChannel } from '../fakes/slack/index.ts';

it('what a killed program posted for replies in threads is gone with them, whatever the mode', async () => {
  await using bot = await createSlackProcess({ speed: 60 });
  await bot.start();
  const { workspace, admin, slack } = bot;
  const channel = (name: string): FakeChannel => workspace.channel({ name, members: [admin] });
  const [threads, below, english, spanish] = [
    channel('threads'),
    channel('below'),
    channel('english'),
    channel('spanish'),
  ];
  await bot.use(threads, 'autotranslate reply languages:es');
  await bot.use(below, 'autotranslate reply languages:es below:yes');
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
  const translations = (): readonly string[] =>
    [threads, below, spanish].flatMap(({ posts }) =>
      posts.flatMap(({ text }) => (/\bes:/u.test(text) ? [text] : [])),
    );
  const ann = workspace.user({ name: 'Ann' });
  const roots = [threads, below, english].map((at) => at.say(ann, 'Where do we meet tomorrow?'));
  await slack.until(() => translations().length === roots.length);
  slack.fail('chat.postMessage', { hang: 'after' }, { times: roots.length });
  const replies = [threads, below, english].map((at, index) =>
    at.say(ann, 'At the station, as always', { thread: roots[index]! }),
  );
  await slack.until(() => translations().length === 2 * roots.length);
  await bot.kill();
  slack.heal();
  for (const reply of replies) reply.delete();
  await bot.start();
  await slack.until(() => translations().length === roots.length);
  expect(translations().every((text) => text.includes('es:Where'))).toBe(true);
});
