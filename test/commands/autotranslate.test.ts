import { describe, expect, it } from 'vitest';
import { userError } from '../../src/errors.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { useDesk } from './support.ts';

const desk = useDesk();

const watches = () =>
  desk()
    .services.watches.list(SPACE)
    .map(({ channel, mode, languages, transcribes, bots }) => ({
      id: channel.id,
      mode,
      languages,
      transcribes,
      bots,
    }));

describe('/autotranslate reply and thread', () => {
  it('watch this channel, and say exactly what will happen', async () => {
    const { text } = await desk().run('autotranslate reply', { languages: 'es, 日本語 es-MX' });
    expect(watches()).toEqual([
      { id: '100', mode: 'reply', languages: ['es', 'ja'], transcribes: true, bots: false },
    ]);
    expect(text.split('\n')).toEqual([
      'From now on each message in <#100> gets a reply with its translations into',
      '- Spanish',
      '- Japanese',
      '',
      'What is in one of these languages already is not translated into it again.',
      'Voice messages and audio files are written down and translated too.',
      'What other bots write is left alone.',
    ]);
  });

  it('watch the channel that is named, as the switches say', async () => {
    await desk().run('autotranslate thread', {
      languages: 'fr',
      channel: '<#200>',
      'voice-messages': 'no',
      bots: true,
    });
    expect(watches()).toEqual([
      { id: '200', mode: 'thread', languages: ['fr'], transcribes: false, bots: true },
    ]);
  });

  it('watch the channel of the thread that they are used in', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await desk().run('autotranslate reply', { languages: 'fr' }, { channel });
    expect(watches()).toMatchObject([{ id: '100' }]);
  });

  it.each([
    ['Klingonese es', '`Klingonese`'],
    [', ,', '1 to 10 languages'],
    ['en es fr de it pt ja ko zh ru ar', '1 to 10 languages'],
  ])('refuse %j with a sentence that helps', async (languages, expected) => {
    const content = await desk().run('autotranslate reply', { languages });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain(expected);
    expect(watches()).toEqual([]);
  });

  it('say what the platform’s people must still allow', async () => {
    desk().script.refusal = userError('forbidden', 'errors.forbidden');
    expect(await desk().run('autotranslate reply', { languages: 'es' })).toMatchObject({
      tone: 'error',
    });
  });

  it('are for moderators', async () => {
    const member = { role: 'member' } as const;
    const { text } = await desk().run('autotranslate reply', { languages: 'es' }, { member });
    expect(text).toBe('Only moderators can do that.');
  });

  it('complete the language that is being typed, in a list of those before it', async () => {
    const complete = (typed: string) => desk().complete('autotranslate reply', 'languages', typed);
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

describe('a setting that does not do what people expect', () => {
  const warnings = async (command: string, options: Record<string, unknown>) =>
    (await desk().run(command, options)).text.split('\n').filter((line) => line.startsWith('⚠️'));

  it('is none where all is well', async () => {
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toEqual([]);
  });

  it('is set, with the languages named that no engine translates into', async () => {
    desk().script.untranslated = ['ja', 'ko'];
    expect(await warnings('autotranslate reply', { languages: 'es, ja, ko' })).toEqual([
      '⚠️ Nothing here translates into Japanese, Korean yet, so no such translations will come. ' +
        '`/status` says what can be added.',
    ]);
    expect(watches()).toMatchObject([{ languages: ['es', 'ja', 'ko'] }]);
  });

  it('is looked at in a group from each of its languages', async () => {
    const channels = '<#1> en <#2> es <#3> ja';
    desk().script.untranslated = ['en ja'];
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    desk().script.untranslated = ['en ja', 'es ja'];
    expect(await warnings('autotranslate mirror', { channels })).toMatchObject([
      expect.stringContaining('into Japanese yet'),
    ]);
  });

  it('promises nothing about voice messages where nothing writes them down', async () => {
    const lines = async (options: object) =>
      (await desk().run('autotranslate reply', { languages: 'es', ...options })).text;
    desk().script.engines = [{ name: 'x', serves: ['recognition'], ready: false, detail: '' }];
    expect(await lines({})).toContain('nothing here can write down speech yet');
    expect(await lines({ 'voice-messages': false })).toContain(
      '\nVoice messages and audio files are left alone.',
    );
    expect(watches()).toMatchObject([{ transcribes: false }]);
    desk().script.reachable = false;
    expect(await lines({})).toContain('are written down and translated too');
  });

  it('is told where the channel is quiet, or the one that its thread belongs to', async () => {
    await desk().services.spaces.change(SPACE, { quietChannels: ['100', '2'] });
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([
      '⚠️ <#100> is a quiet channel: nothing is translated there until you change that in `/settings`.',
    ]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toMatchObject([
      expect.stringContaining('<#2> is a quiet channel'),
    ]);
  });

  it('is told where it takes the place of another', async () => {
    await desk().run('autotranslate reply', { languages: 'es, fr' });
    expect(await warnings('autotranslate reply', { languages: 'fr, es' })).toEqual([]);
    expect(await warnings('autotranslate reply', { languages: 'ja' })).toEqual([
      '⚠️ This takes the place of what <#100> had before: replies · French, Spanish',
    ]);
    expect(await warnings('autotranslate thread', { languages: 'ja' })).toEqual([
      '⚠️ This takes the place of what <#100> had before: replies · Japanese',
    ]);
  });

  it('is told where it takes a channel from its group, and ends that', async () => {
    const channels = '<#1> en <#2> es';
    await desk().run('autotranslate mirror', { channels });
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#2> es <#3> fr' })).toEqual([
      '⚠️ This takes the place of what <#2> had before: mirror · Spanish · <#1>',
      '⚠️ <#1> was left alone in its group and is no longer translated.',
    ]);
    expect(watches().map(({ id }) => id)).toEqual(['2', '3']);
  });
});

describe('/autotranslate mirror', () => {
  it('links a whole group at once', async () => {
    const channels = '<#1> en, <#2> español, <#3> 日本語';
    const { text } = await desk().run('autotranslate mirror', { channels });
    expect(watches().map(({ id, mode, languages }) => [id, mode, languages])).toEqual([
      ['1', 'mirror', ['en']],
      ['2', 'mirror', ['es']],
      ['3', 'mirror', ['ja']],
    ]);
    const groups = desk()
      .services.watches.list(SPACE)
      .map(({ group }) => group);
    expect(new Set(groups).size).toBe(1);
    expect(groups[0]).toBeDefined();
    expect(text).toContain('- <#1> · English\n- <#2> · Spanish\n- <#3> · Japanese');
  });

  it.each([
    ['#general en, #español es', 'Choose the channels from the list'],
    ['en', 'Choose the channels from the list'],
    ['<#1> en', '2 to 20 channels'],
    [Array.from({ length: 21 }, (_, id) => `<#${id}> en`).join(), '2 to 20 channels'],
    ['<#1> en, <#1> es', '<#1> is in the list twice'],
    ['<#1> en, <#2>', 'language of <#2>: –'],
    ['<#1> en, <#2> klingon', 'language of <#2>: `klingon`'],
    ['<#1> en, <#2> English', 'the same language'],
  ])('refuses %j with a sentence that helps', async (channels, expected) => {
    const content = await desk().run('autotranslate mirror', { channels });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain(expected);
    expect(watches()).toEqual([]);
  });
});

describe('/autotranslate off', () => {
  it('ends the watch of a channel, and says so where there was none', async () => {
    await desk().run('autotranslate reply', { languages: 'es' });
    expect((await desk().run('autotranslate off')).text).toContain('<#100>');
    expect(watches()).toEqual([]);
    expect(await desk().run('autotranslate off')).toMatchObject({ tone: 'note' });
  });

  it('ends a group of which one channel would be left', async () => {
    await desk().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    await desk().run('autotranslate off', { channel: '1' });
    expect(watches()).toHaveLength(2);
    const { text } = await desk().run('autotranslate off', { channel: '2' });
    expect(text).toContain('<#3> was the last one of its group');
    expect(watches()).toEqual([]);
  });

  it('ends the watch of a thread’s channel, or of a thread that is a mirror itself', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await desk().run('autotranslate reply', { languages: 'es' });
    await desk().run('autotranslate mirror', { channels: '<#101> en <#102> es <#103> fr' });
    await desk().run('autotranslate off', {}, { channel });
    expect(watches().map(({ id }) => id)).toEqual(['100', '102', '103']);
    await desk().run('autotranslate off', {}, { channel });
    expect(watches().map(({ id }) => id)).toEqual(['102', '103']);
  });
});

describe('/autotranslate list', () => {
  it('says where what is on, groups together', async () => {
    expect(await desk().run('autotranslate list')).toMatchObject({ tone: 'note' });
    await desk().run('autotranslate reply', { languages: 'es fr', bots: true });
    await desk().run('autotranslate mirror', {
      channels: '<#1> en <#2> es',
      'voice-messages': false,
    });
    expect((await desk().run('autotranslate list')).text.split('\n')).toEqual([
      '**3 channels are translated**',
      '- <#100> · replies · Spanish, French · voice messages · bots',
      '- A group of 2 channels',
      '  - <#1> · mirror · English',
      '  - <#2> · mirror · Spanish',
    ]);
  });
});
