import { expect, it } from 'vitest';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();

it('a hundred edits at once all arrive within the rate of edits', async () => {
  const at = bot.place();
  await bot.use(at, 'autotranslate reply languages:es');
  const said = Array.from({ length: 100 }, (_, index) =>
    at.channel.say(at.ann, `This is sentence number ${index} here`),
  );
  await bot.slack.until(() => said.every((each) => repliesTo(each).length === 1), 60_000);
  for (const each of said) each.edit(`${each.text} and more`);
  const edited = (): number =>
    said.filter((each) => repliesTo(each)[0]?.text.endsWith('and more')).length;
  await bot.slack.until(() => edited() === said.length, 60_000);
  const updates = bot.slack.requests.filter(({ method }) => method === 'chat.update');
  const refused = updates.filter(({ result }) => result === 'ratelimited');
  expect(refused.length).toBeLessThan(updates.length / 10);
});
