import { FormData } from 'undici';
import { z } from 'zod';
import { MEDIA_TYPES } from '../../../src/api/contract.ts';
import { encode } from '../../../src/audio/codec/encode.ts';
import { AppError } from '../../../src/errors.ts';
import type { SpokenWord } from '../../../src/model/message.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type EngineHints,
  type RecognitionEngine,
} from '../../engine.ts';
import { BackendError } from '../../errors.ts';
import { commonCode } from '../../language.ts';
import { isLoop } from '../../loops.ts';
import { meanShare } from '../../shares.ts';
import type { Upstream } from '../../back-end/http.ts';
import { promptOf } from './hotwords.ts';
import { createRealtimeRecognition } from './realtime.ts';

/**
 * Longest audio of one call: servers refuse files over 25 MB; ten minutes of 16 kHz WAV are 19 MB.
 */
const LONGEST_MS = 10 * 60_000;

const known = z.number().nullish().catch(undefined);
const reply = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z
    .array(
      z.object({
        start: z.number(),
        end: z.number(),
        avg_logprob: known,
        no_speech_prob: known,
        compression_ratio: known,
        text: z.string().nullish().catch(undefined),
      }),
    )
    .nullish()
    .catch(undefined),
  words: z
    .array(z.object({ word: z.string(), start: z.number(), end: z.number() }))
    .nullish()
    .catch(undefined),
});
type Segment = NonNullable<z.infer<typeof reply>['segments']>[number];

const inMs = ({ word, start, end }: { word: string; start: number; end: number }): SpokenWord => ({
  text: word.trim(),
  startMs: Math.round(1_000 * start),
  endMs: Math.round(1_000 * end),
});

/** The mean probability of a token; 0 of a loop, of which a recogniser is often certain. */
const certaintyOf = (text: string, segment: Segment): number | undefined => {
  if (isLoop(segment.text ?? text, segment.compression_ratio)) return 0;
  return typeof segment.avg_logprob === 'number' ? Math.exp(segment.avg_logprob) : undefined;
};

/** The mean over segments, each weighted by its length; undefined where one says nothing. */
const meanOf = (
  segments: readonly Segment[] | null | undefined,
  shareOf: (segment: Segment) => number | null | undefined,
): number | undefined =>
  meanShare(
    (segments ?? []).map((segment) => ({
      share: shareOf(segment),
      weight: Math.max(segment.end - segment.start, 0.01),
    })),
  );

interface AudioFile {
  readonly chunks: readonly Uint8Array[];
  readonly mediaType: string;
  readonly name: string;
}

/** True for a refusal of something in the request. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BackendError && [400, 422].includes(error.status);

/** Details of an answer, the most first. */
const DETAILS = ['words', 'segments'] as const;
type Detail = (typeof DETAILS)[number] | 'text';

const detailsFor = (
  { words: areAsked }: EngineHints,
  refused: ReadonlySet<Detail>,
): readonly [Detail, ...Detail[]] => {
  const [first, ...others] = DETAILS.filter(
    (detail) => !refused.has(detail) && (detail !== 'words' || areAsked),
  );
  return first ? [first, ...others, 'text'] : ['text'];
};

export const createRecognition = (upstream: Upstream, model: string): RecognitionEngine => {
  /** Details that the server refused, but not those after them. */
  const refusedDetails = new Set<Detail>();
  /** Languages with which the server refused what it took without. */
  const refusedLanguages = new Set<string>();

  const ask = async (
    file: AudioFile,
    hints: EngineHints,
    detail: Detail,
    signal: AbortSignal,
  ): Promise<RecognisedText> => {
    const form = new FormData();
    form.set(
      'file',
      new Blob([...file.chunks] as Uint8Array<ArrayBuffer>[], { type: file.mediaType }),
      file.name,
    );
    form.set('model', model);
    form.set('response_format', detail === 'text' ? 'json' : 'verbose_json');
    // Without one, servers raise it where a text is a loop; 0 is taken for a wish not to.
    if (detail === 'words')
      for (const one of ['segment', 'word']) form.append('timestamp_granularities[]', one);
    if (hints.temperature) form.set('temperature', String(hints.temperature));
    if (hints.language) form.set('language', hints.language);
    if (hints.hotwords?.length) form.set('prompt', promptOf(hints.hotwords));
    const parsed = reply.safeParse(
      await upstream.sendForJson('/audio/transcriptions', form, signal),
    );
    if (!parsed.success)
      throw new AppError('bad-reply', 'The backend did not answer with a transcript.');
    const { text, language: heardLanguage, segments, words } = parsed.data;
    return {
      text: text.trim(),
      language: heardLanguage ?? undefined,
      confidence: isLoop(text) ? 0 : meanOf(segments, (segment) => certaintyOf(text, segment)),
      noSpeech: meanOf(segments, (segment) => segment.no_speech_prob),
      words: words?.length ? words.map(inMs) : undefined,
      hotwordsUsed: Boolean(hints.hotwords?.length),
    };
  };

  const askInDetail = async (
    file: AudioFile,
    hints: EngineHints,
    signal: AbortSignal,
    [detail, ...less] = detailsFor(hints, refusedDetails),
  ): Promise<RecognisedText> => {
    try {
      return await ask(file, hints, detail, signal);
    } catch (error) {
      const [next, ...least] = less;
      if (!isRefusal(error) || !next) throw error;
      const heard = await askInDetail(file, hints, signal, [next, ...least]);
      refusedDetails.add(detail);
      return heard;
    }
  };

  const recogniseBytes = async (
    file: AudioFile,
    { language: wanted, ...hints }: EngineHints,
    signal: AbortSignal,
  ): Promise<RecognisedText> => {
    const language = wanted === undefined ? undefined : commonCode(wanted);
    if (language === undefined || refusedLanguages.has(language))
      return askInDetail(file, hints, signal);
    try {
      return await askInDetail(file, { ...hints, language }, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const heard = await askInDetail(file, hints, signal);
      refusedLanguages.add(language);
      return heard;
    }
  };

  return {
    longestMs: LONGEST_MS,
    stream: createRealtimeRecognition(upstream, model),
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
