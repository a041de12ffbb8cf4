import { beforeEach, describe, expect, it } from 'vitest';
import type { AsrParameters, AsrPlainReply } from '../../../src/api/contract.ts';
import { AppError } from '../../../src/errors.ts';
import type { ByteSource } from '../../../src/model.ts';
import type { GlossaryTerm, Transcript, TranscriptionRequest } from '../../../src/services.ts';
import { heardText } from '../../../src/speech/hallucinations.ts';
import { createTranscriber } from '../../../src/speech/transcriber.ts';

const SPACE = { platform: 'test', id: 'space' };
const signal = new AbortController().signal;

const RATE_HZ = 8_000;

/** A WAV of tone and, every 20 seconds, a second of silence. */
const wav = (seconds: number): Uint8Array => {
  const samples = Buffer.alloc(seconds * RATE_HZ * 2);
  for (let index = 0; index < seconds * RATE_HZ; index += 1) {
    const loud = (index / RATE_HZ) % 20 < 19;
    samples.writeInt16LE(loud ? Math.round(8_000 * Math.sin(index / 4)) : 0, index * 2);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE_HZ, 24);
  head.writeUInt32LE(RATE_HZ * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
};

const source = (bytes: Uint8Array): ByteSource => ({
  sizeBytes: bytes.length,
  async *open() {
    yield bytes;
  },
});

let parameters: AsrParameters[];
let terms: GlossaryTerm[];
let hear: (call: number) => Partial<AsrPlainReply> | Error;

beforeEach(() => {
  parameters = [];
  terms = [];
  hear = () => ({ text: 'hello' });
});

const transcriber = createTranscriber({
  client: {
    async transcribe(audio, given, { signal: stop }) {
      const call = parameters.push(given);
      for await (const _ of audio.open(stop)) stop.throwIfAborted();
      const reply = hear(call);
      if (reply instanceof Error) throw reply;
      return { text: '', language: 'en', confidence: 1, ...reply };
    },
  },
  glossary: { list: async () => terms },
});

const transcribe = async (
  request: Partial<TranscriptionRequest> = {},
): Promise<Transcript & { seen: string[] }> => {
  const states = transcriber.transcribe(
    { audio: source(wav(3)), space: SPACE, ...request },
    signal,
  );
  const seen: string[] = [];
  for (;;) {
    const { done, value } = await states.next();
    if (done) return { ...value, seen };
    seen.push(value);
  }
};

describe('the transcriber', () => {
  it('hears short audio in one piece', async () => {
    expect(await transcribe()).toMatchObject({
      text: 'hello',
      language: 'en',
      durationMs: 3_000,
      segments: [{ startMs: 0, endMs: 3_000, text: 'hello' }],
    });
    expect(parameters).toEqual([{}]);
  });

  it('hears long audio in parts, in order, and shows the text as it grows', async () => {
    hear = (call) => ({ text: `part ${call}`, confidence: 1 / call });
    const { text, seen, segments, confidence, durationMs } = await transcribe({
      audio: source(wav(150)),
    });
    const count = segments.length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(text).toBe(segments.map((_, index) => `part ${index + 1}`).join(' '));
    expect(seen).toHaveLength(count);
    expect(durationMs).toBeGreaterThan(149_000);
    expect(confidence).toBeCloseTo(1 / count);
    for (const { startMs, endMs } of segments) expect(endMs - startMs).toBeLessThanOrEqual(60_000);
  });

  it('joins languages without spaces without spaces', async () => {
    hear = (call) => ({ text: ['こんにちは。', '元気ですか。'][call % 2] ?? '', language: 'ja' });
    const { text } = await transcribe({ audio: source(wav(70)) });
    expect(text).not.toContain(' ');
  });

  it('listens for the words of the glossary, in the language that was told', async () => {
    terms = [{ term: 'Dragoman', language: 'ja', translation: 'ドラゴマン' }];
    await transcribe({ language: 'de' });
    expect(parameters).toEqual([{ hotwords: ['Dragoman'], language: 'de' }]);
  });

  it('says so when nothing was said', async () => {
    hear = () => ({ text: ' [Music] ♪' });
    await expect(transcribe()).rejects.toMatchObject({
      sentence: { key: 'speech.nothing-heard' },
    });
  });

  it('stops at the first part that fails, with its fault', async () => {
    hear = (call) => (call === 2 ? new AppError('unavailable', 'down') : { text: 'ok' });
    await expect(transcribe({ audio: source(wav(200)) })).rejects.toThrow('down');
    expect(parameters.length).toBeLessThan(5);
  });

  it('refuses what is no audio, with a sentence', async () => {
    await expect(transcribe({ audio: source(Buffer.from('just a text')) })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});

describe('markers of sounds', () => {
  it.each([
    ['[Music]', ''],
    ['[music playing]', ''],
    ['(Applause) Thank you. ♪♪', 'Thank you.'],
    ['【音楽】', ''],
    ['I like [brackets] and music (a lot)', 'I like [brackets] and music (a lot)'],
  ])('%j is heard as %j', (text, expected) => {
    expect(heardText(text)).toBe(expected);
  });
});
