import { describe, expect, it, vi } from 'vitest';
import { HERE, labelled, messageOf } from '../../fakes/command-harness.ts';
import { audio } from '../../src/autotranslate/support.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

const reader = { ...BOB, locale: 'ja' };
const written = (id: string, text: string) => ({
  ...messageOf(text),
  ref: { channel: HERE, id },
  // The present of the harness.
  position: String(Date.UTC(2026, 4, 20, 13) + Number(id)),
});

describe('/autotranslate compact', () => {
  it('watches the channel and says that long texts are cut', async () => {
    const { text } = await harness().run('autotranslate compact', { languages: 'es, ja' });
    expect(watchesOf(harness())).toEqual([
      { id: '100', mode: 'compact', languages: ['es', 'ja'], transcribes: true, bots: false },
    ]);
    expect(text).toContain(sentence('autotranslate.compact-cut'));
  });
});

describe('/autotranslate request', () => {
  it('keeps the languages, and leaves all lines of the channel to its notice', async () => {
    await harness().run('autotranslate reply', { languages: 'es' });
    const { text, controls } = await harness().run('autotranslate request');
    expect(watchesOf(harness())).toMatchObject([{ id: '100', mode: 'request', languages: ['es'] }]);
    expect(harness().script.posted).toEqual([]);
    expect(text).toContain(sentence('autotranslate.request-set', { channel: '<#100>' }));
    expect(text).toMatch(/⚠️ .*<#100>.*Spanish/);
    expect(controls ?? []).toEqual([]);
  });

  it('has the rules in the panel where it says that they apply', async () => {
    const entry = sentence('rules.panel');
    const isOffered = async (): Promise<boolean> => {
      const page = await harness().pressNamed('autotranslate page:100');
      return labelled(page, 'rules.panel') !== undefined;
    };
    await harness().run('autotranslate request');
    expect(await isOffered()).toBe(false);
    await harness().run('autotranslate reply', { languages: 'es' });
    await harness().run('autotranslate rules', { about: 'words', values: 'gg' });
    const { text } = await harness().run('autotranslate request');
    expect(text).toContain(sentence('autotranslate.rules-hold', { channel: '<#100>', entry }));
    expect(await isOffered()).toBe(true);
  });

  it('takes no language more', async () => {
    await harness().run('autotranslate request');
    const { text } = await harness().run('autotranslate add', { language: 'es' });
    expect(text).toBe(sentence('autotranslate.add-on-request', { channel: '<#100>' }));
    expect(watchesOf(harness())).toMatchObject([{ mode: 'request', languages: [] }]);
  });

  it('is listed without languages', async () => {
    for (const languages of [undefined, 'es, de']) {
      if (languages) await harness().run('autotranslate reply', { languages });
      await harness().run('autotranslate request');
      const { text } = await harness().run('autotranslate list');
      expect(text).toMatch(new RegExp(`<#100> · ${sentence('autotranslate.modes.request')}$`, 'm'));
    }
  });

  it('keeps the languages of before, none of which can be removed meanwhile', async () => {
    await harness().run('autotranslate reply', { languages: 'es, de' });
    await harness().pressNamed('autotranslate page:100');
    await harness().press('autotranslate.panel-mode', ['request']);
    const { text } = await harness().run('autotranslate remove', { language: 'es' });
    expect(text).toBe(sentence('autotranslate.add-on-request', { channel: '<#100>' }));
    await harness().pressNamed('autotranslate page:100');
    await harness().press('autotranslate.panel-mode', ['compact']);
    expect(watchesOf(harness())).toMatchObject([
      { mode: 'compact', languages: ['es', 'de'], transcribes: true },
    ]);
  });

  it('is for moderators', async () => {
    const { text } = await harness().run('autotranslate request', {}, { member: BOB });
    expect(text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
  });
});

describe('the button of a channel that is translated on request', () => {
  it('shows the last messages in the language of the one who presses', async () => {
    harness().script.messages = [written('1', 'hello'), written('2', 'bye')];
    const { text } = await harness().pressNamed('catchup recent', { member: reader });
    expect(text).toMatch(/ \*\*Bob\*\*: ja:hello\n {2}- \S+ ja:bye/);
    expect(text).toContain('日本語');
  });

  it('shows them in the language that this person chose', async () => {
    harness().script.messages = [written('1', 'hello')];
    await harness().pressNamed('language pick', { member: BOB });
    await harness().press('language.button', ['es'], { member: BOB });
    const { text } = await harness().pressNamed('catchup recent', { member: BOB });
    expect(text).toContain('es:hello');
  });

  it('says where nothing was written', async () => {
    const { text, tone } = await harness().pressNamed('catchup recent', { member: BOB });
    const said = [
      sentence('autotranslate.read-none'),
      sentence('catchup.older-threads', { threads: 'channels' }),
    ].join('\n');
    expect([text, tone]).toEqual([said, 'note']);
  });

  it('shows the newest ones first, and the ones before them on earlier pages', async () => {
    harness().script.messages = Array.from({ length: 13 }, (_, at) => written(`${at}`, `no ${at}`));
    const { text } = await harness().pressNamed('catchup recent', { member: BOB });
    expect(text).toContain('no 12');
    expect(text).not.toMatch(/no 2\b/);
    const earlier = await harness().press('catchup.earlier', [], { member: BOB });
    expect(earlier.text).toMatch(/no 0\b[^]*no 2\b/);
  });

  it('leads to pages for everybody, whatever roles /catchup is for', async () => {
    await harness().pressNamed('settings roles:catchup', {}, ['11']);
    harness().script.messages = Array.from({ length: 13 }, (_, at) => written(`${at}`, `no ${at}`));
    await harness().pressNamed('catchup recent', { member: BOB });
    const earlier = await harness().press('catchup.earlier', [], { member: BOB });
    expect(earlier.text).toMatch(/no 0\b/);
    const { files } = await harness().press('catchup.file', [], { member: BOB });
    expect(files).toHaveLength(1);
    const refused = await harness().run('catchup', {}, { member: BOB });
    expect(refused.text).toBe(sentence('errors.needs-role', { command: 'catchup' }));
  });

  it('shows nothing of a channel that the person may not see', async () => {
    harness().script.messages = [written('1', 'hello')];
    harness().script.access = { '100': 'none' };
    const { text } = await harness().pressNamed('catchup recent', { member: reader });
    expect(text).not.toContain('hello');
  });
});

describe('the button of a compact reply', () => {
  const whole = 'long '.repeat(50).trim();

  it('shows the whole translation in the language of the one who presses', async () => {
    harness().script.messages = [written('1', whole)];
    const { text } = await harness().pressNamed('translate whole:1', { member: reader });
    expect(text).toBe(`ja:${whole}`);
  });

  it('hears a recording once, and translates it once for each language, however often it is pressed', async () => {
    const { script, services } = harness();
    const file = audio('hello');
    script.messages = [{ ...written('1', whole), files: [file] }];
    const hear = vi.spyOn(services.transcriber, 'transcribe');
    const translate = vi.spyOn(services.translator, 'translate');
    const press = async (member: typeof reader) =>
      (await harness().pressNamed('translate whole:1', { member })).text;
    const first = await press(reader);
    expect(first).toContain('hello');
    expect(await press(reader)).toBe(first);
    await press({ ...BOB, locale: 'fr' });
    expect([hear.mock.calls.length, translate.mock.calls.length]).toEqual([1, 2]);
    // It was edited.
    script.messages = [{ ...written('1', 'short'), files: [file] }];
    expect(await press(reader)).toContain('short');
  });

  it('says so where the message is in that language', async () => {
    harness().script.messages = [written('1', whole)];
    const { text } = await harness().pressNamed('translate whole:1', { member: BOB });
    expect(text).toBe(sentence('translate.same-language', { language: 'English' }));
  });

  it.each(['2', '', '../1', '1/../1'])('finds nothing by %j', async (id) => {
    harness().script.messages = [written('1', whole)];
    const { text } = await harness().pressNamed(`translate whole:${id}`, { member: reader });
    expect(text).not.toContain('long');
  });

  it('shows nothing of a channel that the person may not see, or whose history they may not read', async () => {
    harness().script.messages = [written('1', whole)];
    harness().script.readsHistory = false;
    const unread = await harness().pressNamed('translate whole:1', { member: reader });
    expect(unread.text).not.toContain('long');
    Object.assign(harness().script, { readsHistory: true, access: { '100': 'none' } });
    const { text } = await harness().pressNamed('translate whole:1', { member: reader });
    expect(text).not.toContain('long');
  });

  it('shows nothing of our own messages, which no compact reply holds', async () => {
    const author = { id: 'us', name: 'Cat', kind: 'ourselves' } as const;
    harness().script.messages = [{ ...written('1', whole), author }];
    const { text } = await harness().pressNamed('translate whole:1', { member: reader });
    expect(text).toBe(sentence('errors.not-found', {}, 'ja'));
  });
});
