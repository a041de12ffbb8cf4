import { FormData } from 'undici';
import { z } from 'zod';
import { MEDIA_TYPES } from '../../../src/api/contract.ts';
import { encode } from '../../../src/audio/codec/encode.ts';
import type { SpokenWord } from '../../../src/model/message.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type EngineHints,
  type RecognitionEngine,
} from '../../engine.ts';
import { commonCode } from '../../language.ts';
import { isLoop } from '../../loops.ts';
import { meanShare } from '../../shares.ts';
import { createTakenForms } from '../../back-end/taken-forms.ts';
import type { Upstream } from '../../back-end/http.ts';
import { promptOf } from './hotwords.ts';
import { createRealtimeRecognition } from './realtime.ts';

/** Longest audio of one call: servers refuse files over 25 MB; ten minutes of 16 kHz WAV are 19 MB. */
const LONGEST_MS = 10 * 60_000;

const known = z.number().nullish().catch(undefined);
const transcript = z.object({
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
type Segment = NonNullable<z.infer<typeof transcript>['segments']>[number];
const TRANSCRIPT = ['a transcript', transcript] as const;

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

/** Details of an answer, the most first. */
const DETAILS = ['words', 'segments', 'text'] as const;
type Detail = (typeof DETAILS)[number];

export const createRecognition = (upstream: Upstream, model: string): RecognitionEngine => {
  const inDetail = createTakenForms<Detail>();
  /** The language, or none where it is refused. */
  const inLanguage = createTakenForms<string>();

  const ask = async (
    wav: readonly Uint8Array[],
    hints: EngineHints,
    detail: Detail,
    signal: AbortSignal,
  ): Promise<RecognisedText> => {
    const form = new FormData();
    const file = new Blob(wav as Uint8Array<ArrayBuffer>[], { type: MEDIA_TYPES.wav });
    form.set('file', file, 'audio.wav');
    form.set('model', model);
    form.set('response_format', detail === 'text' ? 'json' : 'verbose_json');
    // Without one, servers raise it where a text is a loop; 0 is taken for a wish not to.
    if (detail === 'words')
      for (const one of ['segment', 'word']) form.append('timestamp_granularities[]', one);
    if (hints.temperature) form.set('temperature', String(hints.temperature));
    if (hints.language) form.set('language', hints.language);
    if (hints.hotwords?.length) form.set('prompt', promptOf(hints.hotwords));
    const heard = await upstream.ask(TRANSCRIPT, '/audio/transcriptions', form, signal);
    const { text, language, segments, words } = heard;
    return {
      text: text.trim(),
      language: language ?? undefined,
      confidence: isLoop(text) ? 0 : meanOf(segments, (segment) => certaintyOf(text, segment)),
      noSpeech: meanOf(segments, (segment) => segment.no_speech_prob),
      words: words?.length ? words.map(inMs) : undefined,
      hotwordsUsed: Boolean(hints.hotwords?.length),
    };
  };

  return {
    longestMs: LONGEST_MS,
    stream: createRealtimeRecognition(upstream, model),
    recognise: async (samples, { language: wanted, ...hints }, signal) => {
      const pcm = ReadableStream.from([samples]);
      const wav = await Array.fromAsync(encode('wav', RECOGNITION_RATE_HZ, pcm));
      const details = DETAILS.filter((detail) => detail !== 'words' || hints.words);
      const languages = wanted === undefined ? [''] : [commonCode(wanted), ''];
      return inLanguage(languages, (language) =>
        inDetail(details, (detail) => ask(wav, { ...hints, language }, detail, signal)),
      );
    },
  };
};
