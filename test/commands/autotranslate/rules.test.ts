import { describe, expect, it } from 'vitest';
import { RULE_VALUE_CHARS, RULE_VALUES } from '../../../src/model/rules.ts';
import { HERE, labelled, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';

const harness = useCommandHarness();

const set = async (options: Record<string, unknown>) => {
  if (!harness().services.watches.of(HERE))
    await harness().run('autotranslate reply', { languages: 'es' });
  return harness().run('autotranslate rules', options);
};
const rules = () => harness().services.watches.of(HERE)?.choices?.rules;

describe('/autotranslate rules', () => {
  it('says that there are none, and how one is set', async () => {
    const { text } = await set({});
    expect(text).toContain(sentence('rules.none'));
    expect(text).toContain(sentence('rules.how'));
  });

  it.each([
    ['people', '<@1> and <@2>', { of: ['1', '2'] }],
    ['roles', '<@&7>', { of: ['7'] }],
    ['words', 'spoiler, gg ,, spoiler', { of: ['spoiler', 'gg'] }],
    ['beginnings', '!!, ((', { of: ['!!', '(('] }],
    ['types', 'Recordings, links alone', { of: ['recordings', 'links'] }],
  ])('leaves out by %s', async (about, values, rule) => {
    const { text } = await set({ about, values });
    expect(text).not.toContain(sentence('rules.how'));
    expect(rules()).toEqual({ [about]: rule });
    await set({ about, values, rule: 'only' });
    expect(rules()).toEqual({ [about]: { ...rule, only: true } });
    await set({ about, rule: 'none' });
    expect(rules()).toEqual({ [about]: { of: [] } });
  });

  it('looks up no more people than a rule holds, and none after one who is unknown', async () => {
    const looked: string[] = [];
    const people = async (_: unknown, typed: string) => {
      looked.push(typed);
      return [];
    };
    Object.assign(harness().services, { people });
    const values = Array.from({ length: 500 }, (_, at) => at.toString(36));
    const { text } = await set({ about: 'people', values: values.join(',') });
    expect(text).toBe(sentence('rules.too-much', { most: RULE_VALUES, chars: RULE_VALUE_CHARS }));
    expect(looked).toEqual([]);
    await set({ about: 'people', values: values.slice(0, RULE_VALUES).join(',') });
    expect(looked).toEqual(values.slice(0, 5));
  });

  it('sets back a rule that ended by typing, with all others', async () => {
    await set({ about: 'words', values: 'spoiler' });
    await set({ about: 'shortest', values: '4' });
    const before = rules();
    const untouched = await set({ about: 'types', rule: 'none' });
    expect(labelled(untouched, 'autotranslate.wizard-undo')).toBeUndefined();
    const ended = [
      await set({ about: 'words', rule: 'none' }),
      await set({ about: 'shortest', rule: 'none' }),
    ];
    expect(rules()).toMatchObject({ words: { of: [] }, shortest: 0 });
    for (const { controls } of ended.toReversed()) {
      const [undo] = controls ?? [];
      const press = undo?.kind === 'button' ? undo.press : '';
      expect((await harness().pressNamed(press)).text).toContain(
        sentence('autotranslate.restored'),
      );
    }
    expect(rules()).toMatchObject(before ?? {});
    expect(
      labelled(await harness().pressNamed('autotranslate rules:100'), 'autotranslate.wizard-undo'),
    ).toBeUndefined();
  });

  it('sets back a rule of all channels that ended by typing, unless it was set anew', async () => {
    const ofSpace = async () => (await harness().services.spaces.of(SPACE)).rules;
    const ended = async (about: string) => set({ about, rule: 'none', everywhere: true });
    await set({ about: 'words', values: 'spoiler', everywhere: true });
    await set({ about: 'shortest', values: '4', everywhere: true });
    const before = await ofSpace();
    expect(labelled(await ended('types'), 'autotranslate.wizard-undo')).toBeUndefined();
    const undo = labelled(await ended('words'), 'autotranslate.wizard-undo');
    expect((await ofSpace()).words).toEqual({ of: [] });
    const { press = '' } = undo ?? {};
    const { text } = await harness().pressNamed(press);
    expect(text).toContain(sentence('autotranslate.restored'));
    expect(text).toContain(sentence('rules.skip.words', { values: '`spoiler`' }));
    expect(await ofSpace()).toMatchObject(before);
    expect((await harness().pressNamed(press)).text).toBe(sentence('autotranslate.undone-already'));
    const late = labelled(await ended('words'), 'autotranslate.wizard-undo');
    await set({ about: 'words', values: 'gg', everywhere: true });
    await harness().pressNamed(late?.press ?? '');
    expect((await ofSpace()).words).toEqual({ of: ['gg'] });
  });

  it('has no Undo for a rule that was set again as it was', async () => {
    await set({ about: 'words', values: 'spoiler' });
    await set({ about: 'words', rule: 'none' });
    const undo = async () =>
      labelled(await harness().pressNamed('autotranslate rules:100'), 'autotranslate.wizard-undo');
    expect(await undo()).toBeDefined();
    await set({ about: 'words', values: 'spoiler' });
    expect(await undo()).toBeUndefined();
  });

  it('takes a shortest text, languages and an engine', async () => {
    harness().script.engines = [
      { name: 'deepl', serves: ['translation'], ready: true, detail: '' },
    ] as never;
    await set({ about: 'shortest', values: '4' });
    await set({ about: 'languages', values: 'English, ja' });
    await set({ about: 'formality', values: 'Formal address' });
    await set({ about: 'reading', values: 'Spanish' });
    const { text } = await set({ about: 'engine', values: 'DeepL' });
    const formality = 'formal';
    expect(rules()).toEqual({
      shortest: 4,
      languages: ['en', 'ja'],
      engine: 'deepl',
      formality,
      reading: 'es',
    });
    expect(text).toContain(sentence('rules.reading', { language: 'Spanish' }));
    // Most small engines address people as they do.
    expect(text).toContain(
      sentence('rules.formality-shown', { formality: sentence('rules.formality.formal') }),
    );
    expect(text).toContain(sentence('rules.shortest', { count: 4 }));
  });

  it.each([
    ['people', 'Ada'],
    ['words', ' , '],
    ['types', 'songs'],
    ['languages', 'Klingonese'],
    ['shortest', '-1'],
    ['shortest', '5000'],
    ['shortest', 'four'],
    ['engine', 'gpt'],
    ['reading', 'Klingonese'],
    ['words', Array.from({ length: 51 }, (_, index) => `w${index}`).join()],
    ['words', 'x'.repeat(101)],
    ['words', undefined],
  ])('refuses %s %s', async (about, values) => {
    expect((await set({ about, ...(values === undefined ? {} : { values }) })).tone).toBe('error');
    expect(rules()).toBeUndefined();
  });

  it('sets rules for all channels, which those of a channel go before', async () => {
    await set({});
    // By two moderators at once.
    await Promise.all([
      set({ about: 'words', values: 'gg', everywhere: true }),
      set({ about: 'shortest', values: '3', everywhere: true }),
    ]);
    expect(rules()).toBeUndefined();
    expect((await harness().services.spaces.of(SPACE)).rules).toMatchObject({
      words: { of: ['gg'] },
      shortest: 3,
    });
    const { text } = await set({ about: 'shortest', values: '9' });
    expect(text).toContain(sentence('rules.of-space'));
    expect(text).toContain(sentence('rules.shortest', { count: 9 }));
    expect(text).not.toContain(sentence('rules.shortest', { count: 3 }));
  });

  it('is for moderators of channels that are translated', async () => {
    const asked = { about: 'words', values: 'gg' };
    expect((await harness().run('autotranslate rules', asked)).tone).toBe('error');
    await set({});
    const member = { role: 'member' } as const;
    const { tone } = await harness().run('autotranslate rules', asked, { member });
    expect(tone).toBe('error');
    expect(rules()).toBeUndefined();
  });
});

describe('the page of rules in the panel', () => {
  const open = async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate panel');
    await harness().press('autotranslate.panel-here');
    return harness().press('rules.panel');
  };

  it('sets the language of readers of a channel, which goes before that of all channels', async () => {
    await harness().run('settings');
    await harness().press('rules.panel-reading');
    await harness().press('rules.panel-reading', ['fr']);
    const front = await harness().press('settings.back');
    expect(front.text).toContain(sentence('rules.reading', { language: 'French' }));
    await open();
    const page = await harness().press('rules.panel-reading');
    const shown = (content: typeof page) => {
      const control = labelled(content, 'rules.panel-reading');
      return control?.kind === 'choice'
        ? control.choices.filter(({ chosen }) => chosen).map(({ value }) => value)
        : [];
    };
    expect(shown(page)).toEqual(['fr']);
    expect(shown(await harness().press('rules.panel-reading', ['ja']))).toEqual(['ja']);
    expect(rules()).toEqual({ reading: 'ja' });
    const asked = await harness().run('autotranslate rules', {});
    expect(asked.text).toContain(sentence('rules.reading', { language: 'Japanese' }));
    expect(shown(await harness().pressNamed('autotranslate rulereads:100', {}, ['own']))).toEqual([
      'own',
    ]);
    expect(rules()).toEqual({ reading: '' });
    const forged = await harness().pressNamed('autotranslate rulereads:100', {}, ['Klingonese']);
    expect(forged.text).toContain('Klingonese');
    expect(rules()).toEqual({ reading: '' });
  });

  it('sets rules by pressing, shows them, and ends them', async () => {
    const { text, controls } = await open();
    expect(text).toContain(sentence('rules.none'));
    expect(controls).toHaveLength(9);
    await harness().press('rules.panel-formality', ['informal']);
    expect(rules()).toEqual({ formality: 'informal' });
    await harness().press('rules.panel-formality', ['usual']);
    await harness().press('rules.panel-types', ['polls', 'links']);
    await harness().press('rules.panel-shortest', ['3']);
    await harness().press('rules.panel-languages');
    await harness().press('rules.panel-languages', ['en']);
    await harness().press('settings.back');
    await harness().press('rules.panel-words', ['gg, lol, gg']);
    const shown = await harness().press('rules.panel-beginnings', ['!play']);
    expect(rules()).toEqual({
      types: { of: ['links', 'polls'] },
      formality: '',
      shortest: 3,
      languages: ['en'],
      words: { of: ['gg', 'lol'] },
      beginnings: { of: ['!play'] },
    });
    expect(shown.text).toContain(sentence('rules.shortest', { count: 3 }));
    await harness().press('rules.panel-words', ['lol, brb']);
    expect(rules()?.words).toEqual({ of: ['gg', 'lol', 'brb'] });
    await harness().press('rules.panel-languages');
    await harness().press('rules.panel-languages', []);
    expect(rules()?.languages).toEqual([]);
    await harness().press('settings.back');
    const none = await harness().press('rules.panel-end');
    expect(none.text).toContain(sentence('rules.none'));
    expect(rules()).toEqual({});
    expect(labelled(none, 'rules.panel-end')).toBeUndefined();
  });

  it('has an Undo after the end of all rules, for as long as there are no others', async () => {
    await open();
    await harness().pressNamed('autotranslate rulewords:100', {}, ['gg']);
    const before = rules();
    const { controls = [] } = await harness().pressNamed('autotranslate ruleend:100');
    const { press = '' } = labelled({ controls }, 'autotranslate.wizard-undo') ?? {};
    // The page that was left open ends nothing, and has the same Undo.
    await harness().pressNamed('autotranslate ruleend:100');
    await harness().pressNamed(press, { member: BOB });
    expect(rules()).toEqual({});
    const { text } = await harness().pressNamed(press);
    expect(text).toContain(sentence('autotranslate.restored'));
    expect(rules()).toEqual(before);
    const page = await harness().press('settings.back');
    expect(page.text).toContain(sentence('rules.of-channel', { channel: '<#100>' }));
    expect((await harness().pressNamed(press)).text).toBe(sentence('autotranslate.undone-already'));
    await harness().pressNamed('autotranslate ruleend:100');
    await harness().run('autotranslate rules', { about: 'shortest', values: '5' });
    const anew = await harness().pressNamed('autotranslate rules:100');
    expect(labelled(anew, 'autotranslate.wizard-undo')).toBeUndefined();
  });

  it('leaves a rule as it is that leaves out all else', async () => {
    const only = { words: { only: true, of: ['dragon'] }, types: { only: true, of: ['text'] } };
    await open();
    for (const [about, { of }] of Object.entries(only))
      await harness().run('autotranslate rules', { about, rule: 'only', values: of.join(', ') });
    const content = await harness().pressNamed('autotranslate rules:100');
    expect(labelled(content, 'rules.panel-words')).toBeUndefined();
    expect(labelled(content, 'rules.panel-types')).toBeUndefined();
    await harness().pressNamed('autotranslate rulewords:100', {}, ['gg']);
    await harness().pressNamed('autotranslate ruletypes:100', {}, ['polls'], []);
    expect(rules()).toMatchObject(only);
  });

  it.each(['rules.panel-languages', 'rules.panel-reading'] as const)(
    'offers the languages of the server first, and others by a search: %s',
    async (key) => {
      await harness().run('autotranslate reply', { languages: 'ca', channel: '5' });
      await open();
      const values = (content: Awaited<ReturnType<typeof open>>) => {
        const control = labelled(content, key);
        return control?.kind === 'choice' ? control.choices.map(({ value }) => value) : [];
      };
      const used = values(await harness().press(key)).filter((value) => value !== 'own');
      expect(used.slice(0, 2)).toEqual(['ca', 'es']);
      expect(values(await harness().press('autotranslate.panel-find', ['swahi']))).toContain('sw');
      await harness().press(key, ['sw']);
      expect(JSON.stringify(rules())).toContain('"sw"');
    },
  );

  it.each([
    ['ruleshortest', ['4']],
    ['ruleformality', ['rude']],
    ['ruleshortest', []],
    ['rulelanguages', ['xx-klingon']],
    ['rulewords', [' , ']],
    ['rulewords', ['x'.repeat(101)]],
  ])('changes nothing for forged values: %s %j', async (press, values) => {
    await open();
    const { text } = await harness().pressNamed(`autotranslate ${press}:100`, {}, values);
    expect(text).toContain('⚠️');
    expect(rules()).toBeUndefined();
  });
});
