import { UNIT_SYMBOLS as SYMBOLS } from './spoken-amounts.ts';
import { languageOf } from './spoken-language.ts';
import { NOT_AFTER } from './written-number.ts';

/** The word between the ends of a range. */
const UP_TO: Readonly<Record<string, string>> = {
  en: ' to ',
  de: ' bis ',
  fr: ' à ',
  es: ' a ',
  pt: ' a ',
  it: ' a ',
  nl: ' tot ',
  sv: ' till ',
  da: ' til ',
  nb: ' til ',
  no: ' til ',
  pl: ' do ',
  cs: ' až ',
  el: ' έως ',
  ar: ' إلى ',
  he: ' עד ',
  fa: ' تا ',
  hi: ' से ',
  bn: ' থেকে ',
  ja: 'から',
  zh: '到',
  ko: '에서 ',
  th: ' ถึง ',
  vi: ' đến ',
  id: ' sampai ',
};
const END = String.raw`\d{1,4}(?:[.,:]\d{1,2})?`;
/** Pattern of words and signs after a range, but not after a score, a subtraction or an address. */
const COUNTED = String.raw`[ \u00A0]?(?:%|°|${SYMBOLS}|[ap]\.?m\b|[€£¥₹]|uhr|uur|heures?|hours?|hrs|min|minutes?|minuten|stunden|tage|days|weeks|months|years|people|jours|personnes|horas|minutos|días|dias|giorni|dagen|[時点點시分분日일人年년個个개])`;
const range = new RegExp(
  String.raw`${NOT_AFTER}(?<!–)(${END})(?:–|-(?=${END}${COUNTED}))(${END})(?![\d\p{sc=Latn}–-]|[.,:/]\d)`,
  'giu',
);
const rangeToHalfDay = new RegExp(
  String.raw`${NOT_AFTER}(${END}) ?[-–] ?(${END}) ?([ap])\.?m\b`,
  'giu',
);

const numeric = (end: string): number => Number(end.replace(/[,:]/, '.'));

/** Replaces the dash of a range by the word for it: `10–12`, `2-3 pm`. Scores are kept. */
export const spokenRanges = (text: string, locale: string): string => {
  const word = UP_TO[languageOf(locale)];
  if (word === undefined || !/\d ?[–-] ?\d/.test(text)) return text;
  const joined = (written: string, first: string, last: string): string =>
    numeric(first) < numeric(last) ? `${first}${word}${last}` : written;
  return text
    .replaceAll(
      rangeToHalfDay,
      (_, first: string, last: string, half: string) =>
        `${first}${word}${last} ${half.toLowerCase()}m`,
    )
    .replaceAll(range, joined);
};
