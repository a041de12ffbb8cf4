import { describe, expect, it } from 'vitest';
import type { SpeechDetector } from '../../../../src/audio/speech-detector/speech-detector.ts';
import type { RecognitionResult, Utterance } from '../../../../src/ports/recogniser.ts';
import { createGatedRecogniser } from '../../../../src/voice/stt/gated-recogniser.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { speechOf } from '../../../fakes/recogniser.ts';

const DEADLINE_MS = 45_000;
/** A packet of 20 ms at 16 kHz. */
const PACKET_SAMPLES = 320;
const RESULT = { text: 'nine', language: 'en', confidence: 0.9 };

interface SetUp {
  /** Packets after which there was speech. */
  readonly speechAfter?: number;
  readonly detectSpeech?: SpeechDetector;
  readonly createDecoder?: () => Promise<never>;
}

const setUp = ({ speechAfter = Infinity, detectSpeech, createDecoder }: SetUp = {}) => {
  const clock = createTestClock();
  const grown: Utterance[] = [];
  const finished: Utterance[] = [];
  const stop = new AbortController();
  let heardSamples = 0;
  let decoders = 0;
  const recogniser = createGatedRecogniser({
    clock,
    recogniser: {
      growEveryMs: 200,
      start: () => ({
        grow: (utterance) => void grown.push(utterance),
        finish: async (utterance) => {
          finished.push(utterance);
          return RESULT;
        },
      }),
    },
    detectSpeech:
      detectSpeech ??
      (async () => ({
        hears: async (samples) => {
          heardSamples += samples.length;
          return heardSamples >= speechAfter * PACKET_SAMPLES;
        },
      })),
    createDecoder:
      createDecoder ??
      (async () => {
        decoders += 1;
        return {
          decode: () => new Float32Array(PACKET_SAMPLES),
          free: () => void (decoders -= 1),
        };
      }),
  });
  const recognition = recogniser.start({
    hints: async () => ({ hotwords: [] }),
    signal: stop.signal,
    partial: () => undefined,
    final: () => undefined,
  });
  const finish = async (utterance: Utterance): Promise<RecognitionResult> =>
    recognition.finish(utterance, DEADLINE_MS);
  return { recogniser, recognition, finish, grown, finished, stop, decoders: () => decoders };
};

const first = (whole: Utterance, count: number): Utterance => ({
  ...whole,
  packets: whole.packets.slice(0, count),
});

describe('a recogniser behind the detector of speech', () => {
  const whole = speechOf(['nine']);

  it('grows as often as without it', () => {
    expect(setUp().recogniser.growEveryMs).toBe(200);
  });

  it('gets nothing of a noise, whose text is empty and certainly none', async () => {
    const { recognition, finish, grown, finished, decoders } = setUp();
    recognition.grow(first(whole, 20));
    recognition.grow(first(whole, 40));
    expect(await finish(whole)).toMatchObject({ text: '', noSpeech: 1 });
    expect([grown, finished]).toEqual([[], []]);
    expect(decoders()).toBe(0);
  });

  it('gets an utterance whose speech shows at its end', async () => {
    const { finish, finished, decoders } = setUp({ speechAfter: whole.packets.length });
    expect(await finish(whole)).toEqual(RESULT);
    expect(finished).toEqual([whole]);
    expect(decoders()).toBe(0);
  });

  it('grows from the moment at which there was speech, with all that came until then', async () => {
    const { recognition, grown, finish, finished } = setUp({ speechAfter: 10 });
    recognition.grow(first(whole, 8));
    recognition.grow(first(whole, 20));
    await eventually(() => expect(grown.map(({ packets }) => packets.length)).toEqual([20]));
    recognition.grow(first(whole, 30));
    expect(grown.map(({ packets }) => packets.length)).toEqual([20, 30]);
    await finish(whole);
    expect(finished).toEqual([whole]);
  });

  it.each([
    ['nothing can detect speech', { detectSpeech: async () => undefined }],
    ['there is no decoder', { createDecoder: () => Promise.reject(new Error('none')) }],
    ['the detector fails', { detectSpeech: () => Promise.reject(new Error('broken')) }],
  ])('gets everything where %s', async (_, broken) => {
    const { recognition, finish, grown, finished } = setUp(broken);
    recognition.grow(first(whole, 20));
    await eventually(() => expect(grown).toHaveLength(1));
    await finish(whole);
    expect(finished).toEqual([whole]);
  });

  it('leaves an utterance of which nobody wants to know any more', async () => {
    const { recognition, finish, finished, stop, decoders } = setUp({ speechAfter: 10 });
    recognition.grow(first(whole, 4));
    stop.abort(new Error('nobody waits'));
    await expect(finish(whole)).rejects.toThrow('nobody waits');
    expect(finished).toEqual([]);
    expect(decoders()).toBe(0);
  });
});
