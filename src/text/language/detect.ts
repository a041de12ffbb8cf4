import { withoutPlainSpans } from '../plain-spans.ts';
import { FEATURES, NO_LANGUAGE, measureText } from './features.ts';
import { KANA, scriptsOf, type ScriptUse } from './scripts.ts';

import model from './model.json' with { type: 'json' };

export interface Detection {
  /** Language code in BCP 47: `en`, `ja`, `zh`, `zh-Hant`; `und` for a text in no language. */
  readonly language: string;
  /** Probability from 0 to 1: about the share of chat lines of this confidence that are right. */
  readonly confidence: number;
}

/** The logarithm of how much likelier a language is for a writer than for anybody. */
type LanguagePrior = (language: string) => number;

/** UTF-16 units that are read: enough to tell a text's language. */
const SAMPLE_LENGTH = 1_000;
/** Least confidence of a useful guess. */
const LEAST_CONFIDENCE = 0.35;
/** Confidence below which a short line with unlisted words is half as often right as its score says. */
const SURE_IF_SHORT = 0.65;
/** Confidence in a language that alone uses its script. */
const BY_SCRIPT_CONFIDENCE = 0.95;
/** A single kana may be part of an emoticon. */
const ONE_KANA_CONFIDENCE = 0.4;

/** A language written in Latin letters, such as `ja-Latn`, is that language. */
const spoken = (candidate: string): string => candidate.replace(/-Latn$/, '');

const NO_PRIOR: LanguagePrior = () => 0;

interface Fitted {
  readonly weights: Readonly<Record<string, number>>;
  /** Bias of each language, and what is added to the weight of its n-grams. */
  readonly languages: Readonly<Record<string, readonly number[]>>;
}
const { weights, languages: fitted }: Fitted = model;

const byModel = (
  text: string,
  candidates: readonly string[],
  prior: LanguagePrior,
): Detection[] => {
  const doubtful = new Set<string>();
  const scored = measureText(text, candidates).map(({ language, features, isDoubtful }) => {
    if (isDoubtful) doubtful.add(spoken(language));
    const [bias = 0, ngrams = 0] = fitted[language] ?? [];
    const score = FEATURES.reduce(
      (sum, feature) => sum + (weights[feature] ?? 0) * (features[feature] ?? 0),
      bias + ngrams * (features.ngrams ?? 0),
    );
    return { language: spoken(language), score: score + prior(spoken(language)) };
  });
  const highest = Math.max(...scored.map(({ score }) => score));
  const likelihoods = new Map<string, number>();
  for (const { language, score } of scored)
    likelihoods.set(language, (likelihoods.get(language) ?? 0) + Math.exp(score - highest));
  const total = [...likelihoods.values()].reduce((sum, likelihood) => sum + likelihood, 0);
  const ranked = Array.from(likelihoods, ([language, likelihood]) => ({
    language,
    confidence: likelihood / total,
  })).toSorted((a, b) => b.confidence - a.confidence);
  const [best] = ranked;
  const isUnsure =
    best !== undefined && best.confidence < SURE_IF_SHORT && doubtful.has(best.language);
  return isUnsure
    ? ranked.map(({ language, confidence }) => ({ language, confidence: confidence / 2 }))
    : ranked;
};

const byScript = (
  text: string,
  { script, letters }: ScriptUse,
  prior: LanguagePrior,
): Detection[] => {
  const [language = NO_LANGUAGE, ...others] = script.languages;
  if (others.length > 0) return byModel(text, script.languages, prior);
  const isEmoticon = script === KANA && letters === 1;
  return [{ language, confidence: isEmoticon ? ONE_KANA_CONFIDENCE : BY_SCRIPT_CONFIDENCE }];
};

/**
 * Ranks the languages in which a plain text may be, the likeliest first, from the first thousand
 * characters without addresses, `@names` and emoji. Empty where there are no letters.
 *
 * @param prior what is known of the writer
 */
export const rankLanguages = (
  text: string,
  prior: LanguagePrior = NO_PRIOR,
): readonly Detection[] => {
  const sample = withoutPlainSpans(text.slice(0, SAMPLE_LENGTH));
  const [use] = scriptsOf(sample);
  return use ? byScript(sample, use, prior) : [];
};

/** The likeliest language of a ranking; undefined where it is uncertain, or none. */
export const confidentLanguage = ([best]: readonly Detection[]): Detection | undefined =>
  best && best.language !== NO_LANGUAGE && best.confidence >= LEAST_CONFIDENCE ? best : undefined;

/** Detects a text's language as `rankLanguages` does; undefined where it is uncertain, or none. */
export const detectLanguage = (text: string, prior?: LanguagePrior): Detection | undefined =>
  confidentLanguage(rankLanguages(text, prior));

/** Weight of what anybody may write, in lines. */
const ANYBODY_LINES = 2;
/** Languages that anybody may write in, all alike. */
const ANYBODY_LANGUAGES = 40;
/** Most lines for which the lines of other people count. */
const MOST_OTHERS_LINES = 2;

interface WrittenBefore {
  /** Languages of the writer's last lines. */
  readonly own: readonly string[];
  /** Languages of the last lines of everybody in the place. */
  readonly place: readonly string[];
}

const countOf = (lines: readonly string[], language: string): number =>
  lines.reduce((count, each) => count + (each === language ? 1 : 0), 0);

/** The prior of a writer: how often they, and the others of the place, used each language lately. */
export const priorOf = ({ own, place }: WrittenBefore): LanguagePrior => {
  const placeLines = Math.min(MOST_OTHERS_LINES, place.length);
  const lines = own.length + placeLines + ANYBODY_LINES;
  return (language) => {
    const used =
      countOf(own, language) +
      (place.length > 0 ? (placeLines * countOf(place, language)) / place.length : 0) +
      ANYBODY_LINES / ANYBODY_LANGUAGES;
    return Math.log((used * ANYBODY_LANGUAGES) / lines);
  };
};
