import { beforeEach, describe, expect, it } from 'vitest';
import type { AsrParameters } from '../../../src/api/contract.ts';
import type { PlainTranscript } from '../../../src/api/replies.ts';
import { createOggOpusWriter } from '../../../src/audio/container/ogg-writer.ts';
import { SILENCE_PACKET } from '../../../src/audio/opus/packet.ts';
import { NotSentError } from '../../../src/api/scheduler/scheduler.ts';
import { AppError } from '../../../src/errors.ts';
import type { Lane } from '../../../src/model/service.ts';
import type { ByteSource, Transcript } from '../../../src/model/message.ts';
import type { GlossaryTerm } from '../../../src/model/glossary.ts';
import {
  type TranscriptionProgress,
  type TranscriptionRequest,
  createTranscriber,
} from '../../../src/speech/transcriber.ts';
import { spokenTranscript } from '../../../src/speech/hallucinations.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { encodePackets } from '../../fakes/opus.ts';
import { toneWav } from '../../fakes/tone.ts';
import { concat, tone } from '../audio/support.ts';

const SPACE = { platform: 'test', id: 'space' };
const signal = new AbortController().signal;

const source = (bytes: Uint8Array): ByteSource => ({
  sizeBytes: bytes.length,
  async *open() {
    yield bytes;
  },
});

/** Packets of a second of sound: a long file of them is cut without being decoded. */
const SECOND = encodePackets(tone(48_000, 1));
const spoken = (seconds: number): Uint8Array[] => Array(seconds).fill(SECOND).flat();
const oggOf = (packets: readonly Uint8Array[]): Uint8Array => {
  const writer = createOggOpusWriter();
  return concat([...packets.map((packet) => writer.push(packet)), writer.end()]);
};

let parameters: AsrParameters[];
let lanes: Lane[];
let terms: GlossaryTerm[];
let hear: (call: number) => Partial<PlainTranscript> | Error;

beforeEach(() => {
  parameters = [];
  lanes = [];
  terms = [];
  hear = () => ({ text: 'hello' });
});

const clock = createHastyClock();

const transcriber = createTranscriber({
  clock,
  client: {
    async transcribe(audio, given, { signal: stop, lane }) {
      const call = parameters.push(given);
      lanes.push(lane);
      for await (const _ of audio.open(stop)) stop.throwIfAborted();
      const reply = hear(call);
      if (reply instanceof Error) throw reply;
      return { text: '', language: 'en', confidence: 1, ...reply };
    },
    async transcribeSegments(_, given) {
      parameters.push(given);
      return {
        language: 'en',
        confidence: 1,
        segments: [
          { start: 0, end: 1.5, text: 'Hello.', speaker: 1 },
          { start: 1.5, end: 3, text: '[Music] Good morning.', speaker: 2 },
        ],
      };
    },
  },
  glossary: { applying: async () => terms },
});

