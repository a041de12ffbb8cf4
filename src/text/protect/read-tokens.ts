/** The brackets of tokens (see `protect`). */
export const TOKEN_OPEN = '⟦';
export const TOKEN_CLOSE = '⟧';

/** The token of a number as it stands in a text. */
export const tokenText = (number: number): string => `${TOKEN_OPEN}${number}${TOKEN_CLOSE}`;

const whole = new RegExp(`^${TOKEN_OPEN}(\\d{1,9})${TOKEN_CLOSE}$`);

/** The number of a token that a text consists of; undefined for any other text. */
export const numberIn = (text: string): number | undefined => {
  const digits = whole.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Tokens, and what models make of them. */
const likeToken = /[⟦［[【]\s{0,3}\p{Nd}{1,9}\s{0,3}[⟧］\]】]/gu;

/** A text with a space in place of each token, whatever its brackets. */
export const withoutTokens = (text: string): string => text.replaceAll(likeToken, ' ');

/** A part of a translation: words, or the number of a token. */
export type Stretch = string | number;

const SPACE = String.raw`[\s\p{Cf}]{0,3}`;
const DIGITS = String.raw`(\p{Nd}(?:\p{Cf}?\p{Nd}){0,8})`;
const TOKEN = `⟦${SPACE}${DIGITS}${SPACE}⟧`;
const strict = new RegExp(TOKEN, 'uy');
const anywhere = new RegExp(TOKEN, 'gu');
// Variants that models make of unfamiliar brackets: other ones, doubled, full-width or mirrored.
const altered = new RegExp(
  `[⟦[［【〔〖「『（({｛<＜«‹〚⟨]{1,2}${SPACE}${DIGITS}${SPACE}[⟧\\]］】〕〗」』）)}｝>＞»›〛⟩]{1,2}|⟧${SPACE}${DIGITS}${SPACE}⟦`,
  'gu',
);
const unfinished = /⟦+[\s\p{Nd}\p{Cf}]{0,15}$/u;
const ascii = /^[0-9]+$/;
const digit = /\p{Nd}/u;

/** The value of a digit of any script; in Unicode those of each script are consecutive, from zero to nine. */
export const digitValue = (char: string): number => {
  const plain = char.normalize('NFKC');
  if (ascii.test(plain)) return Number(plain);
  const point = char.codePointAt(0) ?? 0;
  let below = 0;
  while (below < 9 && digit.test(String.fromCodePoint(point - below - 1))) below += 1;
  return below;
};

/** The number that digits of any script write. */
const toNumber = (digits: string): number => {
  const plain = Number(digits);
  if (!Number.isNaN(plain)) return plain;
  let number = 0;
  for (const char of digits) if (digit.test(char)) number = number * 10 + digitValue(char);
  return number;
};

const MOST_DIGITS = 9;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** The end of ASCII digits between brackets, which most engines keep; -1 for anything else. */
const plainEnd = (text: string, at: number): number => {
  let end = at + 1;
  while (end - at <= MOST_DIGITS && isDigit(text.charCodeAt(end))) end += 1;
  return end > at + 1 && text[end] === TOKEN_CLOSE ? end : -1;
};

/** The value of ASCII digits, the last of which stands before `end`. */
const plainValue = (text: string, start: number, end: number): number => {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
};

/** Reads a translation, in which every `⟦3⟧` is a token whatever the script of its digits. */
export const readTokens = (
  translated: string,
  isWanted: (number: number) => boolean,
): readonly Stretch[] => {
  const stretches: Stretch[] = [];
  let from = 0;
  let at = translated.indexOf(TOKEN_OPEN);
  while (at >= 0) {
    const plain = plainEnd(translated, at);
    let digits: string | undefined;
    if (plain < 0) {
      strict.lastIndex = at;
      digits = strict.exec(translated)?.[1];
      if (digits === undefined) {
        at = translated.indexOf(TOKEN_OPEN, at + 1);
        continue;
      }
    }
    if (at > from) stretches.push(translated.slice(from, at));
    const number = digits === undefined ? plainValue(translated, at + 1, plain) : toNumber(digits);
    if (isWanted(number)) stretches.push(number);
    from = digits === undefined ? plain + 1 : strict.lastIndex;
    at = translated.indexOf(TOKEN_OPEN, from);
  }
  if (from < translated.length) stretches.push(translated.slice(from));
  return stretches;
};

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set(
    Array.from(text.replaceAll(anywhere, ' ').matchAll(altered), (match) =>
      toNumber(match[1] ?? match[2] ?? ''),
    ),
  );

/** Restores altered brackets around missing numbers, unless the source has such brackets there. */
export const withBrackets = (
  source: string,
  translated: string,
  missing: readonly number[],
): string => {
  const unread = new Set(missing);
  const own = numbersIn(source);
  return translated.replaceAll(altered, (match, digits?: string, mirrored?: string) => {
    const number = toNumber(digits ?? mirrored ?? '');
    const isOwn = mirrored === undefined && own.has(number);
    return !isOwn && unread.delete(number) ? tokenText(number) : match;
  });
};

/** Removes an unfinished token at the end of a growing translation. */
export const withoutUnfinished = (partial: string): string => partial.replace(unfinished, '');
