import { describe, expect, it } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { HERE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('/autotranslate reply and thread', () => {
  it('watch this channel, and say exactly what will happen', async () => {
    const { text } = await harness().run('autotranslate reply', { languages: 'es, 日本語 es-MX' });
    expect(watchesOf(harness())).toEqual([
      { id: '100', mode: 'reply', languages: ['es', 'ja'], transcribes: true, bots: false },
    ]);
    expect(text.split('\n')).toEqual([
      sentence('autotranslate.reply', { channel: '<#100>', count: 2 }),
      '- Spanish',
      '- Japanese',
      '',
      sentence('autotranslate.skips'),
      sentence('autotranslate.voice-messages'),
      sentence('autotranslate.no-bots'),
    ]);
  });

  it('watch the channel that is named, as the switches say', async () => {
    await harness().run('autotranslate thread', {
      languages: 'fr',
      channel: '<#200>',
      'voice-messages': 'no',
      bots: true,
    });
    expect(watchesOf(harness())).toEqual([
      { id: '200', mode: 'thread', languages: ['fr'], transcribes: false, bots: true },
    ]);
  });

  it('leave a channel paused, and say so', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().services.watches.pause(HERE, true);
    const { text } = await harness().run('autotranslate compact', { languages: 'ja' });
    expect(text).toContain(sentence('autotranslate.still-paused', { channel: '<#100>' }));
    expect(harness().services.watches.of(HERE)?.choices?.pause).toBeDefined();
  });

  it('take nothing about places below messages where replies stand there already', async () => {
    const { tone } = await harness().run('autotranslate reply', { languages: 'es', below: true });
    expect(tone).toBe('error');
    expect(watchesOf(harness())).toEqual([]);
    const known = harness().commands.flatMap(({ options }) => options.map(({ name }) => name));
    expect(known).toContain('bots');
    expect(known).not.toContain('below');
  });

  it('watch the channel of the thread that they are used in', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await harness().run('autotranslate reply', { languages: 'fr' }, { channel });
    expect(watchesOf(harness())).toMatchObject([{ id: '100' }]);
  });

  it.each([
    ['Klingonese es', '`Klingonese`'],
    [', ,', sentence('autotranslate.how-many-languages', { most: 10 })],
    [
      'en es fr de it pt ja ko zh ru ar',
      sentence('autotranslate.how-many-languages', { most: 10 }),
    ],
  ])('refuse %j with a sentence that helps', async (languages, expected) => {
    const content = await harness().run('autotranslate reply', { languages });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain(expected);
    expect(watchesOf(harness())).toEqual([]);
  });

  it('say what the platform’s people must still allow', async () => {
    harness().script.refusal = userError('forbidden', 'errors.forbidden');
    expect(await harness().run('autotranslate reply', { languages: 'es' })).toMatchObject({
      tone: 'error',
    });
  });

  it('are for moderators', async () => {
    const member = { role: 'member' } as const;
    const { text } = await harness().run('autotranslate reply', { languages: 'es' }, { member });
    expect(text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
  });

  it('complete the language that is being typed, in a list of those before it', async () => {
    const complete = (typed: string) =>
      harness().complete('autotranslate reply', 'languages', typed);
    const french = 'es, fr|Spanish, French · français (fr)';
    expect((await complete('jap'))[0]).toBe('ja|Japanese · 日本語 (ja)');
    expect((await complete('Spanish, fre'))[0]).toBe(french);
    expect((await complete('es fre'))[0]).toBe(french);
    expect((await complete('es, traditional chi'))[0]).toBe(
      'es, zh-Hant|Spanish, Traditional Chinese · 繁體中文 (zh-Hant)',
    );
    expect((await complete('es, '))[0]).toBe('es, en|Spanish, English (en)');
    expect(await complete('es, spani')).toEqual([]);
    expect(await complete('qqqq')).toEqual([]);
  });
});
