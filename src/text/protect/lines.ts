import { tokenText, type Stretch } from './read-tokens.ts';
import { isPaired, type Source, type Token } from './token.ts';

const MARK = /^`+/;
/** A fence with the language of its code. */
const OPENING = /^\s*(?:`{3,}(?:[\w+-]*[^\S\n]*\n)?|`{1,2})(?!`)/;
const FENCE_CHARS = 3;
const language = /^[\w+-]*$/;

const countBackticks = (text: string): number => text.split('`').length - 1;

/** The lines within a fence whose two marks stand on lines of their own. */
const linesWithin = (inner: string): string => {
  const first = inner.indexOf('\n');
  const last = inner.lastIndexOf('\n');
  const isFence =
    first >= 0 && language.test(inner.slice(0, first).trim()) && inner.slice(last).trim() === '';
  return isFence ? inner.slice(first + 1, Math.max(first + 1, last)) : inner;
};

/**
 * Removes the backticks or the fence around a whole reply, which models add: those without which
 * the reply has as many as its source.
 */
export const unwrapped = (source: string, translated: string): string => {
  const reply = translated.trim();
  const mark = MARK.exec(reply)?.[0].length ?? 0;
  if (mark === 0 || reply.length <= 2 * mark || !reply.endsWith(reply.slice(0, mark)))
    return translated;
  const inner = reply.slice(mark, -mark);
  if (countBackticks(inner) !== countBackticks(source)) return translated;
  return mark >= FENCE_CHARS ? linesWithin(inner) : inner;
};

/** Removes them from the beginning of a reply that is still growing. */
export const unwrappedBeginning = (source: string, partial: string): string =>
  source.trimStart().startsWith('`') ? partial : partial.replace(OPENING, '');

const token = /⟦(?<number>\d+)⟧/g;

/** True for a token that begins a line, before which nothing can stand. */
export const beginsLine = (part: Token | undefined): boolean => {
  const kind = part?.parts[0]?.kind;
  return kind === 'line' || kind === 'block';
};

/** True for a token with the end of its line in it, after which nothing of the line can stand. */
const endsLine = (part: Token | undefined): boolean =>
  part?.parts
    .slice(1)
    .some(
      ({ kind, ...piece }) => kind === 'block' || ('text' in piece && piece.text.includes('\n')),
    ) ?? false;

const numbersIn = (line: string): readonly number[] =>
  Array.from(line.matchAll(token), ({ groups = {} }) => Number(groups['number']));

/** True for a token that can stand anywhere in its line. */
const isFree = ({ parts }: Token): boolean => parts.every((part) => !isPaired(part));

/**
 * Puts the tokens of a translation that has as many lines as its source into their lines: the marks of
 * lines to their beginnings, so that lists and quotes stay, and to their ends what ended them, or was
 * lost. Returns undefined for other translations, and for those with spoilers.
 */
export const withLines = (
  { text, tokens, pairs }: Source,
  stretches: readonly Stretch[],
  missing: readonly number[],
): string | undefined => {
  const isFixed = (number: number): boolean =>
    beginsLine(tokens[number - 1]) || endsLine(tokens[number - 1]);
  // What was in a spoiler is found by its tokens' own places.
  if (pairs.some(({ kind }) => kind === 'spoiler')) return undefined;
  if (!tokens.some((part) => beginsLine(part) || endsLine(part))) return undefined;
  const written = stretches
    .map((stretch) => (typeof stretch === 'number' ? tokenText(stretch) : stretch))
    .join('');
  const [from, to] = [text.split('\n'), written.split('\n')];
  if (from.length !== to.length) return undefined;
  const lost = new Set(missing);
  const lineOf = (line: string, source: string): string => {
    if (line === source) return line;
    const own = numbersIn(source);
    const marks = own.filter((number) => beginsLine(tokens[number - 1]));
    const ends = own.filter((number) => isFixed(number) && !marks.includes(number));
    const free = own.filter((number) => {
      const part = tokens[number - 1];
      return lost.has(number) && !isFixed(number) && part !== undefined && isFree(part);
    });
    const [before, after] = [marks, ends].map((all) => all.map(tokenText).join('')) as [
      string,
      string,
    ];
    const isSame = numbersIn(line).filter(isFixed).join() === [...marks, ...ends].join();
    const isInPlace = isSame && line.startsWith(before) && line.trimEnd().endsWith(after);
    if (isInPlace && free.length === 0) return line;
    const words = line.replaceAll(token, (found, number: string) =>
      isFixed(Number(number)) ? '' : found,
    );
    return [before, words.trim(), ...free.map((number) => ` ${tokenText(number)}`), after].join('');
  };
  return to.map((line, index) => lineOf(line, from[index] ?? '')).join('\n');
};
