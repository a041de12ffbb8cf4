import { ServiceError } from '../api/service-error.ts';
import { parseMissingEngine } from '../http/missing-engine.ts';
import { NO_LANGUAGE } from '../text/language/features.ts';
import { confidentLanguage, type Detection } from '../text/language/detect.ts';
import { sameLanguage } from '../text/language/languages.ts';

/** Assumed language of a text in letters of which none is known. */
const UNDETECTED = 'en';
/** Confidence from which a text is in its language, whether an engine has it or not. */
const CERTAIN = 0.9;
/** Languages that are tried for one text. */
const MOST_TRIES = 4;
/** Factor for languages that the reader or the place is known to use. */
const EXPECTED = 4;
/** Factor for the reader's own, into which nobody has a text translated that is in it already. */
const OWN = 0.25;

/** A text that is to be translated without a given source language. */
export interface UnknownText {
  /** The languages that it may be in, the likeliest first. */
  readonly ranked: readonly Detection[];
  readonly to: string;
  /** Other languages of the reader and of the place. */
  readonly expected: readonly string[];
}

const isAmong = (language: string, languages: readonly string[]): boolean =>
  languages.some((each) => sameLanguage(each, language));

/** The likeliest of some languages, by the text and by what the reader and the place use. */
const likeliestOf = (
  { ranked, to, expected }: UnknownText,
  isPossible: (language: string) => boolean,
): string | undefined => {
  const factorOf = (language: string): number => {
    if (sameLanguage(language, to)) return OWN;
    return isAmong(language, [...expected, UNDETECTED]) ? EXPECTED : 1;
  };
  const weight = ({ language, confidence }: Detection): number => confidence * factorOf(language);
  return ranked
    .filter(({ language }) => isPossible(language))
    .toSorted((one, other) => weight(other) - weight(one))[0]?.language;
};

/**
 * The language to translate from first. A text whose language is uncertain is in the likeliest
 * language other than the reader's: that the reader understands it is not known.
 */
export const firstSource = (text: UnknownText): string => {
  const { ranked, to } = text;
  const likeliest = (): string | undefined =>
    likeliestOf(text, (language) => language !== NO_LANGUAGE && !sameLanguage(language, to));
  return confidentLanguage(ranked)?.language ?? likeliest() ?? UNDETECTED;
};

/** True where another language may be tried after one that no engine translates. */
export const isUncertain = ({ ranked }: Pick<UnknownText, 'ranked'>): boolean =>
  (ranked[0]?.confidence ?? 0) < CERTAIN;

/** Words of a refusal that is about a language, and not about a language model. */
const LANGUAGE = /lang(?!uage[ _-]?models?\b)/i;

/** True for a service that refuses a request for its languages, as far as it says so. */
const refusesLanguages = ({ code, body }: ServiceError): boolean =>
  code === 'missing' || (code === 'bad-input' && LANGUAGE.test(`${body?.name} ${body?.error}`));

/**
 * The next language to translate from, after a service refused those before; undefined where another
 * would be of no use. The reader's own means that the text is in it already.
 */
export const nextSource = (
  text: UnknownText,
  refused: readonly string[],
  thrown: unknown,
): string | undefined => {
  const { to, expected } = text;
  if (!(thrown instanceof ServiceError) || refused.length >= MOST_TRIES) return undefined;
  if (!isUncertain(text)) return undefined;
  const missing = thrown.body && parseMissingEngine(thrown.body.error);
  if (missing?.ability === 'translation' && missing.sources.length > 0) {
    const possible = [...missing.sources, to];
    const likeliest = likeliestOf(text, (language) => isAmong(language, possible));
    return likeliest !== undefined && isAmong(likeliest, refused) ? undefined : likeliest;
  }
  if (!refusesLanguages(thrown)) return undefined;
  return [...expected, UNDETECTED].find((each) => !isAmong(each, [...refused, to]));
};
