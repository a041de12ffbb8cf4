import { AppError, toAppError } from '../../src/errors.ts';
import { createChild } from '../../src/process/child.ts';
import { concatSamples, samplesOfS16le } from '../../src/audio/pcm.ts';
import { createResampler } from '../../src/audio/resample.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { isPackageInstalled, RECOGNITION_RATE_HZ } from '../engine.ts';
import { BERGAMOT_PACKAGE } from '../engines/bergamot/library.ts';
import type { BergamotRequest } from '../engines/bergamot/worker.ts';
import { PACKAGE as ESPEAK_PACKAGE } from '../engines/espeak-ng/voices.ts';
import type { EspeakReply, EspeakRequest } from '../engines/espeak-ng/worker.ts';
import type { ChatModel } from '../engines/llama/model.ts';
import { createProcesses, freeMemory } from '../engines/llama/processes.ts';
import type { LlamaRequest } from '../engines/llama/protocol.ts';
import { readChatRequest } from '../engines/llama/request.ts';
import { createSherpaDiarisation } from '../engines/sherpa-onnx/diarisation.ts';
import { requestOf } from '../engines/sherpa-onnx/children.ts';
import { SHERPA_PACKAGE, unusable } from '../engines/sherpa-onnx/model-folder.ts';
import type { StreamReply, StreamRequest } from '../engines/sherpa-onnx/stream-worker.ts';
import type { VoiceReply, VoiceRequest } from '../engines/sherpa-onnx/voice-worker.ts';
import type { SherpaReply, SherpaRequest } from '../engines/sherpa-onnx/worker.ts';
import { megabytes } from './disk.ts';
import type { Measured } from './installed.ts';
import type { Layout } from './layout.ts';
import { speakersText } from './machine.ts';

/** Longest time of a trial, loading a large model on a slow machine included. */
const LONGEST_MS = 180_000;

/** Words that a voice of any language has something of. */
const SPOKEN = 'Hello 你 да نا ना 1.';
/** Numbers stay in any language; with another model's vocabulary they change. */
const TRANSLATED = 'Hello, 1 2 3.';
const TRANSLATED_DIGITS = 3;
/** Text with which the speed is measured. */
const MEASURED =
  'Yesterday evening we walked along the river and talked about the new house. If it does not rain tomorrow, we will come back with our friends.';
const MEASURED_WORDS = MEASURED.split(' ').length;
/** Question to a language model; the most tokens of it and the answer, and of the answer alone. */
const ASKED = 'Tell me a long story about a river.';
const ASKED_TOKENS = 512;
const ANSWERED_TOKENS = 24;
/** Words of an answer from which its speed is measured. */
const FEWEST_WORDS = 5;
/** Sound of a recogniser's first call, which loads the model. */
const SILENCE = new Float32Array(RECOGNITION_RATE_HZ);

/** Starts a process of an engine with a model, for one trial. */
const start = <Request, Reply>(name: string, worker: string, config?: object) =>
  createChild<Request, Reply>({
    name,
    file: new URL(`../engines/${worker}`, import.meta.url),
    args: config ? [JSON.stringify(config)] : [],
    log: createLog('silent'),
    callTimeoutMs: LONGEST_MS,
    callsPerChild: Infinity,
    idleMs: LONGEST_MS,
    tellsErrors: true,
  });

/** The seconds that `work` takes, and its result. */
const timed = async <T>(work: Promise<T>): Promise<readonly [seconds: number, result: T]> => {
  const beganMs = performance.now();
  const result = await work;
  return [(performance.now() - beganMs) / 1_000, result];
};

/** Speaks the text for recognisers. */
const speak = async (signal: AbortSignal): Promise<Float32Array> => {
  await using child = start<EspeakRequest, EspeakReply>('espeak-ng', 'espeak-ng/worker.ts');
  const request = { kind: 'speak', voice: 'gmw/en-US', markup: MEASURED, speed: 1 } as const;
  const reply = await child.call(request, signal);
  if (!('pcm' in reply)) return SILENCE;
  const resampler = createResampler(reply.sampleRateHz, RECOGNITION_RATE_HZ);
  return concatSamples([resampler.push(samplesOfS16le(reply.pcm)), resampler.end()]);
};

let heard: Float32Array | undefined;

/** Sound of somebody who speaks; undefined where the package that speaks is not installed. */
const speechFor = async (signal: AbortSignal): Promise<Float32Array | undefined> =>
  (heard ??= isPackageInstalled(ESPEAK_PACKAGE) ? await speak(signal) : undefined);

/**
 * Measures a recogniser.
 *
 * @param recognise resolves with the memory that recognising has taken
 */
