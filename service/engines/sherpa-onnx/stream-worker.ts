import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { closeStandardError, serveParent } from '../../../src/process/serve-parent.ts';
import { RECOGNITION_RATE_HZ, type StreamedText } from '../../engine.ts';
import { recogniserThreads } from '../../models/machine.ts';
import type { ModelConfig } from './model.ts';
import { wordTimes } from './word-times.ts';

/** The new sound of one stream. */
export interface StreamTurn {
  readonly id: number;
  /** Set where the stream begins. */
  readonly begins?: {
    /** The model's own code of its language, if one is known. */
    readonly language: string | undefined;
    /** False for a recording, which is recognised while nobody who speaks waits. */
    readonly isLive: boolean;
  };
  readonly samples: Float32Array;
  /** True where nothing follows. */
  readonly ends: boolean;
}

export interface StreamRequest {
  readonly turns: readonly StreamTurn[];
  /** Streams that nobody needs any more. */
  readonly closed: readonly number[];
}

/** The text that was heard in a stream. */
export interface HeardInStream extends Pick<StreamedText, 'text' | 'words' | 'isFinal' | 'endMs'> {
  readonly id: number;
  /** True for its last text; the stream is closed. */
  readonly isLast: boolean;
}

export interface StreamReply {
  readonly heard: readonly HeardInStream[];
  /** True while there is audio to recognise: the next call may come at once. */
  readonly isBusy: boolean;
  readonly tookMs: number;
}

/** The part of the library's types (`types.js`, 1.13) that is used here. */
interface OnlineStream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
  setOption(key: string, value: string): void;
}
interface OnlineRecognizer {
  createStream(): OnlineStream;
  isReady(stream: OnlineStream): boolean;
  decodeStreams(streams: readonly OnlineStream[]): void;
  isEndpoint(stream: OnlineStream): boolean;
  reset(stream: OnlineStream): void;
  getResult(stream: OnlineStream): unknown;
}
interface Sherpa {
  readonly OnlineRecognizer: new (config: object) => OnlineRecognizer;
}

/** Silence behind the last sample, in pieces of this length, until the chunks that it is in are decoded. */
const SILENCE = new Float32Array(RECOGNITION_RATE_HZ / 10);
const MOST_SILENCES = 50;
/** Chunks that hold a part of the last sample: the one that begins before it, and its context. */
const LAST_CHUNKS = 2;
/** Closed streams after which their memory is freed, of which the garbage collector sees nothing. */
const CLOSED_PER_COLLECTION = 20;

const result = z.object({
  text: z.string(),
  tokens: z.array(z.string()),
  timestamps: z.array(z.number()),
  /** Beginning of the text in the stream, in seconds. */
  start_time: z.number(),
});

interface Open {
  readonly isLive: boolean;
  readonly stream: OnlineStream;
  text: string;
  /** Chunks that were decoded since the end; undefined before it. */
  lastChunks: number | undefined;
}

const load = (): OnlineRecognizer => {
  const sherpa = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
  const recognizer = new sherpa.OnlineRecognizer({
    featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
    modelConfig: {
      ...(JSON.parse(process.argv[2] ?? '{}') as ModelConfig),
      numThreads: recogniserThreads(true),
      provider: 'cpu',
      debug: 0,
    },
    decodingMethod: 'greedy_search',
    enableEndpoint: 1,
    rule1MinTrailingSilence: 2.4,
    rule2MinTrailingSilence: 1.2,
    rule3MinUtteranceLength: 25,
  });
  closeStandardError();
  setFlagsFromString('--expose-gc');
  return recognizer;
};

const open = new Map<number, Open>();
let recognizer: OnlineRecognizer | undefined;
let closed = 0;

const close = (id: number): void => {
  if (!open.delete(id)) return;
  closed += 1;
  if (closed % CLOSED_PER_COLLECTION === 0) (runInNewContext('gc') as () => void)();
};

/** Adds what is new. */
const add = (model: OnlineRecognizer, { id, begins, samples, ends }: StreamTurn): void => {
  if (begins) {
    const stream = model.createStream();
    if (begins.language !== undefined) stream.setOption('language', begins.language);
    open.set(id, { isLive: begins.isLive, stream, text: '', lastChunks: undefined });
  }
  const one = open.get(id);
  if (!one) throw new Error('no such stream');
  one.stream.acceptWaveform({ samples, sampleRate: RECOGNITION_RATE_HZ });
  if (ends) one.lastChunks = 0;
};

const read = (model: OnlineRecognizer, { stream }: Open) => {
  const { start_time: startS, ...heard } = result.parse(model.getResult(stream));
  const startMs = Math.round(startS * 1_000);
  const words = wordTimes(heard, Infinity)?.map((word) => ({
    ...word,
    startMs: startMs + word.startMs,
    endMs: startMs + word.endMs,
  }));
  return { text: heard.text.trim(), words, startMs };
};

/** Has a stream that has ended decode one more chunk: adds silence until there is one. */
const addSilence = (model: OnlineRecognizer, one: Open): void => {
  if (one.lastChunks === undefined || model.isReady(one.stream)) return;
  one.lastChunks += 1;
  for (let at = 0; at < MOST_SILENCES && !model.isReady(one.stream); at += 1)
    one.stream.acceptWaveform({ samples: SILENCE, sampleRate: RECOGNITION_RATE_HZ });
};

const hear = (model: OnlineRecognizer, id: number, one: Open): readonly HeardInStream[] => {
  const { text, words } = read(model, one);
  const isLast = one.lastChunks === LAST_CHUNKS;
  const isFinal = isLast || (!one.lastChunks && model.isEndpoint(one.stream));
  if (!isFinal && text === one.text) return [];
  one.text = isFinal ? '' : text;
  if (isFinal) model.reset(one.stream);
  if (isLast) close(id);
  // The next text begins where this one has ended.
  const endMs = isFinal ? read(model, one).startMs : (words?.at(-1)?.endMs ?? 0);
  return [{ id, text, words, isFinal, isLast, endMs }];
};

/** Decodes a chunk of each stream that has one. */
const decode = (model: OnlineRecognizer): readonly HeardInStream[] => {
  for (const one of open.values()) addSilence(model, one);
  const all = [...open].filter(([, { stream }]) => model.isReady(stream));
  const live = all.filter(([, { isLive }]) => isLive);
  const ready = live.length > 0 ? live : all.slice(0, 1);
  if (ready.length > 0) model.decodeStreams(ready.map(([, { stream }]) => stream));
  return ready.flatMap(([id, one]) => hear(model, id, one));
};

serveParent(async ({ turns, closed: ids }: StreamRequest): Promise<StreamReply> => {
  const model = (recognizer ??= load());
  for (const id of ids) close(id);
  for (const turn of turns) add(model, turn);
  const startedMs = performance.now();
  const heard = decode(model);
  const tookMs = performance.now() - startedMs;
  const isBusy = [...open.values()].some(
    ({ stream, lastChunks }) => lastChunks !== undefined || model.isReady(stream),
  );
  return { heard, isBusy, tookMs };
});
