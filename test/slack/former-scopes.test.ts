import { expect, it } from 'vitest';
import { SCOPES } from '../../adapters/slack/scopes.ts';
import { sentence } from '../fakes/sentences.ts';
import type { FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { wordsIn } from './group.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

const COPIED = {
  pins: {
    scopes: ['pins:read', 'pins:write'],
    act: (said: FakeMessage, by: FakeUser) => said.pin(by),
    isCopied: ({ pinned }: FakeMessage) => pinned,
  },
  reactions: {
    scopes: ['reactions:write'],
    act: (said: FakeMessage, by: FakeUser) => said.react(by, 'heart'),
    isCopied: ({ reactions }: FakeMessage) => reactions.length > 0,
  },
} as const;

it.each(['pins', 'reactions'] as const)(
  'an installation from before the scopes for %s copies messages, and the status says what it lacks',
  async (name) => {
    const { scopes, act, isCopied } = COPIED[name];
    const former = Object.keys(SCOPES).filter((scope) => !scopes.some((one) => one === scope));
    bot.workspace.reinstall(former);
    await bot.stop();
    await bot.start();
    const at = bot.place();
    const spanish = bot.place();
    const pair = `<#${at.channel.id}> en, <#${spanish.channel.id}> es`;
    await bot.use(at, `autotranslate mirror channels:"${pair}"`);
    const said = at.channel.say(at.ann, 'We meet at the old bridge');
    await wordsIn(spanish.channel, 'es:We meet at the old bridge');
    act(said, at.ann);
    at.channel.say(at.ann, 'This comes after that');
    await wordsIn(spanish.channel, 'es:This comes after');
    const params = {
      channel: `<#${spanish.channel.id}>`,
      permissions: { list: [...scopes] },
    };
    const status = await bot.use(at, 'status', { part: at.channel.id });
    expect(status).toContain(sentence('watch.lesser', params));
    expect(status).not.toContain('❌');
    expect(spanish.channel.posts.some(isCopied)).toBe(false);
  },
);
