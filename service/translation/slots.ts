import type { TokenMeaning, TokenMeanings } from '../../src/text/protect/meanings.ts';
import { numberIn } from '../../src/text/protect/read-tokens.ts';
import { toPlainSigns } from './signs.ts';

/** A part of a text that stays as it is: a token, or a word in characters that the engine cannot read. */
export interface Slot extends TokenMeaning {
  readonly written: string;
}

type Reads = (text: string) => boolean;

/** A text in parts: words to translate, and slots. */
export type TextPart = string | Slot;

/** A token, with which a text that is split at it is kept. */
export const TOKEN = /(⟦\d{1,9}⟧)/;
/** A letter of a script without spaces between words, or all that stands between spaces. */
const UNIT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const EDGES = /^(?<before>["'([]*)(?<core>(?:.*[^.,;:!?)\]"'])?)/su;
const mark = /\p{M}/gu;
const currency = /\p{Sc}/gu;
const letterOrDigit = /[\p{L}\p{N}]/gu;
const letter = /\p{L}/u;
/** Signs at the ends of a word that engines part from it. */
const punctuationAround = /^[\s,;:.!?]+|(?<![\s,;:.!?])[\s,;:.!?]+$/gu;

/** A name that models of languages in Latin letters copy. */
const NAME = 'Martin';

const countOf = (text: string): number => text.match(letterOrDigit)?.length ?? 0;

/** A word in letters that the engine reads, as near to another as can be; undefined where there is none. */
const knownForm = (word: string, reads: Reads): string | undefined => {
  const form = Array.from(
    word.normalize('NFC').replaceAll(currency, (sign) => (reads(sign) ? sign : '$')),
  )
    .map((char) => (reads(char) ? char : char.normalize('NFD').replaceAll(mark, '')))
    .filter(reads)
    .join('')
    .replaceAll(punctuationAround, '');
  if (2 * countOf(form) >= countOf(word) && countOf(form) > 0) return form;
  return letter.test(word) && reads(NAME) ? NAME : undefined;
};

/** Divides words at those that the engine cannot read. */
const dividedAtUnknown = (words: string, reads: Reads): readonly TextPart[] => {
  const segments: TextPart[] = [];
  let from = 0;
  const plainTo = (end: number): void => {
    if (end > from) segments.push(words.slice(from, end));
  };
  for (const { 0: unit, index } of words.matchAll(UNIT)) {
    if (reads(toPlainSigns(unit, reads))) continue;
    const { before = '', core = unit } = EDGES.exec(unit)?.groups ?? {};
    const start = index + before.length;
    const last = segments.at(-1);
    if (start === from && typeof last === 'object')
      segments[segments.length - 1] = { written: last.written + core };
    else {
      plainTo(start);
      segments.push({ written: core });
    }
    from = start + core.length;
  }
  plainTo(words.length);
  return segments.map((segment) =>
    typeof segment === 'string' ? segment : { ...segment, word: knownForm(segment.written, reads) },
  );
};

/** Divides a text at its tokens and at words that the engine cannot read. */
export const divideAtSlots = (
  text: string,
  tokens: TokenMeanings,
  reads: Reads,
): readonly TextPart[] =>
  text.split(TOKEN).flatMap((part): readonly TextPart[] => {
    const number = numberIn(part);
    if (number === undefined) return dividedAtUnknown(part, reads);
    const { word, ...meaning } = tokens.get(number) ?? {};
    return [
      {
        ...meaning,
        written: part,
        word: word === undefined ? undefined : knownForm(word, reads),
      },
    ];
  });
