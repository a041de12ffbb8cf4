import { AppError } from '../../src/errors.ts';
import { describe, expect, it } from 'vitest';
import { userError } from '../../src/errors.ts';
import { HERE, SPACE } from '../fakes/command-harness.ts';
import { useCommandHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const harness = useCommandHarness();

const watches = () =>
  harness()
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
    const { text } = await harness().run('autotranslate reply', { languages: 'es, 日本語 es-MX' });
    expect(watches()).toEqual([
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
    expect(watches()).toEqual([
      { id: '200', mode: 'thread', languages: ['fr'], transcribes: false, bots: true },
    ]);
  });

  it('take nothing about places below messages where replies stand there already', async () => {
    const { tone } = await harness().run('autotranslate reply', { languages: 'es', below: true });
    expect(tone).toBe('error');
    expect(watches()).toEqual([]);
    const known = harness().commands.flatMap(({ options }) => options.map(({ name }) => name));
    expect(known).toContain('bots');
    expect(known).not.toContain('below');
  });

  it('watch the channel of the thread that they are used in', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await harness().run('autotranslate reply', { languages: 'fr' }, { channel });
    expect(watches()).toMatchObject([{ id: '100' }]);
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
    expect(watches()).toEqual([]);
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
    expect(text).toBe(sentence('errors.needs-moderator'));
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

describe('a setting that does not do what people expect', () => {
  const warnings = async (command: string, options: Record<string, unknown>) =>
    (await harness().run(command, options)).text
      .split('\n')
      .filter((line) => line.startsWith('⚠️'));

  const replaced = (channel: string, mode: 'reply' | 'mirror', rest: string) => {
    const before = `${sentence(`autotranslate.modes.${mode}`)} · ${rest}`;
    return `⚠️ ${sentence('autotranslate.replaced', { channel, before })}`;
  };

  it('is none where all is well', async () => {
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toEqual([]);
  });

  it('is set, with the languages named that no engine translates into', async () => {
    harness().script.untranslated = ['ja', 'ko'];
    expect(await warnings('autotranslate reply', { languages: 'es, ja, ko' })).toEqual([
      `⚠️ ${sentence('autotranslate.no-engine', { languages: 'Japanese, Korean' })}`,
    ]);
    expect(watches()).toMatchObject([{ languages: ['es', 'ja', 'ko'] }]);
  });

  it('is looked at in a group from each of its languages', async () => {
    const channels = '<#1> en <#2> es <#3> ja';
    harness().script.untranslated = ['en ja'];
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    harness().script.untranslated = ['en ja', 'es ja'];
    expect(await warnings('autotranslate mirror', { channels })).toMatchObject([
      `⚠️ ${sentence('autotranslate.no-engine', { languages: 'Japanese' })}`,
    ]);
  });

  it('promises nothing about voice messages where nothing writes them down', async () => {
    const lines = async (options: object) =>
      (await harness().run('autotranslate reply', { languages: 'es', ...options })).text;
    harness().script.engines = [{ name: 'x', serves: ['recognition'], ready: false, detail: '' }];
    expect(await lines({})).toContain(sentence('autotranslate.no-recognition'));
    expect(await lines({ 'voice-messages': false })).toContain(
      `\n${sentence('autotranslate.no-voice-messages')}`,
    );
    expect(watches()).toMatchObject([{ transcribes: false }]);
    harness().script.reachable = false;
    expect(await lines({})).toContain(sentence('autotranslate.voice-messages'));
    harness().script.reachable = true;
    harness().script.keyRefusal = new AppError('config', 'refused');
    expect(await lines({})).toContain(sentence('autotranslate.voice-messages'));
    expect(harness().script.statusSpaces).toEqual([SPACE, SPACE, SPACE]);
  });

  it('is told where the channel is quiet, or the one that its thread belongs to', async () => {
    await harness().services.spaces.change(SPACE, { quietChannels: ['100', '2'] });
    expect(await warnings('autotranslate reply', { languages: 'es' })).toEqual([
      `⚠️ ${sentence('autotranslate.quiet', { channels: '<#100>', count: 1 })}`,
    ]);
    expect(await warnings('autotranslate mirror', { channels: '<#1> en <#2> es' })).toMatchObject([
      `⚠️ ${sentence('autotranslate.quiet', { channels: '<#2>', count: 1 })}`,
    ]);
  });

  it('is told where it takes the place of another', async () => {
    await harness().run('autotranslate reply', { languages: 'es, fr' });
    expect(await warnings('autotranslate reply', { languages: 'fr, es' })).toEqual([]);
    expect(await warnings('autotranslate reply', { languages: 'ja' })).toEqual([
      replaced('<#100>', 'reply', 'French, Spanish'),
    ]);
    expect(await warnings('autotranslate thread', { languages: 'ja' })).toEqual([
      replaced('<#100>', 'reply', 'Japanese'),
    ]);
  });

  it('is told where it takes a channel from its group, and ends that', async () => {
    const channels = '<#1> en <#2> es';
    await harness().run('autotranslate mirror', { channels });
    expect(await warnings('autotranslate mirror', { channels })).toEqual([]);
    expect(await warnings('autotranslate mirror', { channels: '<#2> es <#3> fr' })).toEqual([
      replaced('<#2>', 'mirror', 'Spanish · <#1>'),
      `⚠️ ${sentence('autotranslate.ended', { channel: '<#1>' })}`,
    ]);
    expect(watches().map(({ id }) => id)).toEqual(['2', '3']);
  });
});

describe('/autotranslate mirror', () => {
  const unknown = (channel: string, language: string) =>
    sentence('autotranslate.channel-language', { channel, language });

  it('links a whole group at once', async () => {
    const channels = '<#1> en, <#2> español, <#3> 日本語';
    const { text } = await harness().run('autotranslate mirror', { channels });
    expect(watches().map(({ id, mode, languages }) => [id, mode, languages])).toEqual([
      ['1', 'mirror', ['en']],
      ['2', 'mirror', ['es']],
      ['3', 'mirror', ['ja']],
    ]);
    const groups = harness()
      .services.watches.list(SPACE)
      .map(({ group }) => group);
    expect(new Set(groups).size).toBe(1);
    expect(groups[0]).toBeDefined();
    expect(text).toContain('- <#1> · English\n- <#2> · Spanish\n- <#3> · Japanese');
  });

  it.each([
    ['#general en, #español es', sentence('autotranslate.mirror-how')],
    ['en', sentence('autotranslate.mirror-how')],
    ['<#1> en', sentence('autotranslate.how-many-channels', { fewest: 2, most: 20 })],
    [
      Array.from({ length: 21 }, (_, id) => `<#${id}> en`).join(),
      sentence('autotranslate.how-many-channels', { fewest: 2, most: 20 }),
    ],
    ['<#1> en, <#1> es', sentence('autotranslate.channel-twice', { channel: '<#1>' })],
    ['<#1> en, <#2>', unknown('<#2>', '–')],
    ['<#1> en, <#2> klingon', unknown('<#2>', '`klingon`')],
    ['<#1> en, <#2> English', sentence('autotranslate.one-language')],
  ])('refuses %j with a sentence that helps', async (channels, expected) => {
    const content = await harness().run('autotranslate mirror', { channels });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain(expected);
    expect(watches()).toEqual([]);
  });
});

describe('/autotranslate off', () => {
  it('ends the watch of a channel, and says so where there was none', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    expect((await harness().run('autotranslate off')).text).toContain('<#100>');
    expect(watches()).toEqual([]);
    expect(await harness().run('autotranslate off')).toMatchObject({ tone: 'note' });
  });

  it('ends a group of which one channel would be left', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es <#3> fr' });
    await harness().run('autotranslate off', { channel: '1' });
    expect(watches()).toHaveLength(2);
    const { text } = await harness().run('autotranslate off', { channel: '2' });
    expect(text).toContain(sentence('autotranslate.off-too', { channel: '<#3>' }));
    expect(watches()).toEqual([]);
  });

  it('ends the watch of a thread’s channel, or of a thread that is a mirror itself', async () => {
    const channel = { ...HERE, id: '101', parentId: '100' };
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate mirror', { channels: '<#101> en <#102> es <#103> fr' });
    await harness().run('autotranslate off', {}, { channel });
    expect(watches().map(({ id }) => id)).toEqual(['100', '102', '103']);
    await harness().run('autotranslate off', {}, { channel });
    expect(watches().map(({ id }) => id)).toEqual(['102', '103']);
  });
});

describe('/autotranslate list', () => {
  it('says where what is on, groups together', async () => {
    expect(await harness().run('autotranslate list')).toMatchObject({ tone: 'note' });
    await harness().run('autotranslate reply', { languages: 'es fr', bots: true });
    await harness().run('autotranslate mirror', {
      channels: '<#1> en <#2> es',
      'voice-messages': false,
    });
    const [replies, mirror] = [
      sentence('autotranslate.modes.reply'),
      sentence('autotranslate.modes.mirror'),
    ];
    const extras = [
      sentence('autotranslate.with-voice-messages'),
      sentence('autotranslate.with-bots'),
    ];
    expect((await harness().run('autotranslate list')).text.split('\n')).toEqual([
      sentence('autotranslate.heading', { count: 3 }),
      `- <#100> · ${replies} · Spanish, French · ${extras.join(' · ')}`,
      `- ${sentence('autotranslate.group', { count: 2 })}`,
      `  - <#1> · ${mirror} · English`,
      `  - <#2> · ${mirror} · Spanish`,
    ]);
  });
});
