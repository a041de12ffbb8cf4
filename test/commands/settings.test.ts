import { describe, expect, it } from 'vitest';
import type { Content, Control } from '../../src/model/content.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { useDesk } from './support.ts';

const desk = useDesk();

const choices = () => desk().services.spaces.of(SPACE);

const named = (content: Content, label: string): Control | undefined =>
  content.controls?.find((control) => control.label === label);

describe('/settings', () => {
  it('shows what is on where', async () => {
    await desk().run('autotranslate reply', { languages: 'es' });
    await desk().services.spaces.change(SPACE, {
      quietChannels: ['7'],
      dailyCharacters: 10_000,
      roles: { say: ['r1', 'r2'], ask: [] },
    });
    const { text } = await desk().run('settings');
    expect(text.split('\n')).toEqual([
      '**Settings**',
      '- One channel is translated automatically:',
      '  - <#100> · replies · Spanish',
      '  - Other languages for a channel? Use `/autotranslate reply`, `/autotranslate thread` or ' +
        '`/autotranslate mirror` for it again.',
      '- Flags: a reaction such as 🇯🇵 gives a translation.',
      '- Quiet channels: <#7>',
      '- Daily limits: characters 10,000, minutes of audio no limit',
      '- One command is for certain roles:',
      '  - `/say` · <@&r1> <@&r2>',
    ]);
  });

  it('switches flags off and on', async () => {
    await desk().services.spaces.change(SPACE, { flags: { on: true, languages: { '🏴': 'en' } } });
    await desk().run('settings');
    const off = await desk().press('Switch flags off');
    expect(off.text).toContain('Flags: off');
    expect(await choices()).toMatchObject({ flags: { on: false, languages: { '🏴': 'en' } } });
    await desk().press('Switch flags on');
    expect(await choices()).toMatchObject({ flags: { on: true } });
  });

  it('keeps channels quiet', async () => {
    await desk().run('settings');
    await desk().press('Quiet channels');
    const content = await desk().press('Quiet channels', ['1', '2']);
    expect(named(content, 'Quiet channels')).toMatchObject({ chosen: ['1', '2'] });
    expect((await choices()).quietChannels).toEqual(['1', '2']);
    expect((await desk().press('Back')).text).toContain('Quiet channels: <#1> <#2>');
  });

  it('sets limits and takes them away', async () => {
    await desk().run('settings');
    await desk().press('Limits');
    await desk().press('Characters a day', ['50000']);
    const content = await desk().press('Minutes of audio a day', ['60']);
    expect(await choices()).toMatchObject({ dailyCharacters: 50_000, dailyAudioMinutes: 60 });
    const control = named(content, 'Characters a day');
    expect(control?.kind === 'choice' && control.choices.filter(({ chosen }) => chosen)).toEqual([
      { value: '50000', label: '50,000', chosen: true },
    ]);
    await desk().press('Characters a day', ['none']);
    expect((await choices()).dailyCharacters).toBeUndefined();
  });

  it('gives a command to roles, and back to everybody', async () => {
    await desk().run('settings');
    const first = await desk().press('Roles');
    expect(named(first, 'Roles')).toBeUndefined();
    const command = named(first, 'Command');
    const offered = command?.kind === 'choice' ? command.choices.map(({ value }) => value) : [];
    expect(offered).toContain('translate');
    expect(offered).toContain('glossary');
    for (const name of ['help', 'privacy', 'settings', 'autotranslate', 'usage'])
      expect(offered).not.toContain(name);
    await desk().press('Command', ['say']);
    const content = await desk().press('Roles', ['r1']);
    expect(content.text).toContain('`/say`');
    expect(named(content, 'Roles')).toMatchObject({ chosen: ['r1'] });
    expect((await choices()).roles).toEqual({ say: ['r1'] });
    const refused = await desk().run('say', { text: 'a' }, { member: { role: 'member' } });
    expect(refused.text).toContain('certain roles');
    await desk().run('settings');
    await desk().press('Roles');
    await desk().press('Command', ['say']);
    await desk().press('Roles', []);
    expect((await choices()).roles).toEqual({ say: [] });
  });

  it('switches voice messages and bots by channel', async () => {
    await desk().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await desk().run('settings');
    const content = await desk().press('Voice messages and bots');
    expect(named(content, 'Voice messages are written down in')).toMatchObject({
      chosen: ['1', '2'],
    });
    await desk().press('Voice messages are written down in', ['2', '99']);
    await desk().press('Other bots are translated in', ['1']);
    const watches = desk().services.watches.list(SPACE);
    expect(
      watches.map(({ channel, transcribes, bots }) => [channel.id, transcribes, bots]),
    ).toEqual([
      ['1', false, true],
      ['2', true, false],
    ]);
    expect(new Set(watches.map(({ group }) => group)).size).toBe(1);
  });

  it('says so where no channel, or too many, are translated', async () => {
    await desk().run('settings');
    expect((await desk().press('Voice messages and bots')).text).toContain(
      '`/autotranslate` begins',
    );
    await desk().services.watches.set(
      Array.from({ length: 26 }, (_, id) => ({
        channel: { ...HERE, id: String(id) },
        mode: 'reply' as const,
        languages: ['es'],
        transcribes: true,
        bots: false,
      })),
    );
    await desk().run('settings');
    const content = await desk().press('Voice messages and bots');
    expect(content.text).toContain('too many');
    expect(content.controls).toHaveLength(1);
  });

  it('keeps the page when a press cannot be done', async () => {
    await desk().run('settings');
    await desk().press('Limits');
    const member = { role: 'member' } as const;
    const content = await desk().press('Characters a day', ['10000'], { member });
    expect(content.text).toContain('**Limits a day**');
    expect(content.text).toContain('> ⚠️ Only moderators');
    expect(named(content, 'Characters a day')).toBeDefined();
    expect((await choices()).dailyCharacters).toBeUndefined();
  });

  it('fits what platforms take: five controls, short ids, few choices', async () => {
    await desk().services.watches.set(
      Array.from({ length: 25 }, (_, id) => ({
        channel: { ...HERE, id: `12345678901234567${id}` },
        mode: 'reply' as const,
        languages: ['es'],
        transcribes: true,
        bots: true,
      })),
    );
    await desk().run('settings');
    for (const label of ['Voice messages and bots', 'Back', 'Quiet channels', 'Back'])
      await desk().press(label);
    for (const label of ['Limits', 'Back', 'Roles']) await desk().press(label);
    await desk().press('Command', ['transcribe']);
    for (const { controls = [], text } of desk().shown) {
      expect(text.length).toBeLessThan(2_000);
      expect(controls.length).toBeLessThanOrEqual(5);
      expect(new Set(controls.map(({ press }) => press)).size).toBe(controls.length);
      for (const control of controls) {
        expect(control.press.length).toBeLessThanOrEqual(100);
        expect(control.label.length).toBeLessThanOrEqual(80);
        if (control.kind !== 'choice') continue;
        expect(control.choices.length).toBeLessThanOrEqual(25);
        for (const { value, label } of control.choices) {
          expect(value).not.toBe('');
          expect(label).not.toBe('');
        }
      }
    }
  });
});

