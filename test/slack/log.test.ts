import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { openSlackBot } from './support.ts';

const SECRET = 'marigold';
const NAME = 'Wilhelmina';

it.each([400, 500, 404])(
  'nothing that people write or are called stands in the log, at its finest level, where the service answers %i',
  async (status) => {
    await using bot = await openSlackBot('http');
    const placed = bot.place();
    const ann = placed.workspace.user({ name: NAME });
    const channel = placed.workspace.channel({ members: [placed.admin, ann] });
    const at = { ...placed, channel };
    await bot.use(at, 'autotranslate reply languages:es');
    bot.speech.fail(PATHS.translate, ...Array.from({ length: 3 }, () => ({ status })));
    at.channel.say(ann, `Good morning ${SECRET} number ${status}`);
    await bot.slack.until(() => bot.translations().some(({ text = '' }) => text.includes(SECRET)));
    bot.speech.heal();
    await bot.use(at, `translate ${SECRET} to:es`, { part: SECRET });
    await bot.use(at, `glossary add term:${SECRET} translation:${SECRET} language:es`);
    await bot.use(at, `translate ${SECRET} to:nonsense-${SECRET}`);
    await bot.use(at, SECRET);
    await bot.slack.until(() => bot.logged.length > 0);
    const log = bot.logged.join('\n');
    expect(log).not.toContain(SECRET);
    expect(log).not.toContain(NAME);
  },
);
