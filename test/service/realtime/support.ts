import { createEngineHealth, type Offer } from '../../../service/engine-loader.ts';
import type { RecognisedText } from '../../../service/engine.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import { createRequestLimiter, type RequestLimits } from '../../../service/request-limiter.ts';
import { startRecognitionSession } from '../../../service/realtime/recognition-session.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createTestClock } from '../../fakes/clock.ts';

export const RATE_HZ = 16_000;
export const WORD_SECONDS = 0.4;
const LEVEL = 1_000;
const STEP = 200;

/** A made-up language: the n-th word is a sound of its own level, with a dip at its end. */
export const soundOf = (words: readonly number[]): Int16Array => {
  const each = WORD_SECONDS * RATE_HZ;
  const sound = new Int16Array(words.length * each);
  for (const [at, word] of words.entries())
    sound.fill(LEVEL + STEP * word, at * each, (at + 1) * each - 640);
  return sound;
};

export const silenceOf = (seconds: number): Int16Array => new Int16Array(seconds * RATE_HZ);

export const joined = (...parts: readonly Int16Array[]): Buffer =>
  Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer)));

/** The words in some samples, by their levels. */
export const wordsIn = (samples: Float32Array): string => {
  const words: string[] = [];
  let before = -1;
  for (const sample of samples) {
    const level = Math.round(sample * 32_768);
    const word = level < LEVEL ? -1 : Math.round((level - LEVEL) / STEP);
    if (word >= 0 && word !== before) words.push(`w${word}`);
    before = word;
  }
  return words.join(' ');
};

/** An engine that knows the words at once. */
export const instantOffer = (
  recognise: (
    samples: Float32Array,
    signal: AbortSignal,
  ) => RecognisedText | Promise<RecognisedText> = (samples) => ({
    text: wordsIn(samples),
    language: 'en',
    confidence: 0.9,
  }),
  limits: Partial<RequestLimits> = {},
): Offer<'recognition'> => ({
  name: 'instant',
  engine: {
    longestMs: 28_000,
    recognise: async (samples, _, signal) => recognise(samples, signal),
  },
  limiter: createRequestLimiter({ concurrent: 2, waiting: 32, ...limits }),
  health: createEngineHealth(),
});

export interface Said {
  readonly type: string;
  readonly atMs: number;
  readonly text?: string;
  readonly code?: string;
  readonly message?: string;
  readonly fatal?: boolean;
  readonly audio_start_ms?: number;
  readonly audio_end_ms?: number;
  readonly utterance_id?: string;
}

/** A session without a network, whose time is that of the audio. */
export const openSession = (
  offers: readonly Offer<'recognition'>[] = [instantOffer()],
  account = operatorAccount('one'),
  clock = createTestClock(0),
) => {
  const said: Said[] = [];
  const closes: number[] = [];
  const session = startRecognitionSession({
    peer: {
      send: (message) => void said.push({ ...(message as Said), atMs: clock.nowMs() }),
      sendAudio: async () => undefined,
      close: (code) => void closes.push(code),
    },
    account,
    offers,
    clock,
    log: silentLog,
  });
  const send = (message: object): void => session.message(JSON.stringify(message));
  return {
    session,
    clock,
    said,
    closes,
    send,
    of: (type: string) => said.filter((message) => message.type === type),
    /** Speaks in steps of 100 ms. */
    hear: async (pcm: Buffer): Promise<void> => {
      for (let at = 0; at < pcm.length; at += 3_200) {
        await clock.advance(100);
        const audio = pcm.subarray(at, at + 3_200).toString('base64');
        send({ type: 'input_audio.append', audio });
        await clock.advance(0);
      }
    },
  };
};
