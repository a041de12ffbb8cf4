import { orAborted } from '../../src/async/abort.ts';
import { AppError, toAppError } from '../../src/errors.ts';
import { createChild } from '../../src/process/child.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { isPackageInstalled, RECOGNITION_RATE_HZ } from '../engine.ts';
import { BERGAMOT_PACKAGE } from '../engines/bergamot/library.ts';
import type { BergamotRequest } from '../engines/bergamot/worker.ts';
import { createSherpaDiarisation } from '../engines/sherpa-onnx/diarisation.ts';
import { requestOf } from '../engines/sherpa-onnx/children.ts';
import { SHERPA_PACKAGE, unusable } from '../engines/sherpa-onnx/model-folder.ts';
import type { StreamReply, StreamRequest } from '../engines/sherpa-onnx/stream-worker.ts';
import type { VoiceReply } from '../engines/sherpa-onnx/voice-worker.ts';
import type { SherpaReply, SherpaRequest } from '../engines/sherpa-onnx/worker.ts';
import type { Layout } from './layout.ts';

/** Longest time of a trial, loading a large model on a slow machine included. */
const LONGEST_MS = 180_000;

/** Words that a voice of any language has something of. */
const SPOKEN = 'Hello 你 да نا ना 1.';
/** Numbers stay in any language; with another model's vocabulary they change. */
const TRANSLATED = 'Hello, 1 2 3.';
const TRANSLATED_DIGITS = 3;
const HEARD_SAMPLES = RECOGNITION_RATE_HZ;

/** The package of the engine that uses the models of an ability. */
const packageOf = ({ ability }: Layout): string =>
  ability === 'translation' ? BERGAMOT_PACKAGE : SHERPA_PACKAGE;

/** Sends one request to a process of an engine. */
const ask = async <Reply>(
  layout: Layout,
  worker: string,
  args: readonly string[],
  request: object,
  signal: AbortSignal,
): Promise<Reply> => {
  await using child = createChild<object, Reply>({
    name: packageOf(layout),
    file: new URL(`../engines/${worker}`, import.meta.url),
    args,
    log: createLog('silent'),
    callTimeoutMs: LONGEST_MS,
    callsPerChild: 2,
    idleMs: LONGEST_MS,
    tellsErrors: true,
  });
  return await orAborted(child.call(request, signal), signal);
};

/** Uses the model once; resolves with false where nothing came of it. */
const use = async (layout: Layout, signal: AbortSignal): Promise<boolean> => {
  switch (layout.ability) {
    case 'chat':
      return true;
    case 'diarisation':
      await createSherpaDiarisation(layout.model, createLog('silent')).diarise(
        new Float32Array(HEARD_SAMPLES),
        signal,
      );
      return true;
    case 'speech': {
      const [first] = layout.speakers;
      if (!first) return false;
      const { samples } = await ask<VoiceReply>(
        layout,
        'sherpa-onnx/voice-worker.ts',
        [JSON.stringify(first.config)],
        requestOf(first, SPOKEN, 1),
        signal,
      );
      return samples.length > 0 && samples.every(Number.isFinite);
    }
    case 'recognition':
      if (layout.model.isStreaming) {
        const begins = { language: undefined, isLive: true };
        const samples = new Float32Array(HEARD_SAMPLES);
        await ask<StreamReply>(
          layout,
          'sherpa-onnx/stream-worker.ts',
          [JSON.stringify(layout.model.config)],
          {
            turns: [{ id: 1, begins, samples, ends: true }],
            closed: [],
          } satisfies StreamRequest,
          signal,
        );
        return true;
      }
      // A text is not to be expected of silence.
      await ask<SherpaReply>(
        layout,
        'sherpa-onnx/worker.ts',
        [JSON.stringify(layout.model.config)],
        {
          samples: new Float32Array(HEARD_SAMPLES),
          sampleRateHz: RECOGNITION_RATE_HZ,
          language: undefined,
        } satisfies SherpaRequest,
        signal,
      );
      return true;
    case 'translation': {
      const request: BergamotRequest = {
        route: [layout.model],
        text: TRANSLATED,
        tokens: new Map(),
      };
      const text = await ask<string>(layout, 'bergamot/worker.ts', [], request, signal);
      return (text.match(/\p{N}/gu) ?? []).length >= TRANSLATED_DIGITS;
    }
  }
};

/**
 * Uses a model once, in a process of its own: files that are cut off or exchanged mostly show only
 * then, and may end the process. Throws `AppError` (`config`) for a model that does not work.
 * Resolves with the name of the package without which it cannot be tried, or with undefined.
 */
export const tryModel = async (
  folder: string,
  layout: Layout,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (layout.ability === 'chat') return undefined;
  const needed = packageOf(layout);
  if (!isPackageInstalled(needed)) return needed;
  let reason = '';
  const worked = await use(layout, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const { code, message, cause } = toAppError(error);
    if (code === 'timeout')
      throw unusable(folder, `it took over ${LONGEST_MS / 60_000} minutes for one sentence`);
    reason = ` (${cause instanceof AppError ? `${message}: ${cause.message}` : message})`;
    return false;
  });
  if (!worked)
    throw unusable(
      folder,
      `it did not work when it was tried${reason}; its files may be cut off or exchanged, or the machine may have too little memory`,
    );
  return undefined;
};
