import { UNIT_SYMBOLS as SYMBOLS } from './spoken-amounts.ts';
import { languageOf } from './spoken-language.ts';
import { NOT_AFTER } from './written-number.ts';

/** The word between the ends of a range; languages that inflect their numbers have none. */
const UP_TO: Readonly<Record<string, string>> = {
  en: ' to ',
  de: ' bis ',
  fr: ' à ',
  es: ' a ',
  pt: ' a ',
  it: ' a ',
  ro: ' până la ',
  nl: ' tot ',
  sv: ' till ',
  da: ' til ',
  nb: ' til ',
  no: ' til ',
  pl: ' do ',
  cs: ' až ',
  el: ' έως ',
  tr: ' ila ',
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
/** Words of things that are counted, by which a hyphen between numbers is one of a range. */
const COUNTED_WORDS = [
  'uhr|uur|heures?|hours?|hrs|min|minutes?|minuten|stunden|tage|wochen|monate|jahre|personen',
  'days|weeks|months|years|people|jours|semaines|mois|ans|personnes|euros?|dollars?',
  'horas|minutos|días|dias|semanas|meses|años|anos|personas|pessoas',
  'ore|minuti|giorni|settimane|mesi|anni|persone|zile|minute|săptămâni|luni|ani|persoane|lei',
  'dagen|weken|maanden|jaar|mensen|dagar|timmar|minuter|veckor|månader|år|personer',
  'dage|timer|minutter|uger|uker|måneder|dni|godzin[ay]?|minut[ay]?|tygodni[e]?|miesięcy|lat|osób',
  'dní|hodin|týdnů|měsíců|let|lidí|osob|ημέρες|μέρες|ώρες|λεπτά|εβδομάδες|μήνες|χρόνια|άτομα',
  'час(?:а|ов)|минут[ыа]?|дн(?:я|ей)|недел[иь]|месяц(?:а|ев)|лет|года?|человека?|раза?|процент(?:а|ов)|рубл(?:я|ей)',
  'годин[иа]?|хвилин[иа]?|дн(?:і|ів)|тижн(?:і|ів)|місяц(?:і|ів)|рок(?:и|ів)|осіб|людей|раз(?:и|ів)|відсотк(?:и|ів)|грн|гривень',
  'päivää|tuntia|minuuttia|viikkoa|kuukautta|vuotta|henkilöä|kertaa|euroa|prosenttia',
  'nap|óra|perc|hét|hónap|év|fő|ember|forint|gün|saat|dakika|hafta|ay|yıl|kişi|lira',
  'أيام|ساعات|دقائق|أسابيع|أشهر|سنوات|أشخاص|ימים|שעות|דקות|שבועות|חודשים|שנים|אנשים|दिन|घंटे|मिनट|हफ़्ते|महीने|साल|लोग',
].join('|');
const COUNTED = String.raw`[ \u00A0]?(?:%|°|(?:${SYMBOLS}|[ap]\.?m)(?!\p{L})|[€£¥₹₽₴₺]|(?:${COUNTED_WORDS})(?!\p{L})|[時点點时分秒日天人年월月個个개歳岁살倍次回度℃円元원명]|초|분|시|일|주|번)`;
/** A hyphen between two times of day or two years is one of a range too. */
const BETWEEN_TIMES = String.raw`(?<=:\d\d)-(?=\d{1,2}:\d\d(?!\d))`;
const BETWEEN_YEARS = String.raw`(?<=(?<!\d)(?:1[5-9]|20)\d\d)-(?=(?:1[5-9]|20)\d\d(?![\d-]))`;
const DASH = String.raw`(?:[–~〜～]|-(?=${END}${COUNTED})|${BETWEEN_TIMES}|${BETWEEN_YEARS})`;
/** Words and signs after a range, but not after a score, a subtraction or an address. */
const range = new RegExp(
  String.raw`${NOT_AFTER}(?<![–~〜～])(${END})${DASH}(${END})(?![\d\p{sc=Latn}–~〜～-]|[.,:/]\d)`,
  'giu',
);
const rangeToHalfDay = new RegExp(
  String.raw`${NOT_AFTER}(${END}) ?[-–] ?(${END}) ?([ap])\.?m\b`,
  'giu',
);
const anyRange = /\d ?[–~〜～-] ?\d/;
const time = /:/;

const numeric = (end: string): number => Number(end.replace(/[,:]/, '.'));

/** True for two ends in their order; times of day may go on after midnight. */
const isRange = (first: string, last: string): boolean =>
  numeric(first) < numeric(last) || (time.test(first) && time.test(last));

/**
 * Replaces the dash of a range by the word for it: `10–12`, `2-3 pm`, `10:00-12:00`. Scores are
 * kept, and all ranges in languages that inflect their numbers, whose voices know better.
 */
export const spokenRanges = (text: string, locale: string): string => {
  const word = UP_TO[languageOf(locale)];
  if (word === undefined || !anyRange.test(text)) return text;
  return text
    .replaceAll(
      rangeToHalfDay,
      (_, first: string, last: string, half: string) =>
        `${first}${word}${last} ${half.toLowerCase()}m`,
    )
    .replaceAll(range, (written, first: string, last: string) =>
      isRange(first, last) ? `${first}${word}${last}` : written,
    );
};