const measureRecogniser = async (
  recognise: (samples: Float32Array) => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<Measured> => {
  // A text is not to be expected of silence.
  await recognise(SILENCE);
  const samples = await speechFor(signal);
  if (!samples) return {};
  const [first] = await timed(recognise(samples));
  // The quicker of two: what else the machine does meanwhile may be over soon.
  const [second, memoryBytes] = await timed(recognise(samples));
  const seconds = Math.min(first, second);
  return { realTimeFactor: (seconds * RECOGNITION_RATE_HZ) / samples.length, memoryBytes };
};

/** Has a language model answer. Resolves with a sentence where the machine has too little memory for it now. */
const answer = async (
  model: ChatModel,
  library: string,
  signal: AbortSignal,
): Promise<Measured | string> => {
  await using processes = createProcesses({
    worker: new URL('../engines/llama/worker.ts', import.meta.url),
    log: createLog('silent'),
    sequences: 1,
    contextTokens: ASKED_TOKENS,
    freeBytes: freeMemory,
  });
  processes.keep([model], library);
  const fault = processes.faultOf(model);
  if (fault !== undefined) return fault;
  const within = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  const ask = async (request: LlamaRequest): Promise<string> => {
    let said = '';
    await processes.call(model, request, within, (text) => (said += text));
    return said;
  };
  if (model.isForVectors) {
    await ask({ kind: 'vector', text: ASKED });
    return {};
  }
  const { completion } = readChatRequest({
    messages: [{ role: 'user', content: ASKED }],
    max_tokens: ANSWERED_TOKENS,
  });
  await ask({ ...completion, mostTokens: 1 });
  const [seconds, said] = await timed(ask(completion));
  const words = said.split(/\s+/).filter(Boolean).length;
  return words < FEWEST_WORDS ? {} : { wordsPerSecond: words / seconds };
};

/** Uses the model and measures it; resolves with undefined where nothing came of it. */
const use = async (
  layout: Exclude<Layout, { ability: 'chat' }>,
  name: string,
  signal: AbortSignal,
): Promise<Measured | undefined> => {
  switch (layout.ability) {
    case 'diarisation':
      await createSherpaDiarisation(layout.model, createLog('silent')).diarise(SILENCE, signal);
      return {};
    case 'speech': {
      const [first] = layout.speakers;
      if (!first) return undefined;
      const worker = 'sherpa-onnx/voice-worker.ts';
      await using child = start<VoiceRequest, VoiceReply>(name, worker, first.config);
      const { samples } = await child.call(requestOf(first, SPOKEN, 1), signal);
      if (samples.length === 0 || !samples.every(Number.isFinite)) return undefined;
      const [seconds, spoken] = await timed(child.call(requestOf(first, MEASURED, 1), signal));
      const soundSeconds = spoken.samples.length / spoken.sampleRateHz;
      if (soundSeconds === 0) return {};
      return { realTimeFactor: seconds / soundSeconds, memoryBytes: child.memoryBytes };
    }
    case 'recognition': {
      const { config, isStreaming = false } = layout.model;
      if (!isStreaming) {
        const worker = 'sherpa-onnx/worker.ts';
        await using child = start<SherpaRequest, SherpaReply>(name, worker, config);
        return await measureRecogniser(async (samples) => {
          await child.call({ samples, language: undefined }, signal);
          return child.memoryBytes;
        }, signal);
      }
      const worker = 'sherpa-onnx/stream-worker.ts';
      await using child = start<StreamRequest, StreamReply>(name, worker, config);
      let id = 0;
      return await measureRecogniser(async (samples) => {
        id += 1;
        const begins = { language: undefined, isLive: true };
        const turns = [{ id, begins, samples, ends: true }];
        let reply = await child.call({ turns, closed: [] }, signal);
        while (reply.isBusy) reply = await child.call({ turns: [], closed: [] }, signal);
        return child.memoryBytes;
      }, signal);
    }
    case 'translation': {
      await using child = start<BergamotRequest, string>(name, 'bergamot/worker.ts');
      const translate = (text: string): Promise<string> =>
        child.call({ route: [layout.model], text, tokens: new Map() }, signal);
      const digits = (await translate(TRANSLATED)).match(/\p{N}/gu) ?? [];
      if (digits.length < TRANSLATED_DIGITS) return undefined;
      const [seconds] = await timed(translate(MEASURED));
      return { wordsPerSecond: MEASURED_WORDS / seconds, memoryBytes: child.memoryBytes };
    }
  }
};

/**
 * Uses a model, in a process of its own, and measures it: files that are cut off or exchanged mostly
 * show only then, and may end the process. Throws `AppError` (`config`) for a model that does not
 * work. Resolves with the reason why it cannot be tried here, or with what was measured.
 *
 * @param library resolves with the folder of the package that language models run in
 */
export const tryModel = async (
  folder: string,
  layout: Layout,
  signal: AbortSignal,
  library: () => Promise<string>,
): Promise<{ readonly untried?: string; readonly measured?: Measured }> => {
  const needed = layout.ability === 'translation' ? BERGAMOT_PACKAGE : SHERPA_PACKAGE;
  if (layout.ability !== 'chat' && !isPackageInstalled(needed))
    return { untried: `that needs npm install --include=optional, which adds ${needed}` };
  let reason = '';
  const done =
    layout.ability === 'chat'
      ? answer(layout.model, await library(), signal)
      : use(layout, needed, signal);
  const measured = await done.catch((error: unknown) => {
    signal.throwIfAborted();
    const { code, message, cause } = toAppError(error);
    if (code === 'timeout')
      throw unusable(folder, `it took over ${LONGEST_MS / 60_000} minutes for one sentence`);
    reason = ` (${cause instanceof AppError ? `${message}: ${cause.message}` : message})`;
    return undefined;
  });
  if (!measured)
    throw unusable(
      folder,
      `it did not work when it was tried${reason}; its files may be cut off or exchanged, or the machine may have too little memory`,
    );
  return typeof measured === 'string' ? { untried: measured } : { measured };
};

/** Formats what was measured for people, such as `follows 2 speakers at once`. */
export const measuresOf = (
  ability: Layout['ability'],
  { realTimeFactor, wordsPerSecond, memoryBytes }: Measured = {},
): readonly string[] =>
  [
    realTimeFactor &&
      (ability === 'speech'
        ? `speaks at ${(1 / realTimeFactor).toFixed(1)} times the speed of people`
        : speakersText(realTimeFactor)),
    wordsPerSecond && `${Math.round(wordsPerSecond)} words a second`,
    memoryBytes && `${megabytes(memoryBytes)} of memory`,
  ].filter((measure) => typeof measure === 'string');
