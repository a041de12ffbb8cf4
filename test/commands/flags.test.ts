import { describe, expect, it } from 'vitest';
import { SPACE } from '../fakes/command-harness.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { choicesOf, useCommandHarness } from './support.ts';

const harness = useCommandHarness();

describe('/flags', () => {
  it('have what they bring removed after some minutes, until that is turned off', async () => {
    const set = await harness().run('flags expire', { minutes: 10 });
    expect(set.text).toBe(sentence('flags.expire', { count: 10 }));
    expect((await harness().run('flags list')).text).toContain(set.text);
    const { flags } = await choicesOf(harness());
    expect(flags.keptMinutes).toBe(10);
    const off = await harness().run('flags expire', { minutes: 0 });
    expect(off.text).toBe(sentence('flags.stay'));
    expect((await choicesOf(harness())).flags.keptMinutes).toBeUndefined();
    const member = { role: 'member' } as const;
    const refused = await harness().run('flags expire', { minutes: 1 }, { member });
    expect(refused.text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
  });

  it('gives an emoji a language, lists and takes it', async () => {
    const set = await harness().run('flags set', { emoji: '🏴‍☠️', language: 'Spanish' });
    expect(set.text).toContain(sentence('flags.set', { emoji: '🏴‍☠️', language: 'Spanish' }));
    await harness().run('flags set', { emoji: '<:wave:123456>', language: 'ja' });
    await harness().run('flags set', { emoji: '❤', language: 'fr' });
    expect((await choicesOf(harness())).flags.languages).toEqual({
      '🏴‍☠️': 'es',
      '123456': 'ja',
      '❤️': 'fr',
    });
    const { text } = await harness().run('flags list', {}, { member: { role: 'member' } });
    expect(text).toContain('<:emoji:123456> → Japanese');
    expect(await harness().complete('flags remove', 'emoji', 'spa')).toEqual(['🏴‍☠️|🏴‍☠️ Spanish']);
    expect(await harness().complete('flags remove', 'emoji', 'jap')).toEqual([
      '123456|123456 Japanese',
    ]);
    await harness().run('flags remove', { emoji: '123456' });
    await harness().run('flags set', { emoji: '<:wave:123456>', language: 'ja' });
    await harness().run('flags remove', { emoji: '<a:other:123456>' });
    await harness().run('flags remove', { emoji: '❤️' });
    expect((await choicesOf(harness())).flags.languages).toEqual({ '🏴‍☠️': 'es' });
    expect(await harness().run('flags remove', { emoji: '❤️' })).toMatchObject({ tone: 'error' });
  });

  it.each(['hello', '🇯🇵🇯🇵', ':wave:', '5', '<@123>'])(
    'takes nothing but one emoji: not %j',
    async (emoji) => {
      const content = await harness().run('flags set', { emoji, language: 'es' });
      expect(content.text).toMatch(sentenceLike('flags.no-emoji'));
    },
  );

  it('says that flags are off, and is full at a hundred', async () => {
    const languages = Object.fromEntries(Array.from({ length: 100 }, (_, id) => [`9${id}`, 'es']));
    await harness().services.spaces.change(SPACE, { flags: { on: false, languages } });
    expect((await harness().run('flags list')).text).toContain(sentence('flags.are-off'));
    const full = await harness().run('flags set', { emoji: '🇯🇵', language: 'ja' });
    expect(full).toMatchObject({ tone: 'error' });
    const changed = await harness().run('flags set', { emoji: '<:a:90>', language: 'ja' });
    expect(changed.text).toContain(sentence('flags.are-off'));
  });

  it('is set by moderators only', async () => {
    const member = { role: 'member' } as const;
    const content = await harness().run('flags set', { emoji: '🇯🇵', language: 'ja' }, { member });
    expect(content.tone).toBe('error');
  });
});
