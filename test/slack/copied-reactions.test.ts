import { expect, it } from 'vitest';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import { sentence } from '../fakes/sentences.ts';
import { wordsIn } from './group.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

it('an installation from before the scope for reactions copies messages, and the status says what it lacks', async () => {
  bot.workspace.reinstall(Object.keys(SCOPES).filter((scope) => scope !== 'reactions:write'));
  await bot.stop();
  await bot.start();
  const at = bot.place();
  const spanish = bot.place();
  const pair = `<#${at.channel.id}> en, <#${spanish.channel.id}> es`;
  await bot.use(at, `autotranslate mirror channels:"${pair}"`);
  const said = at.channel.say(at.ann, 'We meet at the old bridge');
  await wordsIn(spanish.channel, 'es:We meet at the old bridge');
  said.react(at.ann, 'heart');
  at.channel.say(at.ann, 'This comes after the reaction');
  await wordsIn(spanish.channel, 'es:This comes after');
  const params = {
    channel: `<#${spanish.channel.id}>`,
    permissions: { list: ['reactions:write'] },
  };
  const status = await bot.use(at, 'status', { part: at.channel.id });
  expect(status).toContain(sentence('watch.lesser', params));
  expect(status).not.toContain('❌');
  expect(spanish.channel.posts.every(({ reactions }) => reactions.length === 0)).toBe(true);
});
