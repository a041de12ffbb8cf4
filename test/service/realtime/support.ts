import { createEngineHealth, type Offer } from '../../../service/engine-loader.ts';
import type { EngineHints, RecognisedText, StreamListener } from '../../../service/engine.ts';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { AppError } from '../../../src/errors.ts';
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

/** What an engine that follows speech does beside its work. */
export interface FollowingHabits {
  /** Streams at the same time. */
  readonly most?: number;
  readonly languages?: readonly string[];
  /** Finds an end itself in the first silence behind this word. */
  readonly endsAt?: string;
  /** Fails once this word was heard. */
  readonly failsAt?: string;
  /** Never ends. */
  readonly hangs?: boolean;
  /** Fails once its end is asked for. */
  readonly failsAtEnd?: boolean;
}

/** An engine that follows speech, and counts what it gets. */
export const followingOffer = (habits: FollowingHabits = {}) => {
  const { most = 8, languages, endsAt, failsAt, hangs = false, failsAtEnd = false } = habits;
  const counts = { opened: 0, open: 0, samples: 0, wholes: 0, wholeSamples: 0 };
  const hinted: EngineHints[] = [];
  const keys: (string | undefined)[] = [];
  const offer = instantOffer((samples) => {
    counts.wholes += 1;
    counts.wholeSamples += samples.length;
    return { text: wordsIn(samples), language: 'en' };
  });
  const openStream = (hints: EngineHints, listener: StreamListener, key?: string) => {
    if (counts.open >= most) return undefined;
    counts.opened += 1;
    counts.open += 1;
    hinted.push(hints);
    keys.push(key);
    let sound: Float32Array = new Float32Array(0);
    let from = 0;
    let text = '';
    let isOver = false;
    const leave = (): void => {
      if (!isOver) counts.open -= 1;
      isOver = true;
    };
    return {
      feed: (samples: Float32Array): void => {
        if (isOver) return;
        counts.samples += samples.length;
        sound = concatSamples([sound, samples]);
        const now = wordsIn(sound.subarray(from));
        const last = now.split(' ').at(-1);
        const isFinal = last === endsAt && sound.at(-1) === 0;
        if (now === text && !isFinal) return;
        text = now;
        const endMs = sound.length / 16;
        if (last === failsAt) {
          leave();
          return listener.failed(new AppError('unavailable', 'it died', { retryable: true }));
        }
        listener.heard({ text, language: 'en', isFinal, endMs });
        if (isFinal) [from, text] = [sound.length, ''];
      },
      finish: async () => {
        if (hangs) return new Promise<never>(() => undefined);
        leave();
        if (!failsAtEnd) return { text, language: 'en' };
        const error = new AppError('unavailable', 'it died', { retryable: true });
        await Promise.resolve();
        listener.failed(error);
        throw error;
      },
      [Symbol.dispose]: leave,
    };
  };
  const knows = (language: string | undefined): boolean =>
    languages === undefined || (language !== undefined && languages.includes(language));
  const stream = { knows, open: openStream };
  return { ...offer, engine: { ...offer.engine, stream }, counts, hinted, keys };
};

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
  readonly partials?: boolean;
  readonly language?: string;
  readonly words?: readonly object[];
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