describe('/flags', () => {
  it('gives an emoji a language, lists and takes it', async () => {
    const set = await desk().run('flags set', { emoji: '🏴‍☠️', language: 'Spanish' });
    expect(set.text).toContain('🏴‍☠️ under a message gives its translation into Spanish');
    await desk().run('flags set', { emoji: '<:wave:123456>', language: 'ja' });
    await desk().run('flags set', { emoji: '❤', language: 'fr' });
    expect((await choices()).flags.languages).toEqual({
      '🏴‍☠️': 'es',
      '123456': 'ja',
      '❤️': 'fr',
    });
    const { text } = await desk().run('flags list', {}, { member: { role: 'member' } });
    expect(text).toContain('<:emoji:123456> → Japanese');
    expect(await desk().complete('flags remove', 'emoji', 'spa')).toEqual(['🏴‍☠️|🏴‍☠️ Spanish']);
    await desk().run('flags remove', { emoji: '<a:other:123456>' });
    await desk().run('flags remove', { emoji: '❤️' });
    expect((await choices()).flags.languages).toEqual({ '🏴‍☠️': 'es' });
    expect(await desk().run('flags remove', { emoji: '❤️' })).toMatchObject({ tone: 'error' });
  });

  it.each(['hello', '🇯🇵🇯🇵', ':wave:', '5', '<@123>'])(
    'takes nothing but one emoji: not %j',
    async (emoji) => {
      const content = await desk().run('flags set', { emoji, language: 'es' });
      expect(content.text).toContain('is not one emoji');
    },
  );

  it('says that flags are off, and is full at a hundred', async () => {
    const languages = Object.fromEntries(Array.from({ length: 100 }, (_, id) => [`9${id}`, 'es']));
    await desk().services.spaces.change(SPACE, { flags: { on: false, languages } });
    expect((await desk().run('flags list')).text).toContain('switched off');
    const full = await desk().run('flags set', { emoji: '🇯🇵', language: 'ja' });
    expect(full).toMatchObject({ tone: 'error' });
    const changed = await desk().run('flags set', { emoji: '<:a:90>', language: 'ja' });
    expect(changed.text).toContain('switched off');
  });

  it('is set by moderators only', async () => {
    const member = { role: 'member' } as const;
    const content = await desk().run('flags set', { emoji: '🇯🇵', language: 'ja' }, { member });
    expect(content.tone).toBe('error');
  });
});
