import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { isPaused } from '../../../src/model/space.ts';
import { HERE, labelled, messageOf, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';

const harness = useCommandHarness();
const watch = (id: string): ChannelWatch | undefined =>
  harness().services.watches.of({ space: SPACE, id });
const languagesOf = (id: string) => watch(id)?.languages.join();
const openChannel = async (id: string) => {
  await harness().run('autotranslate panel');
  return harness().press('autotranslate.panel-pick', [id]);
};
const MANY_LANGUAGES = 'es,ja,fr,de,it,pt,nl,pl,ko,sv'.split(',');
/** A channel for each of many, each in many languages. */
const watchMany = async (count: number): Promise<void> =>
  harness().services.watches.set(
    Array.from({ length: count }, (_, place) => ({
      channel: { space: SPACE, id: String(1_000 + place) },
      mode: 'reply',
      languages: MANY_LANGUAGES,
      transcribes: true,
      bots: false,
    })),
  );

describe('the panel of /autotranslate', () => {
  it('sets a channel up in three languages with four presses and nothing typed', async () => {
    const { controls } = await harness().run('autotranslate panel');
    expect(controls).toHaveLength(3);
    await harness().press('autotranslate.panel-here');
    const { text } = await harness().press('autotranslate.panel-languages', ['es', 'ja', 'fr']);
    expect(text).toContain('Spanish, Japanese, French');
    expect(watchesOf(harness())).toMatchObject([
      { id: '100', mode: 'reply', languages: ['es', 'ja', 'fr'], transcribes: true, bots: false },
    ]);
  });

  it('lists the channels with what they do, ten at once, but those hidden from the person', async () => {
    await watchMany(60);
    harness().script.access = { 1000: 'none' };
    const first = await harness().run('autotranslate panel');
    expect(first.text.match(/<#\d+>/g)).toHaveLength(10);
    expect(first.text).toContain(sentence('channels.hidden', { count: 1 }));
    expect(first.text).not.toContain('<#1000>');
    const second = await harness().press('autotranslate.panel-more');
    expect(second.text).toContain('<#1011>');
    for (let page = 0; page < 5; page += 1) await harness().press('autotranslate.panel-more');
    expect(harness().shown.at(-1)?.text).toBe(first.text);
  });

  it('keeps its controls within what platforms show, whatever is set', async () => {
    await watchMany(60);
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    for (const id of ['1001', '1', '7']) {
      const { controls = [] } = await openChannel(id);
      const buttons = controls.filter(({ kind }) => kind === 'button').length;
      expect(controls.length - buttons + Math.ceil(buttons / 5)).toBeLessThanOrEqual(5);
      for (const { press } of controls) expect(press.length).toBeLessThanOrEqual(100);
    }
  });

  it('offers the chosen languages and those of the server first, and others by a search', async () => {
    await harness().run('autotranslate reply', { languages: 'ca', channel: '5' });
    const values = (content: Awaited<ReturnType<typeof openChannel>>) => {
      const control = labelled(content, 'autotranslate.panel-languages');
      return control?.kind === 'choice' ? control.choices.map(({ value }) => value) : [];
    };
    const page = await openChannel('6');
    expect(values(page).slice(0, 3)).toEqual(['ca', 'en', 'es']);
    const found = await harness().press('autotranslate.panel-find', ['swahi']);
    expect(values(found)).toEqual(['sw']);
    await harness().press('autotranslate.panel-languages', ['sw']);
    expect(languagesOf('6')).toBe('sw');
    const none = await harness().press('autotranslate.panel-find', ['klingon']);
    expect(none.text).toContain(sentence('errors.unknown-language', { language: '`klingon`' }));
    expect(values(none)[0]).toBe('sw');
  });

  it('pictures a message with the languages of the channel, and names no channel of its own making', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja' });
    const { text } = await openChannel('100');
    expect(text).toContain(' └ español: …\n └ 日本語: …');
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> de' });
    expect((await openChannel('1')).text).not.toContain('español');
  });

  it('says of a quiet channel that it is quiet, as the list and the status do', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().services.spaces.change(SPACE, { quietChannels: ['100'] });
    const shown = [
      (await harness().run('autotranslate panel')).text,
      (await openChannel('100')).text,
      (await harness().run('autotranslate list')).text,
      (await harness().run('status')).text,
      (await harness().run('settings')).text,
    ];
    const quiet = sentence('autotranslate.is-quiet');
    const line = new RegExp(`<#100>.* ${quiet}`, 'u');
    expect(shown.filter((text) => !line.test(text))).toEqual([]);
  });

  it('changes the mode and leaves all else', async () => {
    await harness().run('autotranslate reply', { languages: 'es', bots: true });
    await openChannel('100');
    const { text } = await harness().press('autotranslate.panel-mode', ['thread']);
    expect(text).toContain('🧵');
    expect(watchesOf(harness())).toMatchObject([{ mode: 'thread', languages: ['es'], bots: true }]);
  });

  it('pauses and resumes', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await openChannel('100');
    const { text } = await harness().press('autotranslate.panel-pause');
    expect(text).toContain(sentence('autotranslate.is-paused'));
    expect(isPaused(watch('100')!)).toBe(true);
    await harness().press('autotranslate.panel-resume');
    expect(isPaused(watch('100')!)).toBe(false);
  });

  it('turns a channel off once that is confirmed', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await openChannel('100');
    await harness().press('autotranslate.panel-remove');
    expect(watch('100')).toBeDefined();
    await harness().press('settings.back');
    await harness().press('autotranslate.panel-remove');
    const { text } = await harness().press('autotranslate.panel-remove');
    expect(text).toContain(sentence('autotranslate.off', { channel: '<#100>' }));
    expect(watch('100')).toBeUndefined();
  });

  it('shows the last message as it would be translated, to the one who asks', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja' });
    await openChannel('100');
    harness().script.messages = [messageOf('good *morning*')];
    const { text } = await harness().press('autotranslate.panel-preview');
    expect(text).toContain(sentence('autotranslate.panel-preview-of'));
    expect(text).toContain('es:good morning');
    expect(text).toContain('ja:good morning');
    harness().script.messages = [];
    expect((await harness().press('autotranslate.panel-preview')).text).toContain(
      sentence('autotranslate.panel-no-message', { channel: '<#100>' }),
    );
  });

  it('shows the last message in the languages of channels on other servers, too', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere({ languages: ['fr'] })];
    await openChannel('1');
    harness().script.messages = [messageOf('good morning')];
    const { text } = await harness().press('autotranslate.panel-preview');
    expect(text).toContain('es:good morning');
    expect(text).toContain('fr:good morning');
  });

  it('shows no message to who may not read what was written before', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await openChannel('100');
    harness().script.messages = [messageOf('good morning')];
    harness().script.readsHistory = false;
    const { text } = await harness().press('autotranslate.panel-preview');
    expect(text).toContain(sentence('errors.channel-history', { channel: '<#100>' }));
    expect(text).not.toContain('good morning');
  });

  it('shows no more than the beginning of a long message, in one message with its controls', async () => {
    await harness().run('autotranslate reply', { languages: 'es, ja, fr, de, pt, it, ko, ru, pl' });
    const { length } = (await openChannel('100')).text;
    harness().script.messages = [messageOf('good morning everybody\n'.repeat(200))];
    const { text, controls } = await harness().press('autotranslate.panel-preview');
    expect(text).toContain('es:good morning');
    expect(text).toContain('…');
    expect(text.length - length).toBeLessThan(1_400);
    expect(controls?.length).toBeGreaterThan(3);
  });

  it('links two channels, and adds a third to them', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    await harness().press('autotranslate.panel-pick', ['2']);
    const linked = await harness().press('autotranslate.panel-language', ['es']);
    // The other channels speak what is translated into this one's language.
    expect(linked.text).not.toContain('⚠️');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-pick', ['3']);
    await harness().press('autotranslate.panel-find', ['japan']);
    const { text } = await harness().press('autotranslate.panel-language', ['ja']);
    expect(text).toContain(sentence('autotranslate.group', { count: 3, elsewhere: 0 }));
    expect(watchesOf(harness()).map(({ id, languages }) => `${id} ${languages.join()}`)).toEqual([
      '1 en',
      '2 es',
      '3 ja',
    ]);
    expect(new Set(['1', '2', '3'].map((id) => watch(id)?.group)).size).toBe(1);
    await harness().press('autotranslate.panel-language', ['fr']);
    expect(languagesOf('1')).toBe('fr');
  });

  it('asks no language of a channel that is linked already', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    const joined = { channel: '<#2>', other: '<#1>', language: 'Spanish' };
    expect((await harness().press('autotranslate.panel-pick', ['2'])).text).toContain(
      sentence('autotranslate.joined', joined),
    );
    await openChannel('3');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['ja']);
    const { text } = await harness().press('autotranslate.panel-pick', ['2']);
    expect(text).toContain(sentence('autotranslate.panel-heading', { channel: '<#3>' }));
    expect(watchesOf(harness()).map(({ languages }) => languages.join())).toEqual([
      'en',
      'es',
      'ja',
    ]);
  });

  it('names its channel, and those of other servers that are linked with it', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '7' });
    const heading = (id: string) =>
      sentence('autotranslate.panel-heading', { channel: `<#${id}>` });
    expect((await openChannel('7')).text.startsWith(`${heading('7')}\n`)).toBe(true);
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const group = sentence('autotranslate.group', { count: 3, elsewhere: 1 });
    const { text } = await openChannel('2');
    expect(text).toContain(`${heading('2')} · ${group}\n`);
    expect(text).toContain('- #there');
    expect((await harness().run('autotranslate panel')).text).toContain(
      sentence('autotranslate.elsewhere', { count: 1 }),
    );
  });

  it('says before it links a channel what that ends there', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '4' });
    await openChannel('3');
    const asked = await harness().press('autotranslate.panel-link');
    expect(asked.text).not.toContain('⚠️');
    const pick = await harness().press('autotranslate.panel-language', ['ja']);
    const entry = sentence('autotranslate.panel-elsewhere');
    expect(pick.text).toBe(sentence('autotranslate.panel-link-to', { channel: '<#3>', entry }));
    const { text } = await harness().press('autotranslate.panel-pick', ['4']);
    const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
    expect(text).toContain(sentence('autotranslate.link-replaces', { channel: '<#4>', before }));
  });

  it('says which channels elsewhere would see a channel before it is linked with their group', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    harness().script.members = [memberElsewhere()];
    const seen = { channel: '<#3>', channels: '#there' };
    const begin = async (id: string) => {
      await openChannel(id);
      await harness().press('autotranslate.panel-link');
    };
    await begin('3');
    await harness().press('autotranslate.panel-language', ['ja']);
    const asked = await harness().press('autotranslate.panel-pick', ['1']);
    expect(asked.text).toBe(sentence('autotranslate.join-seen', seen));
    await begin('1');
    await harness().press('autotranslate.panel-pick', ['3']);
    const also = await harness().press('autotranslate.panel-language', ['ja']);
    expect(also.text).toBe(asked.text);
    const members = harness().script.members;
    harness().script.members = [...members, { ...members[0]!, key: 'slack C9', name: '#more' }];
    const again = await harness().press('autotranslate.link-yes');
    expect(again.text).toContain('#more');
    expect(watchesOf(harness())).toHaveLength(2);
    const { text } = await harness().press('autotranslate.link-yes');
    expect(text).toContain(sentence('autotranslate.panel-heading', { channel: '<#1>' }));
    expect(watchesOf(harness()).at(-1)).toMatchObject({ id: '3', languages: ['ja'] });
  });

  it('keeps a language that somebody added after the panel was shown', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate add', { language: 'ja' });
    const { text } = await harness().pressNamed(
      'autotranslate languages:100',
      {},
      ['es', 'fr'],
      ['es'],
    );
    expect(text).not.toContain('⚠️');
    expect(watchesOf(harness())).toMatchObject([{ languages: ['es', 'ja', 'fr'] }]);
  });

  it.each([
    ['of two', '<#1> en <#2> es', { channels: '<#2>', others: 1 }],
    ['that others stay in', '<#1> en <#2> es <#3> fr', { channels: '<#2>, <#3>', others: 2 }],
  ])('says before a channel is turned off that it leaves a group %s', async (_, channels, left) => {
    await harness().run('autotranslate mirror', { channels });
    await openChannel('1');
    const { text } = await harness().press('autotranslate.panel-remove');
    const parts = { channel: '<#1>', elsewhere: 0, ...left };
    expect(text).toContain(sentence('autotranslate.parts', parts));
    const off = await harness().press('autotranslate.panel-remove');
    expect(off.text).toContain(
      left.others === 1
        ? sentence('autotranslate.off-too', { channel: '<#2>' })
        : sentence('autotranslate.off-left', { channels: left.channels }),
    );
  });

  it('takes no channel out of another group', async () => {
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    await harness().run('autotranslate mirror', { channels: '<#3> en <#4> es' });
    const before = watchesOf(harness());
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    const { text } = await harness().press('autotranslate.panel-pick', ['3']);
    expect(text).toContain(sentence('autotranslate.join-grouped', { channel: '<#3>' }));
    expect(watchesOf(harness())).toEqual(before);
  });

  it('links no channel with itself, and none with another in the same language', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    const itself = await harness().press('autotranslate.panel-pick', ['1']);
    expect(itself.text).toContain(sentence('autotranslate.join-itself'));
    const same = await harness().pressNamed('autotranslate linkas:1/en/2', {}, ['en']);
    expect(same.text).toContain(sentence('autotranslate.one-language'));
    expect(watchesOf(harness())).toEqual([]);
    await harness().press('autotranslate.panel-language', ['es']);
    expect(watchesOf(harness())).toMatchObject([
      { id: '1', languages: ['en'] },
      { id: '2', languages: ['es'] },
    ]);
  });

  it('keeps the language that was chosen where a channel cannot be linked with itself', async () => {
    await openChannel('1');
    await harness().press('autotranslate.panel-link');
    await harness().press('autotranslate.panel-language', ['en']);
    await harness().press('autotranslate.panel-pick', ['1']);
    await harness().press('autotranslate.panel-pick', ['2']);
    await harness().press('autotranslate.panel-language', ['es']);
    expect(watchesOf(harness())).toMatchObject([{ languages: ['en'] }, { languages: ['es'] }]);
  });
});

