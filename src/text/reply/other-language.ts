import { rankLanguages, type Detection } from '../language/detect.ts';
import { NO_LANGUAGE } from '../language/features.ts';
import languageData from '../language/languages.json' with { type: 'json' };
import { sameLanguage } from '../language/languages.ts';
import { withoutPlainSpans } from '../plain-spans.ts';
import { withoutTokens } from '../protect/read-tokens.ts';
import type { TranslationTask } from './task.ts';

/** Letters from which a text tells its language. */
const FEWEST_LETTERS = 20;
/** Confidence in another language from which a translation is taken to be in it. */
const SURE = 0.9;
/** Confidence in the wanted language from which it is not, however sure another one seems. */
const POSSIBLE = 0.02;
/** Confidence in the wanted language from which a beginning is in it. */
const LIKELY = 0.6;

/** Languages that a text of some words does not tell apart. */
const ALIKE = ['zh zh-Hant yue', 'no da', 'id ms', 'hr sr bs', 'gl pt'].map((codes) =>
  codes.split(' '),
);
const DETECTED = Object.values(languageData.scripts).flatMap((codes) => codes.split(' '));

const word = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const letter = /\p{L}/gu;
const sign = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;
/** Letters for which a character of these scripts stands. */
const SIGN_LETTERS = 3;

const lettersIn = (text: string): number =>
  (text.match(letter)?.length ?? 0) + (SIGN_LETTERS - 1) * (text.match(sign)?.length ?? 0);

/** UTF-16 units of a reply that are read, and of its source: some languages take a third of others. */
const SAMPLE_CHARS = 2_000;
const SOURCE_CHARS = 3 * SAMPLE_CHARS;

const prose = (text: string): string =>
  withoutPlainSpans(withoutTokens(text.slice(0, SAMPLE_CHARS)));

/** A reply without the words of its source: names and quotations tell nothing of its language. */
const newWords = (source: string, reply: string): string => {
  const own = new Set(source.slice(0, SOURCE_CHARS).toLowerCase().match(word));
  return prose(reply).replaceAll(word, (each) => (own.has(each.toLowerCase()) ? ' ' : each));
};

const isAlike = (one: string, other: string): boolean =>
  sameLanguage(one, other) ||
  ALIKE.some((codes) =>
    [one, other].every((code) => codes.some((each) => sameLanguage(each, code))),
  );

const confidenceIn = (ranked: readonly Detection[], language: string): number =>
  ranked
    .filter((each) => isAlike(each.language, language))
    .reduce((sum, { confidence }) => sum + confidence, 0);

/** True for a text that is long enough to tell its language, and surely not in this one. */
const isSurelyNotIn = (language: string, text: string): boolean => {
  if (lettersIn(text) < FEWEST_LETTERS || !DETECTED.some((code) => sameLanguage(code, language)))
    return false;
  const ranked = rankLanguages(text);
  const [best] = ranked;
  return (
    best !== undefined &&
    best.language !== NO_LANGUAGE &&
    best.confidence >= SURE &&
    confidenceIn(ranked, language) < POSSIBLE
  );
};

/** True for a reply that is surely not in the wanted language. */
export const isInOtherLanguage = ({ source, to }: TranslationTask, reply: string): boolean =>
  isSurelyNotIn(to, newWords(source, reply));

/** True for a beginning that is surely in the wanted language. */
export const isInLanguage = ({ to }: TranslationTask, partial: string): boolean => {
  const text = prose(partial);
  return lettersIn(text) >= FEWEST_LETTERS && confidenceIn(rankLanguages(text), to) >= LIKELY;
};

const folded = (text: string): string => text.toLowerCase().replaceAll(/\s+/gu, ' ').trim();

/** True for a reply that is its source, although that is surely not in the wanted language. */
export const repeatsSource = ({ source, from, to }: TranslationTask, reply: string): boolean =>
  !isAlike(from, to) && folded(source) === folded(reply) && isSurelyNotIn(to, prose(source));
