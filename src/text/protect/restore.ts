import { TextBuilder } from './builder.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from '../markup/span.ts';
import { misnestedPairs, type PlacedToken } from './misnested.ts';
import { tokenContent, type Token } from './tokens.ts';

export type Restored =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      /**
       * The best that can be made of it: tokens put back, invented ones dropped, what was lost
       * appended (markers are dropped together with their partner).
       */
      readonly text: string;
      /** Numbers of tokens that are not there. */
      readonly missing: readonly number[];
      /** Numbers of tokens that were invented, or stand there once too often. */
      readonly extra: readonly number[];
    };

interface Assembled {
  readonly text: string;
  readonly placed: readonly PlacedToken[];
  readonly missing: readonly number[];
  readonly extra: readonly number[];
}

const NONE: ReadonlySet<number> = new Set();
const strict = /⟦\s{0,3}([0-9０-９]{1,9})\s{0,3}⟧/g;
// What models make of brackets that they do not know: other ones, doubled or full-width.
const altered =
  /[⟦[［【〔〖「『（({｛<＜«‹〚⟨]{1,2}\s{0,3}([0-9０-９]{1,9})\s{0,3}[⟧\]］】〕〗」』）)}｝>＞»›〛⟩]{1,2}/g;
const unfinished = /[⟦]+[\s0-9０-９]{0,15}$/;

/** ASCII or full-width digits. */
const toNumber = (digits: string): number => {
  const number = Number(digits);
  return Number.isNaN(number) ? Number(digits.normalize('NFKC')) : number;
};

const assemble = (
  tokens: readonly Token[],
  translated: string,
  lostPairs: ReadonlySet<number>,
): Assembled => {
  const draft = new TextBuilder(lostPairs);
  const seen = new Uint8Array(tokens.length);
  const extra: number[] = [];
  const placed: PlacedToken[] = [];
  let from = 0;
  let wordsBefore = '';
  strict.lastIndex = 0;
  for (let match = strict.exec(translated); match; match = strict.exec(translated)) {
    const number = toNumber(match[1] ?? '');
    const token = seen[number - 1] === 0 ? tokens[number - 1] : undefined;
    const words = translated.slice(from, match.index);
    draft.words(words, token);
    wordsBefore += words;
    from = strict.lastIndex;
    if (token) {
      seen[number - 1] = 1;
      placed.push({ token, words: wordsBefore });
      wordsBefore = '';
      draft.token(token);
    } else extra.push(number);
  }
  draft.words(translated.slice(from));
  const missing: number[] = [];
  for (const [index, times] of seen.entries()) if (times === 0) missing.push(index + 1);
  return { text: draft.toString(), placed, missing, extra };
};

const isWhole = (result: Assembled): boolean =>
  result.missing.length === 0 && result.extra.length === 0;

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set(
    Array.from(text.replaceAll(strict, ' ').matchAll(altered), (match) => toNumber(match[1] ?? '')),
  );

/** Turns altered brackets back, for missing numbers that the source has in no such brackets. */
const repair = (source: string, translated: string, missing: readonly number[]): string => {
  const wanted = new Set(missing).difference(numbersIn(source));
  if (wanted.size === 0) return translated;
  return translated.replaceAll(altered, (match, digits: string) => {
    const number = toNumber(digits);
    return wanted.delete(number) ? `${TOKEN_OPEN}${number}${TOKEN_CLOSE}` : match;
  });
};

/** What became tangled on the way; what was so in the source is as its writer wanted it. */
const newlyTangled = (
  source: string,
  tokens: readonly Token[],
  { placed }: Assembled,
): ReadonlySet<number> => {
  const tangled = misnestedPairs(placed);
  return tangled.size === 0
    ? NONE
    : tangled.difference(misnestedPairs(assemble(tokens, source, NONE).placed));
};

const bestEffort = (
  source: string,
  tokens: readonly Token[],
  translated: string,
  found: Assembled,
): string => {
  const lost = found.missing.flatMap((number) => tokens[number - 1] ?? []);
  const lostPairs = new Set(
    lost.flatMap((token) => token.parts.flatMap((part) => part.pair ?? [])),
  );
  const dropped = lostPairs.union(newlyTangled(source, tokens, found));
  const { text } = assemble(tokens, translated, dropped);
  return [text, ...lost.map(tokenContent).filter((content) => content !== '')].join(' ');
};

/** The text of a translation that has all tokens, without the markers that mark nothing in it. */
const untangled = (
  source: string,
  tokens: readonly Token[],
  translated: string,
  found: Assembled,
): string => {
  const tangled = newlyTangled(source, tokens, found);
  return tangled.size === 0 ? found.text : assemble(tokens, translated, tangled).text;
};

export const restoreTokens = (
  source: string,
  tokens: readonly Token[],
  translated: string,
): Restored => {
  const first = assemble(tokens, translated, NONE);
  if (isWhole(first)) return { ok: true, text: untangled(source, tokens, translated, first) };
  const repaired = repair(source, translated, first.missing);
  const second = repaired === translated ? first : assemble(tokens, repaired, NONE);
  if (isWhole(second)) return { ok: true, text: untangled(source, tokens, repaired, second) };
  const { missing, extra } = second;
  return { ok: false, text: bestEffort(source, tokens, repaired, second), missing, extra };
};

export const previewTokens = (tokens: readonly Token[], partial: string): string =>
  assemble(tokens, partial.replace(unfinished, ''), NONE).text;
