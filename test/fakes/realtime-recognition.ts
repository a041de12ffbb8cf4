import {
  audioAppend,
  type RecognitionUpdate,
  recognitionUpdate,
} from '../../src/api/realtime/contract.ts';

/** Samples of one word: 400 ms; what it is shows in the value of its samples. */
export const WORD_SAMPLES = 6_400;
const LOUD = 1_000;
/** Samples up to this are no sound. */
const QUIET = 300;
const STEP = 8;
/** Silence after which the fake ends an utterance. */
const PAUSE_SAMPLES = 4_800;
/** Audio between two partial results. */
const PARTIAL_SAMPLES = 3_200;
const SAMPLES_PER_MS = 16;

const known: string[] = [];

const numberOf = (word: string): number => {
  if (!known.includes(word)) known.push(word);
  return known.indexOf(word);
};

/** The value of the samples of a word, of 32,768. */
export const levelOf = (word: string): number => (word === '' ? 0 : LOUD + STEP * numberOf(word));

/** The sound of a word, or of silence (''), as the fake recogniser hears it: s16le, 16 kHz. */
export const pcmOf = (word: string, samples = WORD_SAMPLES): Buffer => {
  const sound = new Int16Array(samples).fill(levelOf(word));
  return Buffer.from(sound.buffer);
};

/** The word of a sample, of 32,768; undefined in silence. */
export const wordAt = (sample: number): string | undefined =>
  sample < LOUD ? undefined : known[Math.round((sample - LOUD) / STEP)];

/** What a fake session of recognition does beside its work. */
export interface RecognitionHabits {
  /** Tells that the text comes after the end only. */
  readonly late?: boolean;
  /** Follows an utterance up to this word, and tells then that the text comes after the end only; says no more. */
  readonly stopsAt?: string;
  /** Sends each final twice. */
  readonly duplicates?: boolean;
  /** Sends a wrong final first, which the right one replaces; the wrong one comes once more. */
  readonly replaces?: boolean;
  /** Sends every third final after the two that follow it, and an old partial after it. */
  readonly reorders?: boolean;
  /** Sends types and fields that nobody knows. */
  readonly chatters?: boolean;
  /** Hears this in any sound that is not silence, once an utterance. */
  readonly hears?: string;
  /** Fails at the final of every utterance. */
  readonly fails?: boolean;
  /** Says nothing after `session.created`. */
  readonly isSilent?: boolean;
}

export interface FakePeer {
  readonly send: (message: object) => void;
  readonly close: (code: number) => void;
}

/** A session of the fake service: words of `pcmOf` in, results out. */
export const createFakeRecognition = (peer: FakePeer, habits: RecognitionHabits = {}) => {
  let seq = 0;
  let samples = 0;
  let silence = 0;
  let utterance = 0;
  let result = 0;
  let start: number | undefined;
  let words: string[] = [];
  let current: string | undefined;
  let nextPartial = Infinity;
  let held: object[] = [];
  let errors = 0;
  let hasStopped = false;

  const say = (message: object): void => {
    if (habits.isSilent || hasStopped) return;
    seq += 1;
    peer.send({ ...message, seq });
  };
  const ms = (sample: number): number => sample / SAMPLES_PER_MS;
  const release = (): void => {
    for (const message of held) peer.send(message);
    held = [];
  };
  const resultOf = (text: string, isFinal: boolean, extra: object = {}): object => {
    result += 1;
    return {
      type: isFinal ? 'asr.final_result' : 'asr.partial_result',
      utterance_id: `u${utterance}`,
      result_id: `r${result}`,
      text,
      language: 'en',
      is_final: isFinal,
      audio_start_ms: ms(start ?? 0),
      audio_end_ms: ms(samples - silence),
      ...extra,
    };
  };
  const finalOf = (text: string): void => {
    if (habits.fails) {
      errors += 1;
      say({ type: 'error', code: 'backend', message: text, fatal: false });
      return;
    }
    const old = { ...resultOf('an old guess', false), seq };
    let replaces: string[] = [];
    if (habits.replaces) {
      const wrong = resultOf('something else', true, { replaces: [] });
      replaces = [`r${result}`];
      say(wrong);
      say(resultOf(text, true, { replaces }));
      say(wrong);
      return;
    }
    const final = resultOf(text, true, { replaces, confidence: 0.9 });
    if (habits.reorders && utterance % 3 === 1) held.push({ ...final, seq }, old);
    else say(final);
    if (utterance % 3 === 0) release();
    if (habits.duplicates) say(final);
  };
  const endUtterance = (): void => {
    if (start === undefined) return;
    say({
      type: 'speech_stopped',
      utterance_id: `u${utterance}`,
      audio_start_ms: ms(start),
      audio_end_ms: ms(samples - silence),
    });
    finalOf(words.join(' '));
    start = undefined;
    words = [];
    current = undefined;
    nextPartial = Infinity;
  };

  const hear = (sample: number): void => {
    samples += 1;
    const isLoud = Math.abs(sample) > QUIET;
    const word = habits.hears === undefined ? wordAt(sample) : isLoud ? habits.hears : undefined;
    if (word === undefined) {
      silence += 1;
      current = undefined;
      if (silence === PAUSE_SAMPLES) endUtterance();
      return;
    }
    silence = 0;
    if (start === undefined) {
      utterance += 1;
      start = samples - 1;
      nextPartial = samples + PARTIAL_SAMPLES;
      say({
        type: 'speech_started',
        utterance_id: `u${utterance}`,
        audio_start_ms: ms(start),
        ...(habits.late ? { partials: false } : {}),
      });
    }
    if (word !== current && !(habits.hears !== undefined && words.length > 0)) words.push(word);
    current = word;
    if (word === habits.stopsAt) {
      say({ type: 'partials_stopped', utterance_id: `u${utterance}` });
      hasStopped = true;
    }
    if (samples < nextPartial) return;
    nextPartial += PARTIAL_SAMPLES;
    say(resultOf(words.join(' '), false));
  };

  let settings: RecognitionUpdate['session'] | undefined;
  peer.send({ type: 'session.created', session_id: 's1', seq: 0 });
  return {
    /** Takes a message; throws where it is not in the form that clients use. */
    message: (text: string): void => {
      const message = JSON.parse(text) as { type: string };
      switch (message.type) {
        case 'session.update':
          settings = recognitionUpdate.parse(message).session;
          if (habits.chatters) say({ type: 'router.hello', what: [1, 2, 3] });
          return;
        case 'input_audio.append': {
          const audio = Buffer.from(audioAppend.parse(message).audio, 'base64');
          if (audio.length % 2 !== 0) throw new Error('half a sample');
          for (let at = 0; at < audio.length; at += 2) hear(audio.readInt16LE(at));
          return;
        }
        case 'session.close':
          endUtterance();
          release();
          say({
            type: 'session.usage',
            final: true,
            usage: { status: 'completed', final_error_count: errors },
          });
          if (!habits.isSilent) peer.close(1000);
          return;
        default:
          throw new Error(`unknown type ${message.type}`);
      }
    },
    /** The settings that came last. */
    get settings(): RecognitionUpdate['session'] | undefined {
      return settings;
    },
    /** Milliseconds of audio so far. */
    get heardMs(): number {
      return ms(samples);
    },
  };
};
