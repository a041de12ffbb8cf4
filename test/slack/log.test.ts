import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { openSlackBot } from './support.ts';

const SECRET = 'marigold';
const NAME = 'Wilhelmina';

it('nothing that people write or are called stands in the log, at its finest level, whatever fails', async () => {
  await using bot = await openSlackBot('http');
  const placed = bot.place();
  const ann = placed.workspace.user({ name: NAME });
  const channel = placed.workspace.channel({ members: [placed.admin, ann] });
  const at = { ...placed, channel };
  await bot.use(at, 'autotranslate reply languages:es');
  const say = async (status: number): Promise<void> => {
    bot.speech.fail(PATHS.translate, ...Array.from({ length: 3 }, () => ({ status })));
    at.channel.say(ann, `Good morning ${SECRET} number ${status}`);
    const isAsked = () =>
      bot.translations().some(({ text = '' }) => text.includes(`number ${status}`));
    await bot.slack.until(isAsked);
  };
  for (const status of [400, 500, 404]) await say(status);
  bot.speech.heal();
  await bot.use(at, `translate ${SECRET} to:es`, { part: SECRET });
  await bot.use(at, `glossary add term:${SECRET} translation:${SECRET} language:es`);
  await bot.use(at, `translate ${SECRET} to:nonsense-${SECRET}`);
  await bot.use(at, SECRET);
  await bot.slack.until(() => bot.logged.length > 3);
  const log = bot.logged.join('\n');
  expect(log).not.toContain(SECRET);
  expect(log).not.toContain(NAME);
});
