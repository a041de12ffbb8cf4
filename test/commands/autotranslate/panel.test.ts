import { describe, expect, it } from 'vitest';
import { isPaused } from '../../../src/model/space.ts';
import { labelled, messageOf, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { memberElsewhere, watchesOf } from './support.ts';
import { MANY_LANGUAGES, usePanel } from './panel-support.ts';

const harness = useCommandHarness();
const { languagesOf, openChannel, watch } = usePanel(harness);
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
    const only = left.others === 1 ? 'panel-remove' : 'off-one';
    const off = await harness().press(`autotranslate.${only}`);
    expect(off.text).toContain(
      left.others === 1
        ? sentence('autotranslate.off-too', { channel: '<#2>' })
        : sentence('autotranslate.off-left', { channels: left.channels }),
    );
  });
});
