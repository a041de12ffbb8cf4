import { FormData } from 'undici';
import { z } from 'zod';
import { MEDIA_TYPES } from '../../../src/api/contract.ts';
import { encode } from '../../../src/audio/codec/encode.ts';
import { AppError } from '../../../src/errors.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type EngineHints,
  type RecognitionEngine,
} from '../../engine.ts';
import { BackendError } from '../../errors.ts';
import type { Upstream } from './http.ts';

/**
 * Longest audio of one call: servers refuse files over 25 MB; ten minutes of 16 kHz WAV are 19 MB.
 */
const LONGEST_MS = 10 * 60_000;

const reply = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z
    .array(z.object({ start: z.number(), end: z.number(), avg_logprob: z.number().nullish() }))
    .nullish(),
});

/** The mean probability of a token, weighted by the length of each segment. */
const confidenceOf = (segments: z.infer<typeof reply>['segments']): number | undefined => {
  let weight = 0;
  let sum = 0;
  for (const { start, end, avg_logprob } of segments ?? []) {
    if (typeof avg_logprob !== 'number') return undefined;
    const seconds = Math.max(end - start, 0.01);
    weight += seconds;
    sum += seconds * Math.exp(Math.min(0, avg_logprob));
  }
  return weight === 0 ? undefined : sum / weight;
};

interface AudioFile {
  readonly chunks: readonly Uint8Array[];
  readonly mediaType: string;
  readonly name: string;
}

export const createRecognition = (upstream: Upstream, model: string): RecognitionEngine => {
  /** True once the server has refused more detail than the text, but returned that. */
  let plainOnly = false;

  const ask = async (
    file: AudioFile,
    hints: EngineHints,
    responseFormat: 'verbose_json' | 'json',
    signal: AbortSignal,
  ): Promise<RecognisedText> => {
    const form = new FormData();
    form.set(
      'file',
      new Blob([...file.chunks] as Uint8Array<ArrayBuffer>[], { type: file.mediaType }),
      file.name,
    );
    form.set('model', model);
    form.set('response_format', responseFormat);
    form.set('temperature', String(hints.temperature ?? 0));
    const language = hints.language?.split('-')[0];
    if (language) form.set('language', language);
    if (hints.hotwords?.length) form.set('prompt', hints.hotwords.join(', '));
    const parsed = reply.safeParse(
      await upstream.sendForJson('/audio/transcriptions', form, signal),
    );
    if (!parsed.success)
      throw new AppError('bad-reply', 'The backend did not answer with a transcript.');
    const { text, language: heardLanguage, segments } = parsed.data;
    return {
      text: text.trim(),
      language: heardLanguage ?? undefined,
      confidence: confidenceOf(segments),
    };
  };

  const recogniseBytes = async (
    file: AudioFile,
    hints: EngineHints,
    signal: AbortSignal,
  ): Promise<RecognisedText> => {
    if (plainOnly) return ask(file, hints, 'json', signal);
    try {
      return await ask(file, hints, 'verbose_json', signal);
    } catch (error) {
      if (!(error instanceof BackendError) || ![400, 422].includes(error.status)) throw error;
      const heard = await ask(file, hints, 'json', signal);
      plainOnly = true;
      return heard;
    }
  };

  return {
    longestMs: LONGEST_MS,
    recogniseFile: ({ format, chunks }, hints, signal) =>
      recogniseBytes(
        { chunks, mediaType: MEDIA_TYPES[format], name: `audio.${format}` },
        hints,
        signal,
      ),
    recognise: async (samples, hints, signal) => {
      const once = (async function* () {
        yield samples;
      })();
      const chunks = await Array.fromAsync(encode('wav', RECOGNITION_RATE_HZ, once));
      return recogniseBytes(
        { chunks, mediaType: MEDIA_TYPES.wav, name: 'audio.wav' },
        hints,
        signal,
      );
    },
  };
};
