import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { withBot } from './support.ts';

const SECRET = 'marigold';
const NAME = 'Wilhelmina';
const bot = withBot();

it('nothing that people write or are called stands in the log, at its finest level, whatever fails', async () => {
  const placed = await bot.linked();
  const { guild, english } = placed;
  const at = { ...placed, channel: english };
  const author = bot.discord.user({ name: NAME });
  guild.join(author);
  const say = async (status: number): Promise<void> => {
    bot.speech.fail(PATHS.translate, ...Array.from({ length: 3 }, () => ({ status })));
    english.say(author, `Good morning ${SECRET} number ${status}`);
    await bot.settled(placed);
    bot.speech.heal();
  };
  for (const status of [400, 500, 404]) await say(status);
  expect(bot.translations().some(({ text = '' }) => text.includes(SECRET))).toBe(true);
  // Discord repeats a value in what it says of a field.
  const errors = { content: { _errors: [{ code: 'INVALID', message: `"${SECRET}" is refused` }] } };
  const body = { message: 'Invalid Form Body', code: 50_035, errors };
  const refused = { status: 400, body };
  bot.discord.fail('POST /webhooks/:id/:token', refused);
  english.say(author, `Good night ${SECRET}`);
  await bot.settled(placed);
  await bot.use(at, 'translate', { text: SECRET, to: 'es' });
  await bot.use(at, 'glossary add', { term: SECRET, translation: SECRET, language: 'es' });
  await bot.use(at, 'translate', { text: SECRET, to: `nonsense-${SECRET}` });
  const log = bot.logged.join('\n');
  expect(log).toContain('Invalid Form Body');
  expect(log).not.toContain(SECRET);
  expect(log).not.toContain(NAME);
});
