import { languageName, languageOf } from '../../../src/text/language/language-names.ts';
import { commonCode } from '../../language.ts';
import type { Model } from './model.ts';

export interface InstalledRecogniser {
  readonly model: Model;
  /** ISO 639 codes by its record, for a model whose files do not name them; undefined where nothing does. */
  readonly languages: readonly string[] | undefined;
  /** Seconds that it takes for a second of sound, as it was measured here. */
  readonly realTimeFactor?: number | undefined;
}

/**
 * The codes of languages in the name that the project gave a model: `sherpa-onnx-moonshine-base-ja-quantized`.
 * GigaAM is no Amharic.
 */
const namedLanguages = (name: string): readonly string[] | undefined => {
  if (!name.startsWith('sherpa-onnx-')) return undefined;
  const parts = name.replace('giga-am', '').split(/[-_.]/);
  const codes = parts.filter((part) => /^[a-z]{2}$|^yue$/.test(part));
  const known = codes.filter((code) => languageName(code, 'en') !== code);
  return known.length > 0 ? known : undefined;
};

export const languagesOf = ({
  model,
  languages,
}: InstalledRecogniser): readonly string[] | undefined =>
  model.languages ?? languages ?? namedLanguages(model.name);

/** The recogniser's code for a language; undefined for one that it does not know, or may not know. */
export const codeFor = (
  recogniser: InstalledRecogniser,
  language: string | undefined,
): string | undefined => {
  if (language === undefined) return undefined;
  const codes = languagesOf(recogniser) ?? [];
  const base = languageOf(language);
  return codes.includes(base)
    ? base
    : codes.find((code) => commonCode(code) === commonCode(language));
};

const breadth = (recogniser: InstalledRecogniser): number =>
  languagesOf(recogniser)?.length ?? Infinity;

/**
 * The recogniser for a language: the one that was trained for the fewest, as far as they include
 * it. Without a language, or where none has it, the one for the most that finds out the language itself.
 */
export const chooseRecogniser = (
  recognisers: readonly InstalledRecogniser[],
  language: string | undefined,
): InstalledRecogniser | undefined => {
  const byBreadth = recognisers.toSorted((a, b) => breadth(a) - breadth(b));
  const fitting = byBreadth.find(
    (one) =>
      language !== undefined &&
      (codeFor(one, language) !== undefined || languagesOf(one) === undefined),
  );
  return fitting ?? byBreadth.findLast(({ model }) => !model.needsLanguage) ?? byBreadth.at(-1);
};

/**
 * True where no model may know the language. A Whisper model writes it as one that it knows, which is
 * mostly related.
 */
export const isUnknown = (recognisers: readonly InstalledRecogniser[], language: string): boolean =>
  recognisers.every(
    (one) =>
      one.model.kind !== 'whisper' &&
      languagesOf(one) !== undefined &&
      codeFor(one, language) === undefined,
  );
