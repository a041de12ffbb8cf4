import { userError } from '../../src/errors.ts';
import { describe, expect, it } from 'vitest';
import type { MessageFile } from '../../src/model/message.ts';
import { attachmentOf } from '../fakes/core-harness.ts';
import { messageOf } from '../fakes/command-harness.ts';
import { useCommandHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const harness = useCommandHarness();

const file = (name: string, mediaType: string, part: Partial<MessageFile> = {}): MessageFile => ({
  ...attachmentOf(new Uint8Array(3), name),
  id: name,
  mediaType,
  ...part,
});
const picture = file('a.png', 'image/png');
const voice = file('voice-message', 'application/octet-stream', {
  voice: { durationMs: 570_000, loudness: [] },
});

const on = (text: string, files: readonly MessageFile[] = []) => ({ on: messageOf(text, files) });

describe('the menu of messages', () => {
  it('has translate, transcribe, read aloud, why and read from here', () => {
    const menu = harness().commands.flatMap(({ name, menu: title }) =>
      title === undefined ? [] : [[name, title]],
    );
    expect(menu).toEqual([
      ['catchup', sentence('commands.catchup.menu')],
      ['say', sentence('commands.say.menu')],
      ['transcribe', sentence('commands.transcribe.menu')],
      ['translate', sentence('commands.translate.menu')],
      ['why', sentence('commands.why.menu')],
    ]);
  });

  it('translates what was written', async () => {
    const { text } = await harness().run('translate', {}, on('hello', [voice]));
    expect(text).toContain(sentence('translate.same-language', { language: 'English' }));
    const member = { locale: 'ja' };
    expect((await harness().run('translate', {}, { ...on('hello'), member })).text).toBe(
      'ja:hello',
    );
  });

  it.each([
    ['a voice message', voice],
    ['a file that says it is audio', file('x', 'audio/ogg')],
    ['a file named as audio is', file('x.MP3', 'application/octet-stream')],
  ])('transcribes and translates %s', async (_, audio) => {
    const member = { locale: 'ja' };
    const asking = { ...on(' ', [picture, audio]), member };
    expect((await harness().run('translate', {}, asking)).text).toBe(
      'hello\n\n**日本語**\nja:hello',
    );
    expect((await harness().run('transcribe', {}, asking)).text).toBe('hello');
  });

  it.each([
    ['translate', 'translate.nothing-in-message'],
    ['transcribe', 'transcribe.no-sound'],
    ['say', 'say.nothing-in-message'],
  ] as const)('says that there is nothing to %s in a message of pictures', async (command, key) => {
    const content = await harness().run(command, {}, on('', [picture]));
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toBe(sentence(key));
  });
});

describe('/translate', () => {
  it.each([{}, { text: 'a', audio: attachmentOf(new Uint8Array(1)) }])(
    'takes a text or a file, one of them',
    async (options) => {
      const content = await harness().run('translate', options);
      expect(content.text).toBe(sentence('translate.text-or-audio'));
    },
  );

  it('shows what was said in a file that is in the language already', async () => {
    const audio = attachmentOf(new Uint8Array(1));
    expect(await harness().run('translate', { audio, to: 'en' })).toEqual({ text: 'hello' });
  });
});

describe('/transcribe', () => {
  const audio = attachmentOf(new Uint8Array(1));
  const segments = [{ startMs: 0, endMs: 1, text: 'a' }];
  const transcript = { text: 'a', language: 'en', durationMs: 1, segments };

  it.each([
    ['txt', '[00:00:00] a\n', 'text/plain'],
    ['srt', '1\n00:00:00,000 --> 00:00:00,001\na\n', 'application/x-subrip'],
    ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:00.001\na\n', 'text/vtt'],
  ])('gives a file as %s', async (format, expected, mediaType) => {
    harness().script.transcript = transcript;
    const { text, files } = await harness().run('transcribe', { audio, format });
    expect(text).toBe('a');
    expect(files).toMatchObject([{ name: `transcript.${format}`, mediaType }]);
    expect(Buffer.from(files?.[0]?.bytes ?? []).toString()).toBe(expected);
  });

  it('gives a long transcript as a file too, translated or not', async () => {
    harness().script.transcript = { ...transcript, text: 'x'.repeat(2_001) };
    expect((await harness().run('transcribe', { audio })).files).toMatchObject([
      { name: 'transcript.txt' },
    ]);
    expect((await harness().run('transcribe', { audio, to: 'ja' })).files).toHaveLength(1);
    harness().script.transcript = transcript;
    expect((await harness().run('transcribe', { audio })).files).toBeUndefined();
  });

  it('says how far it is while it listens for long', async () => {
    harness().script.heard = [
      { text: '', transcribedMs: 55_000, totalMs: 570_000 },
      { text: 'one', transcribedMs: 120_400, totalMs: 570_000 },
    ];
    await harness().run('transcribe', {}, on('', [voice]));
    const texts = harness().shown.map(({ text }) => text);
    const listening = (heard: string) =>
      sentence('transcribe.listening-of', { heard, total: '9:30' });
    expect(texts[0]).toBe(listening('0:55'));
    expect(texts).toContain(`one\n\n${listening('2:00')}`);
    expect(texts.at(-1)).toBe('hello');
  });

  it.each([
    ['', ''],
    ['one', 'one\n\n'],
  ])('leaves of a recording that fails after %j no word of its progress', async (text, kept) => {
    harness().script.heard = [{ text, transcribedMs: 61_000, totalMs: 570_000 }];
    harness().script.deafness = userError('not-found', 'speech.nothing-heard');
    const shown = await harness().run('transcribe', { audio });
    expect(shown).toMatchObject({
      tone: 'error',
      text: `${kept}${sentence('speech.nothing-heard')}`,
    });
  });

  it('says what was heard where nobody knows how long it is, and nothing of what is short', async () => {
    harness().script.heard = [{ text: 'one', transcribedMs: 61_000, totalMs: undefined }];
    await harness().run('transcribe', { audio });
    expect(harness().shown[0]?.text).toBe(
      `one\n\n${sentence('transcribe.listening', { heard: '1:01' })}`,
    );
    harness().script.heard = [{ text: 'one', transcribedMs: 50_000, totalMs: undefined }];
    await harness().run('transcribe', { audio });
    expect(harness().shown.at(-2)?.text).toBe('one');
  });
});
