import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { pressesOf, replyTo } from './shown.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

const jsonIn = (message: FakeMessage): Record<string, unknown> =>
  JSON.parse(Buffer.from(message.attachments[0]!.bytes).toString()) as Record<string, unknown>;

describe('/settings', () => {
  it('shows what is on, and works on after a restart', async () => {
    const at = await bot.reading();
    const { guild, channel, ann } = at;
    const panel = await bot.use(at, 'settings');
    expect(panel.ephemeral).toBe(true);
    expect(panel.content).toContain(
      `<#${channel.id}> · ${sentence('autotranslate.modes.reply')} · Spanish`,
    );
    await bot.press(panel, 'settings flags:off', undefined, guild.owner);
    expect(panel.content).toContain(sentence('settings.flags-are-off'));
    await bot.stop();
    await bot.start();
    await bot.press(panel, 'settings flags:on', undefined, guild.owner);
    expect(panel.content).toContain(sentence('settings.flags-are-on'));
    await bot.press(panel, 'settings page:channels', undefined, guild.owner);
    await bot.press(panel, 'settings bots', [channel.id], guild.owner);
    await replyTo(channel.say(bot.discord.user({ bot: true }), 'I am another bot'));
    await bot.press(panel, 'settings page', undefined, guild.owner);
    expect(pressesOf(panel)).toHaveLength(10);
    expect(channel.messages.every(({ ephemeral }) => !ephemeral)).toBe(true);
    await bot.press(panel, 'settings flags:off', undefined, ann);
    expect(panel.content).toContain(sentence('errors.needs-moderator', { platform: 'discord' }));
    expect(panel.content).not.toContain(sentence('settings.flags-are-on'));
    expect((await bot.use(at, 'settings')).content).toContain(sentence('settings.flags-are-on'));
  });
});

describe('/status', () => {
  it('names messages that could not be done, and tries them again', async () => {
    const at = await bot.reading();
    const body = JSON.stringify({ context: [], code: 400, name: 'ErrNo', error: 'never' });
    bot.speech.fail(PATHS.translate, { status: 400, body });
    const said = at.channel.say(at.ann, 'Nobody can translate this line');
    await replyTo(at.channel.say(at.ann, 'Everybody can translate this line'));
    const note = await replyTo(said);
    expect(note.content).toContain(sentence('autotranslate.not-translated', { reason: '' }, 'es'));
    const panel = await bot.use(at, 'status');
    expect(panel.content).toContain(`❌ ${sentence('status.dead', { count: 1 })}`);
    expect(panel.content).toContain(`/${at.channel.id}/${said.id})`);
    await bot.press(panel, 'status retry', undefined, at.guild.owner);
    expect(panel.content).toContain(sentence('status.revived', { count: 1 }));
    const wanted = '🇪🇸 es:Nobody can translate this line';
    await bot.discord.until(() => note.content === wanted);
    await bot.settled(at);
    expect(pressesOf(await bot.use(at, 'status'))).toEqual([]);
    expect(pressesOf(await bot.use(at, 'status', {}, at.ann))).toEqual([]);
  });

  it.each([
    ['without access', { status: 403 }, 'service.no-access'],
    ['of another kind', { status: 200, body: '{"translated":"hola"}' }, 'reasons.bad-reply'],
    ['behind a page', { status: 200, body: '<html></html>' }, 'reasons.bad-reply'],
    ['that is gone', { status: 404, body: '{"detail":"Not Found"}' }, 'reasons.missing'],
  ] as const)(
    'names a service %s, which is told once, and nothing is lost when it is tried again',
    async (_, fault, key) => {
      const at = await bot.reading();
      await replyTo(at.channel.say(at.ann, 'This line is before the fault'));
      bot.speech.fail(PATHS.translate, ...Array.from({ length: 200 }, () => fault));
      const lines = ['one', 'two', 'three', 'four'];
      const said = [];
      for (const word of lines)
        said.push(at.channel.say(at.ann, `This is line ${word} of the fault`));
      const reason = sentence(key, {}, 'es');
      const told = `ℹ️ ${sentence('autotranslate.paused', { reason }, 'es')}`;
      await at.channel.until((messages) => messages.some(({ content }) => content === told));
      const panel = await bot.use(at, 'status');
      expect(panel.content).toContain(sentence(key));
      bot.speech.heal();
      await bot.press(panel, 'status retry', undefined, at.guild.owner);
      for (const message of said) await replyTo(message);
      expect(at.channel.messages.filter(({ content }) => content === told)).toHaveLength(1);
    },
    20_000,
  );

  it('says what is still to be allowed, and when the service is away', async () => {
    const at = await bot.linked();
    at.spanish.deny('ManageWebhooks', 'SendMessages');
    bot.speech.fail(PATHS.voices, ...Array.from({ length: 4 }, () => ({ status: 503 })));
    const { content } = await bot.use(at, 'status');
    expect(content).toContain(`❌ ${sentence('status.unreachable')}`);
    expect(content).toContain(
      `❌ <#${at.spanish.id}> · ${sentence('status.missing', { permissions: 'Send Messages, Manage Webhooks' })}`,
    );
    expect(content).toContain(`✅ <#${at.english.id}>`);
  });
});

describe('/privacy', () => {
  it('gives what is kept, and forgets it when that is wanted twice', async () => {
    const at = await bot.reading();
    const { channel, ann } = at;
    const said = channel.say(ann, 'These are words of mine alone');
    await replyTo(said);
    await bot.use(at, 'language', { language: 'German' }, ann);
    await bot.settled(at);
    const panel = await bot.use(at, 'privacy', {}, ann);
    await bot.press(panel, 'privacy export', undefined, ann);
    const kept = jsonIn(panel);
    expect(JSON.stringify(kept)).toContain(said.id);
    expect(JSON.stringify(kept)).toContain('"de"');
    expect(JSON.stringify(kept)).not.toContain('words of mine');
    await bot.press(panel, 'privacy forget', undefined, ann);
    for (const key of ['privacy.sure', 'privacy.decided'] as const)
      expect(panel.content).toContain(sentence(key));
    expect(panel.attachments).toEqual([]);
    await bot.press(panel, 'privacy sure', undefined, ann);
    await bot.press(panel, 'privacy show', undefined, ann);
    await bot.press(panel, 'privacy export', undefined, ann);
    expect(JSON.stringify(jsonIn(panel))).not.toContain(said.id);
    expect(JSON.stringify(jsonIn(panel))).not.toContain('"de"');
    said.delete();
    await channel.until(({ length }) => length === 2);
  });
});