describe('a press of the panel that cannot be done', () => {
  it('says what is missing, and the page stays', async () => {
    await openChannel('100');
    harness().script.refusal = new AppError('forbidden', 'missing', {
      sentence: { key: 'watch.missing', params: { permissions: { list: ['View Channel'] } } },
    });
    const content = await harness().press('autotranslate.panel-languages', ['es']);
    expect(content.text).toContain('View Channel');
    expect(labelled(content, 'autotranslate.panel-languages')).toBeDefined();
    expect(watchesOf(harness())).toEqual([]);
  });

  it('is told where another moderator has changed the channel meanwhile', async () => {
    await harness().run('autotranslate reply', { languages: 'es', channel: '1' });
    await openChannel('1');
    const panel = harness().shown.at(-1);
    await harness().run('autotranslate mirror', { channels: '<#1> en <#2> es' });
    const { press = '' } = labelled(panel, 'autotranslate.panel-mode') ?? {};
    const content = await harness().pressNamed(press, {}, ['thread']);
    expect(content.text).toContain(sentence('autotranslate.panel-changed', { channel: '<#1>' }));
    expect(content.text).toContain('<#2>');
    expect(watch('1')).toMatchObject({ mode: 'mirror', languages: ['en'] });
  });

  it('ends nothing twice', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().pressNamed('autotranslate off:100');
    expect((await harness().pressNamed('autotranslate off:100')).text).toContain(
      sentence('autotranslate.not-on', { channel: '<#100>' }),
    );
  });

  const FORGED = [
    ['languages:100', ['ja']],
    ['mode:100', ['thread']],
    ['pause:100', []],
    ['off:100', []],
    ['linkas:100/en/2', ['ja']],
    ['linksure:100/en/2/ja', []],
  ] as const;

  it.each(FORGED)('has no effect where somebody forges it: %s', async (press, values) => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const before = watch('100');
    const asMember = { member: { ...BOB } };
    const { text } = await harness().pressNamed(`autotranslate ${press}`, asMember, values);
    expect(text).toContain(sentence('errors.needs-moderator'));
    harness().script.access = { 100: press.startsWith('off') ? 'none' : 'see' };
    await harness().pressNamed(`autotranslate ${press}`, {}, values);
    harness().script.access = { 100: 'none' };
    const hidden = await harness().pressNamed(`autotranslate ${press}`, {}, values);
    expect(hidden.tone === 'error' || hidden.text.includes('⚠️')).toBe(true);
    expect(watch('100')).toEqual(before);
  });

  it.each([
    ['languages:100', ['klingon']],
    ['languages:100', [...MANY_LANGUAGES, 'tr']],
    ['languages:100', []],
    ['language:100', ['ja']],
    ['mode:100', ['mirror']],
    ['linkas:100//2', ['ja']],
    ['linkfrom:100', ['<#1>']],
  ])('has no effect where it carries what is none of its choices: %s %s', async (press, values) => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const before = watchesOf(harness());
    await harness().pressNamed(`autotranslate ${press}`, { channel: HERE }, values);
    expect(watchesOf(harness())).toEqual(before);
  });
});
