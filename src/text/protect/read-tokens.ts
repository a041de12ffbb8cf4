import { TOKEN_CLOSE, TOKEN_OPEN } from './brackets.ts';

/** What a translation is made of: words, and the numbers of tokens. */
export type Stretch = string | number;

const SPACE = String.raw`[\s\p{Cf}]{0,3}`;
const DIGITS = String.raw`(\p{Nd}(?:\p{Cf}?\p{Nd}){0,8})`;
const strict = new RegExp(`⟦${SPACE}${DIGITS}${SPACE}⟧`, 'gu');
// What models make of brackets that they do not know: other ones, doubled, full-width or mirrored.
const altered = new RegExp(
  `[⟦[［【〔〖「『（({｛<＜«‹〚⟨]{1,2}${SPACE}${DIGITS}${SPACE}[⟧\\]］】〕〗」』）)}｝>＞»›〛⟩]{1,2}|⟧${SPACE}${DIGITS}${SPACE}⟦`,
  'gu',
);
const unfinished = /⟦+[\s\p{Nd}\p{Cf}]{0,15}$/u;
const ascii = /^[0-9]+$/;
const digit = /\p{Nd}/u;

/** Digits of one script stand in a row in Unicode, from zero to nine. */
const valueOf = (char: string): number => {
  const point = char.codePointAt(0) ?? 0;
  let below = 0;
  while (below < 9 && digit.test(String.fromCodePoint(point - below - 1))) below += 1;
  return below;
};

/** The number that digits of any script write. */
const toNumber = (digits: string): number => {
  if (ascii.test(digits)) return Number(digits);
  let number = 0;
  for (const char of digits.normalize('NFKC'))
    if (digit.test(char)) number = number * 10 + (ascii.test(char) ? Number(char) : valueOf(char));
  return number;
};

/** Reads a translation, in which every `⟦3⟧` is a token whatever the script of its digits. */
export const readTokens = (
  translated: string,
  isWanted: (number: number) => boolean,
): readonly Stretch[] => {
  const stretches: Stretch[] = [];
  let from = 0;
  strict.lastIndex = 0;
  for (let match = strict.exec(translated); match; match = strict.exec(translated)) {
    if (match.index > from) stretches.push(translated.slice(from, match.index));
    const number = toNumber(match[1] ?? '');
    if (isWanted(number)) stretches.push(number);
    from = strict.lastIndex;
  }
  if (from < translated.length) stretches.push(translated.slice(from));
  return stretches;
};

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set(
    Array.from(text.replaceAll(strict, ' ').matchAll(altered), (match) =>
      toNumber(match[1] ?? match[2] ?? ''),
    ),
  );

/** Turns altered brackets back, for missing numbers that the source has in no such brackets. */
export const withBrackets = (
  source: string,
  translated: string,
  missing: readonly number[],
): string => {
  const wanted = new Set(missing).difference(numbersIn(source));
  if (wanted.size === 0) return translated;
  return translated.replaceAll(altered, (match, digits?: string, mirrored?: string) => {
    const number = toNumber(digits ?? mirrored ?? '');
    return wanted.delete(number) ? `${TOKEN_OPEN}${number}${TOKEN_CLOSE}` : match;
  });
};

/** A growing translation without the token that has only begun at its end. */
export const withoutUnfinished = (partial: string): string => partial.replace(unfinished, '');