const transcribe = async (
  request: Partial<TranscriptionRequest> = {},
): Promise<Transcript & { seen: TranscriptionProgress[] }> => {
  const states = transcriber.transcribe(
    { audio: source(toneWav(3)), place: SPACE, lane: 'interactive', ...request },
    signal,
  );
  const seen: TranscriptionProgress[] = [];
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
    expect(parameters).toEqual([{ words: true }]);
  });

  it('hears long audio in parts, in order, and shows the text as it grows', async () => {
    hear = (call) => ({ text: `part ${call}` });
    const { text, seen, segments, durationMs } = await transcribe({
      audio: source(toneWav(125)),
    });
    const count = segments.length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(text).toBe(segments.map((_, index) => `part ${index + 1}`).join(' '));
    expect(seen.map(({ transcribedMs }) => transcribedMs)).toEqual(
      segments.map(({ endMs }) => endMs),
    );
    expect(seen.at(-1)).toEqual({ text, transcribedMs: durationMs, totalMs: undefined });
    expect(durationMs).toBeGreaterThan(124_000);
    for (const { startMs, endMs } of segments) expect(endMs - startMs).toBeLessThanOrEqual(60_000);
  });

  it('knows when each word was said in the whole of it', async () => {
    hear = () => ({ text: 'so', words: [{ text: 'so', startMs: 200, endMs: 500 }] });
    const { segments } = await transcribe({ audio: source(toneWav(125)) });
    for (const { startMs, words } of segments)
      expect(words).toEqual([{ text: 'so', startMs: startMs + 200, endMs: startMs + 500 }]);
  });

  it('says how far it is of what the platform told, which may be wrong', async () => {
    hear = (call) => ({ text: call === 1 ? '[Music]' : 'hello' });
    const audio = source(oggOf(spoken(70)));
    const { seen } = await transcribe({ audio, durationMs: 65_000 });
    expect(seen[0]).toMatchObject({ text: '', totalMs: 65_000 });
    expect(seen.at(-1)?.totalMs).toBe(seen.at(-1)?.transcribedMs);
    expect(seen.at(-1)?.transcribedMs).toBeGreaterThan(65_000);
  });

  it('tells speakers apart in one piece, where that is asked for', async () => {
    const { segments, seen } = await transcribe({ audio: source(toneWav(70)), speakers: true });
    expect(segments).toMatchObject([
      { startMs: 0, endMs: 1_500, text: 'Hello.', speakerNumber: 1 },
      { startMs: 1_500, endMs: 3_000, text: 'Good morning.', speakerNumber: 2 },
    ]);
    expect(parameters).toEqual([{ words: true, speakers: true }]);
    expect(seen[0]).toMatchObject({ text: '', transcribedMs: 0 });
  });

  it.each([
    ['as the platform says', { audio: source(toneWav(3)), durationMs: 21 * 60_000 }],
    ['as it turns out', { audio: source(oggOf(spoken(21 * 60))) }],
  ])('refuses to tell speakers apart in what is too long, %s', async (_, request) => {
    await expect(transcribe({ ...request, speakers: true })).rejects.toMatchObject({
      sentence: { key: 'transcribe.speakers-too-long', params: { minutes: 20 } },
    });
  });

  it('joins languages without spaces without spaces', async () => {
    hear = (call) => ({ text: ['こんにちは。', '元気ですか。'][call % 2] ?? '', language: 'ja' });
    const { text } = await transcribe({ audio: source(oggOf(spoken(70))) });
    expect(text).not.toContain(' ');
  });

  it('listens for the words of the glossary, in the language that was told', async () => {
    terms = [
      { term: 'Dragoman', language: 'ja', translation: 'ドラゴマン' },
      { term: 'dragon*', language: undefined, translation: undefined },
    ];
    await transcribe({ language: 'de' });
    expect(parameters).toEqual([{ hotwords: ['Dragoman', 'dragon'], language: 'de', words: true }]);
  });

  it('waits while too much is asked of the service', async () => {
    const { ms } = clock;
    hear = (call) =>
      call <= 2
        ? new NotSentError('rate-limited', 'too many wait', { retryAfterMs: 4_000 })
        : { text: 'hello' };
    expect(await transcribe()).toMatchObject({ text: 'hello' });
    expect(clock.ms - ms).toBe(8_000);
  });

  it('does not wait for a service that is busy for long', async () => {
    const error = { code: 'rate-limited', retryAfterMs: 3_600_000 };
    hear = () => new NotSentError('rate-limited', 'too many wait', error);
    await expect(transcribe()).rejects.toMatchObject(error);
  });

  it('makes way for others with what is later in a long recording', async () => {
    // Silence in the middle is not sent.
    const silence = Array<Uint8Array>(610 * SECOND.length).fill(SILENCE_PACKET);
    const recording = oggOf([...spoken(90), ...silence, ...spoken(10)]);
    await transcribe({ audio: source(recording), lane: 'ambient' });
    expect(lanes.length).toBeGreaterThan(2);
    expect(new Set(lanes.slice(0, -1))).toEqual(new Set(['ambient']));
    expect(lanes.at(-1)).toBe('batch');
  });

  it('says so when nothing was said', async () => {
    hear = () => ({ text: ' [Music] ♪' });
    await expect(transcribe()).rejects.toMatchObject({
      sentence: { key: 'speech.nothing-heard' },
    });
  });

  it('stops at the first part that fails, with its fault', async () => {
    hear = (call) => (call === 2 ? new AppError('unavailable', 'down') : { text: 'ok' });
    await expect(transcribe({ audio: source(oggOf(spoken(400))) })).rejects.toThrow('down');
    expect(parameters.length).toBeLessThan(5);
  });

  it('believes no words that nobody can have said in that time', async () => {
    const words = Array.from({ length: 1_000 }, (_, index) => `hello${index}`);
    hear = () => ({ text: words.join(' ') });
    await expect(transcribe()).rejects.toMatchObject({ code: 'bad-reply' });
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
    ['[Background Noise]', ''],
    ['He said (musicians are poor) yes', 'He said (musicians are poor) yes'],
    ['【音楽の授業】で', '【音楽の授業】で'],
    ['I like [brackets] and music (a lot)', 'I like [brackets] and music (a lot)'],
  ])('%j is heard as %j', (text, expected) => {
    expect(spokenTranscript({ text })).toBe(expected);
  });

  it.each(['Thanks for watching!', 'ご視聴ありがとうございました。'])(
    'are joined by %j, unless it was heard for sure',
    (text) => {
      expect(spokenTranscript({ text, confidence: 0.3 })).toBe('');
      expect(spokenTranscript({ text, confidence: 0.9 })).toBe(text);
    },
  );
});
