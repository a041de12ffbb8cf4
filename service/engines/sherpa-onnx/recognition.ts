import { RECOGNITION_RATE_HZ, type RecognitionEngine } from '../../engine.ts';
import type { Children } from './children.ts';
import type { Model, ModelKind } from './model.ts';
import type { SherpaReply, SherpaRequest } from './worker.ts';

/**
 * Longest audio of one call: Whisper takes at most 30 s; the other models grow slow with much more.
 */
const LONGEST_MS = 28_000;

/** Languages of the kinds that always have the same. */
const LANGUAGES: Readonly<Partial<Record<ModelKind, readonly string[]>>> = {
  'sense-voice': ['zh', 'yue', 'en', 'ja', 'ko'],
};

export interface InstalledRecogniser {
  readonly model: Model;
  /** ISO 639 codes; undefined for a model of which they are not known, or that has about all. */
  readonly languages: readonly string[] | undefined;
}

const languagesOf = ({ model, languages }: InstalledRecogniser): readonly string[] | undefined =>
  model.kind === 'whisper' ? undefined : (languages ?? LANGUAGES[model.kind]);

const breadth = (recogniser: InstalledRecogniser): number =>
  languagesOf(recogniser)?.length ?? Infinity;

/**
 * The recogniser for a language: the one that was trained for the fewest, as far as they include
 * it. Without a language, or where none has it, the one for the most.
 */
export const chooseRecogniser = (
  recognisers: readonly InstalledRecogniser[],
  language: string | undefined,
): InstalledRecogniser | undefined => {
  const code = language?.split('-')[0];
  const byBreadth = recognisers.toSorted((a, b) => breadth(a) - breadth(b));
  const fitting =
    code === undefined ? [] : byBreadth.filter((one) => languagesOf(one)?.includes(code) ?? true);
  return fitting[0] ?? byBreadth.at(-1);
};

/** Recognition with the installed models, of which there is at least one. */
export const createSherpaRecognition = (
  recognisers: readonly InstalledRecogniser[],
  children: Children<SherpaRequest, SherpaReply>,
): RecognitionEngine => ({
  longestMs: LONGEST_MS,
  recognise: async (samples, { language }, signal) => {
    const chosen = chooseRecogniser(recognisers, language);
    if (!chosen) return { text: '' };
    return children
      .of(chosen.model.config)
      .call(
        { samples, sampleRateHz: RECOGNITION_RATE_HZ, language: language?.split('-')[0] },
        signal,
      );
  },
});
