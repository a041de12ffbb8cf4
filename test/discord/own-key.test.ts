import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage, FakeUser } from '../fakes/discord/index.ts';
import { readEveryTable } from '../fakes/every-table.ts';
import { traceOf } from '../fakes/key-canary.ts';
import { sentence } from '../fakes/sentences.ts';
import { replyTo } from './shown.ts';
import { withBot } from './support.ts';

const KEY = 'svck:Distinctive-Key/Of+This~Server=0123456789';
const bot = withBot();

/** Fills in the form behind the button, and waits until the panel tells of it. */
const enter = async (panel: FakeMessage, by: FakeUser, value: string): Promise<void> => {
  const asked = bot.discord.press(by, panel, 'settings key');
  await asked.until(({ modal }) => modal !== undefined);
  const { edits } = panel;
  bot.discord.submit(asked, { value });
  await bot.discord.until(() => panel.edits > edits);
};

const keysSent = (path: string): unknown[] =>
  bot.speech.seen
    .filter((request) => request.path === path)
    .map(({ headers }) => headers.authorization);

describe('a key that a moderator enters in a form', () => {
  it('is used from then on, until it is removed, and stands nowhere', async () => {
    bot.speech.otherKeys.add(KEY);
    const at = await bot.reading();
    const { owner } = at.guild;
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:key', undefined, owner);
    await enter(panel, owner, 'svck:not-a-key-of-the-service');
    expect(panel.content).toContain(sentence('settings.key-rejected'));
    await enter(panel, owner, KEY);
    expect(panel.content).toContain(owner.name);
    expect(keysSent(PATHS.voices).at(-1)).toBe(`Bearer ${KEY}`);

    await replyTo(at.channel.say(at.ann, 'This is for the reader'));
    await bot.use(at, 'translate', { text: 'a command', to: 'es' });
    await bot.use(at, 'ask', { question: 'Why?' });
    await bot.use(at, 'say', { text: 'Hello' });
    await bot.use(at, 'voices');
    expect(keysSent(PATHS.translate).slice(-2)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    for (const path of [PATHS.chat, PATHS.tts, PATHS.voices])
      expect(keysSent(path).at(-1), path).toBe(`Bearer ${KEY}`);
    const elsewhere = bot.place();
    await bot.use(elsewhere, 'translate', { text: 'elsewhere', to: 'es' });
    expect(keysSent(PATHS.translate).at(-1)).toBe(`Bearer ${bot.speech.key}`);

    bot.speech.otherKeys.delete(KEY);
    const told = await bot.use(at, 'translate', { text: 'refused', to: 'es' });
    expect(told.content).toContain(sentence('service.bad-own-key'));
    expect(keysSent(PATHS.translate).at(-1)).toBe(`Bearer ${KEY}`);
    const status = await bot.use(at, 'status');
    expect(status.content).toContain(`❌ ${sentence('service.bad-own-key')}`);

    await bot.press(panel, 'settings dropkey', undefined, owner);
    await bot.use(at, 'translate', { text: 'removed', to: 'es' });
    expect(keysSent(PATHS.translate).at(-1)).toBe(`Bearer ${bot.speech.key}`);

    for (const [what, value] of Object.entries({
      log: bot.logged,
      requests: bot.discord.requests,
      rows: [...(await readEveryTable(bot.store))],
      messages: [panel, status, told, ...at.channel.messages].map(({ content, components }) => [
        content,
        components,
      ]),
    }))
      expect(traceOf(KEY, value), what).toBeUndefined();
  });

  it('is not taken from anybody else', async () => {
    const at = bot.place();
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:key', undefined, at.guild.owner);
    const pressed = bot.discord.press(at.ann, panel, 'settings key');
    await bot.discord.until(() =>
      panel.content.includes(sentence('errors.needs-moderator', { platform: 'discord' })),
    );
    expect(pressed.modal).toBeUndefined();
    const rows = bot.store
      .selectFrom('space_key')
      .select('set_by')
      .where('space_id', '=', at.guild.id);
    expect(await rows.execute()).toEqual([]);
  });
});
