import { expect, it } from 'vitest';
import { createSpaceSettings } from '../../src/store/settings.ts';
import { withBot } from './support.ts';

const bot = withBot();

it('somebody who left the server is shown by name, which notifies nobody and is no markup', async () => {
  const at = await bot.reading();
  const eve = bot.discord.user({ name: '@everyone **Eve**' });
  at.guild.join(eve);
  await bot.use(at, 'glossary propose', { term: 'a', translation: 'b', language: 'es' }, eve);
  at.guild.leave(eve);
  const space = { platform: 'discord', id: at.guild.id };
  const people = { of: [eve.id, at.ann.id] };
  await createSpaceSettings(bot.store).change(space, { rules: { people } });
  const { content } = await bot.use(at, 'autotranslate rules');
  expect(content).not.toContain(eve.id);
  expect(content.replaceAll(/[\\\u2060]/g, '')).toContain('@@everyone **Eve**');
  expect(content).toContain(`<@${at.ann.id}>`);
  expect((await bot.use(at, 'glossary proposals')).content).not.toContain(eve.id);
  expect(bot.discord.pings).toEqual([]);
});
