import { withoutPlainSpans } from '../plain-spans.ts';
import { digitValue, withoutTokens } from '../protect/read-tokens.ts';
import tables from './amounts.json' with { type: 'json' };

/** A number as a text writes it in digits. */
interface Written {
  /** The values that it may have: `1.250` is 1250 or 1.25, `1.5M` is 1.5 or 1500000. */
  readonly meanings: readonly number[];
  /** True where a currency or a percent sign stands beside it. */
  readonly isAmount: boolean;
  /** True for hours and minutes. */
  readonly isTime: boolean;
  /** True for a part of a name, which is not missed. */
  readonly isName: boolean;
}

const byWord = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([meaning, words]) =>
      words.split(' ').map((word): [string, string] => [word, meaning]),
    ),
  );
const MAGNITUDES = byWord(tables.magnitudes);
const CURRENCIES = byWord(tables.currencies);

/** Digits of any script, in groups. */
const numeral = /\p{Nd}{1,30}(?:[.,'’٬٫·\u00A0\u2009\u202F ]\p{Nd}{1,30}){0,8}/gu;
/** The letters before the digits of a name, such as `GPT-4` or `B2B`. */
const nameBefore = /(?:[\p{sc=Latin}\p{sc=Cyrl}\p{sc=Grek}]-?|_)$/u;
const otherDigit = /[^\P{Nd}0-9]/gu;
const groups = /^\d{1,3}(?<mark>[.,'’٬· ])\d{3}(?:\k<mark>\d{3})*$/;
const indianGroups = /^\d{1,2}(?:,\d{2})*,\d{3}$/;
const wordAfter = /^[\s-]?(?<word>[\p{L}\p{M}]{1,12}\.?|\p{Sc}|%|％|٪)/u;
const signBefore = /(?<sign>[A-Za-z]{0,3}\p{Sc}|\b[A-Z]{3})\s?$/u;
const hanNumeral = /[一二三四五六七八九十百千万萬億亿兩两〇零]/u;
const hanOrHangul = /^[\p{sc=Han}\p{sc=Hang}\p{sc=Kana}]/u;
const roman = /\b(?:[IVXLCDM]{2,9}|[VX])\b/;
const clock = /^(?::|h|時|时|点|點|시|\s?(?:[ap]\.?\s?m\b|uhr\b))/iu;
const dayHalf = /\d\s?(?:[ap]\.?\s?m\b|h\b|uhr\b|o['’]clock|час)|[午晚早]|오[전후]/iu;

const withPlainDigits = (text: string): string =>
  text.replaceAll(otherDigit, (char) => String(digitValue(char)));

/** The values that a numeral may have; undefined where it is several numbers, such as a date. */
const valuesOf = (numeralText: string): readonly number[] | undefined => {
  const plain = numeralText.replaceAll(/\s/g, ' ').replaceAll('٫', '.');
  if (/^\d+$/.test(plain)) return [Number(plain)];
  const whole = Number(plain.replaceAll(/\D/g, ''));
  const parts = plain.split(/\D/);
  const marks = plain.replaceAll(/\d/g, '');
  const last = marks.at(-1) ?? '';
  const isDecimal = /[.,٬]/.test(last);
  const head = plain.slice(0, plain.lastIndexOf(last));
  const fraction = Number(`${head.replaceAll(/\D/g, '')}.${parts.at(-1) ?? ''}`);
  const isGrouped = groups.test(plain) || indianGroups.test(plain);
  if (isGrouped) return marks.length === 1 && isDecimal ? [whole, fraction] : [whole];
  const headIsWhole = /^\d+$/.test(head) || groups.test(head) || indianGroups.test(head);
  return isDecimal && headIsWhole ? [fraction] : undefined;
};

/** Looks a word up; where no space parts words, one that begins with a known one, too. */
const lookUp = (table: ReadonlyMap<string, string>, written: string) => {
  const word = written.toLowerCase().replace(/\.$/, '');
  const beginnings = hanOrHangul.test(word) ? [word.slice(0, 2), word.slice(0, 1)] : [];
  const known = [word, ...beginnings].find((each) => table.has(each));
  return known === undefined ? undefined : { known, meaning: table.get(known) ?? '' };
};

const currencyOf = (sign: string): string | undefined =>
  lookUp(CURRENCIES, sign)?.meaning ?? (sign.endsWith('$') ? 'dollar' : undefined);

/** The product of the magnitudes after a number, as in `3 mil millones`, and the word after them. */
const magnitudeOf = (rest: string): { readonly times: number; readonly next: string } => {
  let times = 1;
  let from = rest;
  for (;;) {
    const found = wordAfter.exec(from);
    const word = found?.groups?.['word'] ?? '';
    const magnitude = lookUp(MAGNITUDES, word);
    if (!found || !magnitude) return { times, next: word };
    times *= Number(magnitude.meaning);
    from = from.slice(found[0].length - word.length + magnitude.known.length);
  }
};

/** Most numbers that are compared: each takes some microseconds. */
const MOST_NUMBERS = 1_000;

interface Found {
  readonly numbers: readonly Written[];
  readonly currencies: ReadonlySet<string>;
}

/** Finds the numbers in digits of a text, all or just over `MOST_NUMBERS`, and the currencies beside them. */
const numbersIn = (given: string): Found => {
  const text = withPlainDigits(withoutPlainSpans(withoutTokens(given)));
  const numbers: Written[] = [];
  const currencies = new Set<string>();
  for (const match of text.matchAll(numeral)) {
    if (numbers.length > MOST_NUMBERS) break;
    const end = match.index + match[0].length;
    const after = wordAfter.exec(text.slice(end, end + 16))?.groups?.['word'] ?? '';
    const before = signBefore.exec(text.slice(Math.max(0, match.index - 8), match.index));
    const magnitude = magnitudeOf(text.slice(end, end + 32));
    const signs = [before?.groups?.['sign'] ?? '', after, magnitude.next];
    const found = signs.map((sign) => currencyOf(sign)).filter((sign) => sign !== undefined);
    for (const currency of found) currencies.add(currency);
    const isAmount = found.length > 0 || /[%％٪]/.test(after);
    const isTime = clock.test(text.slice(end)) || text[match.index - 1] === ':';
    const whole = valuesOf(match[0]);
    const all = whole ? [whole] : match[0].split(/\D/).map((part) => [Number(part)]);
    for (const values of all)
      numbers.push({
        meanings: [...values, ...values.map((value) => value * magnitude.times)],
        isAmount,
        isTime,
        isName: nameBefore.test(text.slice(Math.max(0, match.index - 2), match.index)),
      });
  }
  return { numbers, currencies };
};

const LARGEST_WORD = 20;
/** Minutes that people say in words: half past, a quarter to. */
const SPOKEN_MINUTES = new Set([0, 15, 30, 45]);

/** The likeliest meaning. */
const valueOf = ({ meanings: [value = 0] }: Written): number => value;

/** Other values of the same hour by another clock, and of the same year in four digits and in two. */
const sameOtherwise = (number: Written, hasHours: boolean): readonly number[] => {
  const value = valueOf(number);
  const hours = hasHours ? [value + 12, value - 12].filter((hour) => hour >= 0 && hour <= 24) : [];
  if (value < 100) return [...hours, value + 1_900, value + 2_000];
  return value >= 1_900 && value < 2_100 ? [...hours, value % 100] : hours;
};

/** True for a number for which many languages write a word: "2 days", "zwei Tage". */
const mayBeWord = (number: Written, isInHan: boolean): boolean => {
  const value = valueOf(number);
  if (number.isAmount) return false;
  if (number.isTime && SPOKEN_MINUTES.has(value)) return true;
  return Number.isInteger(value) && value <= (isInHan ? 10_000 : LARGEST_WORD);
};

/** True for a number that a source may have had in words: "a thousand", "twenty-five". */
const mayComeOfWord = (number: Written): boolean => {
  const value = valueOf(number);
  return value <= 100 || /^\d0*$/.test(String(value));
};

type Values = (number: Written) => readonly number[];

/** A value without the errors of its calculation. */
const keyOf = (value: number): string => value.toPrecision(14);

/** Removes from both lists what corresponds: the first number of the reply that holds a wanted value. */
const unmatched = (
  source: readonly Written[],
  reply: readonly Written[],
  wanted: Values,
  held: Values = wanted,
): readonly [readonly Written[], readonly Written[]] => {
  const rest = new Set(reply);
  const byValue = new Map<string, Written[]>();
  for (const number of reply.toReversed())
    for (const key of new Set(held(number).map(keyOf))) {
      const same = byValue.get(key);
      if (same) same.push(number);
      else byValue.set(key, [number]);
    }
  const isFound = (value: number): boolean => {
    const same = byValue.get(keyOf(value)) ?? [];
    for (let other = same.pop(); other; other = same.pop()) if (rest.delete(other)) return true;
    return false;
  };
  return [source.filter((number) => !wanted(number).some(isFound)), [...rest]];
};

/**
 * Compares the numbers and currencies of a text and its translation, which may write them in other
 * digits and other formats. True where one was changed, lost or invented; small numbers may be words in
 * either of the two. Texts with over a thousand numbers are not compared.
 */
export const changesAmounts = (source: string, reply: string): boolean => {
  const from = numbersIn(source);
  const to = numbersIn(reply);
  if (Math.max(from.numbers.length, to.numbers.length) > MOST_NUMBERS) return false;
  const invents = to.currencies.size > 0 && from.currencies.size > 0;
  if (invents && [...to.currencies].some((currency) => !from.currencies.has(currency))) return true;
  const hasHours = dayHalf.test(source) || dayHalf.test(reply);
  const [left, right] = unmatched(from.numbers, to.numbers, ({ meanings }) => meanings);
  const [lost, invented] = unmatched(
    left,
    right,
    (number) => sameOtherwise(number, hasHours),
    (number) => [valueOf(number)],
  ).map((numbers) => numbers.filter(({ isName }) => !isName)) as [Written[], Written[]];
  const isInHan = hanNumeral.test(reply) || hanNumeral.test(source);
  const surely = lost.filter((number) => !mayBeWord(number, isInHan));
  if (roman.test(reply) ? surely.length > 1 : surely.length > 0) return true;
  const isTold = invented.filter(
    (number) => !number.isTime && !(isInHan && mayBeWord(number, true)),
  );
  const changes = (isTime: boolean): boolean =>
    [lost, invented].every((numbers) => numbers.some((number) => number.isTime === isTime));
  if (changes(true) || (changes(false) && isTold.length > 0)) return true;
  return isTold.some((number) => !mayComeOfWord(number));
};
