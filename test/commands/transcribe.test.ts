import { beforeEach, describe, expect, it } from 'vitest';
import { EXTRA_FIELDS, PATHS } from '../../src/api/contract.ts';
import { attachmentOf } from '../fakes/core-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { toneWav } from '../fakes/tone.ts';
import { useCoreHarness } from './support.ts';

const { harness, last } = useCoreHarness();

describe('/transcribe', () => {
  const wav = toneWav(2);

  it('writes down what it hears', async () => {
    expect(await last('transcribe', { audio: attachmentOf(wav, 'a.wav') })).toEqual({
      text: 'hello there',
    });
  });

  it('translates it as well', async () => {
    const { text } = await last('transcribe', { audio: attachmentOf(wav), to: 'ja' });
    expect(text).toBe('hello there\n\n**Japanese**\nja:hello there');
  });

  it('keeps the transcript when its translation fails', async () => {
    const broken = Array.from({ length: 4 }, () => ({ status: 503 }));
    harness().speech.fail(PATHS.translate, ...broken);
    const content = await last('transcribe', { audio: attachmentOf(wav), to: 'ja' });
    expect(content.tone).toBe('error');
    expect(content.text).toContain('hello there');
  });

  describe('with speakers', () => {
    beforeEach(() => {
      harness().speech.extraFields = Object.values(EXTRA_FIELDS);
      harness().speech.segment = async () => [
        { start: 0, end: 1, text: 'Are you there?', speaker: 1 },
        { start: 1, end: 1.4, text: 'Yes.', speaker: 2 },
        { start: 1.4, end: 2, text: 'I am.', speaker: 2 },
      ];
    });
    const files = async (options: object) => {
      const { files: all = [], text } = await last('transcribe', {
        audio: attachmentOf(wav),
        speakers: true,
        ...options,
      });
      return { text, files: all.map(({ bytes }) => Buffer.from(bytes).toString()) };
    };

    it('says who speaks in front of each turn, and in files', async () => {
      expect(await files({ format: 'txt' })).toEqual({
        text: 'Speaker 1: Are you there?\nSpeaker 2: Yes. I am.',
        files: [
          [
            '[00:00:00] Speaker 1: Are you there?',
            '[00:00:01] Speaker 2: Yes.',
            '[00:00:01] Speaker 2: I am.',
            '',
          ].join('\n'),
        ],
      });
      expect((await files({ format: 'vtt' })).files.join()).toContain('<v Speaker 2>Yes.');
    });

    it('joins what one of them says as its script is written', async () => {
      harness().speech.segment = async () => [
        { start: 0, end: 1, text: 'はい。', speaker: 2 },
        { start: 1, end: 2, text: 'います。', speaker: 2 },
      ];
      expect((await files({})).text).toBe('Speaker 2: はい。います。');
    });

    it('recognises again what was recognised while it was recorded', async () => {
      const dictated = async () => ({ text: 'are you', language: 'en', segments: [] });
      const { text } = await files({ audio: { ...attachmentOf(wav), dictated } });
      expect(text).toContain('Speaker 2: Yes.');
    });

    it('says that nothing here tells them apart', async () => {
      harness().speech.extraFields = [];
      await last('transcribe', { audio: attachmentOf(wav) });
      const content = await last('transcribe', { audio: attachmentOf(wav), speakers: true });
      expect(content).toMatchObject({ tone: 'error' });
      expect(content.text).toContain(sentence('service.no-diarisation'));
    });
  });

  describe('a recording that was recognised while it was made', () => {
    const dictated = async () => ({ text: 'good morning', language: 'en', segments: [] });
    const audio = { ...attachmentOf(wav), dictated };
    const recognitions = () => harness().speech.seen.filter(({ path }) => path === PATHS.asr);

    it('is not recognised again', async () => {
      expect(await last('transcribe', { audio })).toEqual({ text: 'good morning' });
      const { text } = await last('transcribe', { audio, to: 'ja' });
      expect(text).toBe('good morning\n\n**Japanese**\nja:good morning');
      expect(recognitions()).toEqual([]);
    });

    it('is kept when its translation fails', async () => {
      const broken = Array.from({ length: 4 }, () => ({ status: 503 }));
      harness().speech.fail(PATHS.translate, ...broken);
      const content = await last('transcribe', { audio, to: 'ja' });
      expect(content.tone).toBe('error');
      expect(content.text).toContain('good morning');
    });

    it('is when its language is given, or when its text is not whole', async () => {
      expect(await last('transcribe', { audio, language: 'es' })).toEqual({ text: 'hello there' });
      const cut = { ...audio, dictated: async () => undefined };
      expect(await last('transcribe', { audio: cut })).toEqual({ text: 'hello there' });
      expect(recognitions()).toHaveLength(2);
    });
  });

  it.each([
    ['empty', new Uint8Array(0)],
    ['no audio', Buffer.from('%PDF-1.7 not audio at all, whatever its name says')],
    ['cut off in its header', wav.subarray(0, 20)],
  ])('says in a sentence that a file is %s', async (_, bytes) => {
    const content = await last('transcribe', { audio: attachmentOf(bytes, 'voice.mp3') });
    expect(content.tone).toBe('error');
    expect(content.text.length).toBeGreaterThan(10);
    expect(harness().speech.seen).toEqual([]);
  });
});
