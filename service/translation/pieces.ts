import { plainSpans } from '../../src/text/plain-spans.ts';
import { findControlToken } from '../../src/text/control-tokens.ts';
import { splitText } from '../../src/text/split/split.ts';
import { protectTerms } from '../../src/text/protect/protect.ts';
import type { TranslationEngine, TranslationPiece, EngineTranslationRequest } from '../engine.ts';
import { plainParts, type LanguagePair } from './plain-writing.ts';

/** A part of a text, and what is done to its translation. */
interface Part {
  readonly text: string;
  readonly finish?: (translated: string) => string;
}

/** Yields the lines of a text with their ends, and very long lines in parts, as plain parts. */
function* plainPartsOf(text: string, longest: number, pair: LanguagePair): Generator<Part> {
  for (const line of text.split(/(?<=\n)/))
    // Thousands of blank lines are read at once.
    if (line.trim() === '') yield { text: line };
    else for (const piece of splitText(line, longest)) yield* plainParts(piece, pair);
}

/**
 * Translates the parts of a text, one after the other, with `translate`. Yields pieces that, joined, are
 * the translation; white space around parts stays as it is.
 */
export async function* translateParts(
  parts: Iterable<Part>,
  translate: (core: string) => Promise<string>,
): AsyncGenerator<string> {
  let blank = '';
  for (const { text: piece, finish = (words: string): string => words } of parts) {
    const core = piece.trim();
    if (core === '') {
      blank += piece;
      continue;
    }
    const start = piece.length - piece.trimStart().length;
    const translated = finish((await translate(core)).trim());
    yield `${blank}${piece.slice(0, start)}${translated}${piece.slice(start + core.length)}`;
    blank = '';
  }
  if (blank !== '') yield blank;
}

const lineBreak = /\s*\n\s*/g;

/**
 * Translates a text line by line with `translate`, an engine that knows well-edited texts alone, so
 * that other calls get their turn; see `translateParts`. A line that comes back in two is joined.
 *
 * @param longest most characters of one call, about
 */
export const translateInPieces = (
  { text, ...pair }: LanguagePair & { readonly text: string },
  longest: number,
  translate: (core: string) => Promise<string>,
): AsyncGenerator<string> =>
  translateParts(plainPartsOf(text, longest, pair), async (core) =>
    (await translate(core)).replaceAll(lineBreak, ' '),
  );

/** Tokens in the client's own text, which are preserved whole, not bracket by bracket. */
const TOKEN = /⟦\d{1,9}⟧/g;

/** True without control tokens of language models, addresses and code: models change what computers read. */
const isPlain = (text: string): boolean =>
  findControlToken(text) < 0 &&
  !plainSpans(text).some(({ kind }) => kind === 'code' || kind === 'url');

/**
 * Translates and preserves the request's keywords. For an engine without keywords, and in a text that is not plain,
 * these and what is not language become numbered tokens, which every engine preserves; the translation is then one
 * piece, because tokens are checked over the whole of it, after empty ones.
 */
export async function* translateKeeping(
  engine: TranslationEngine,
  request: EngineTranslationRequest,
  signal: AbortSignal,
): AsyncGenerator<TranslationPiece> {
  const { text, keywords, tokens, from } = request;
  const terms = [...new Set([...keywords, ...(text.match(TOKEN) ?? [])])];
  const protectedText =
    engine.keepsKeywords?.(request) && isPlain(text)
      ? undefined
      : protectTerms(
          text,
          terms.map((term) => ({ term })),
        );
  if (!protectedText || protectedText.text === text) {
    yield* engine.translate(request, signal);
    return;
  }
  let translated = '';
  let last: TranslationPiece | undefined;
  for await (const piece of engine.translate(
    {
      ...request,
      text: protectedText.text,
      tokens: protectedText.meanings(from, tokens),
      keywords: [],
    },
    signal,
  )) {
    translated += piece.text;
    last = { ...last, ...piece };
    yield { text: '', model: piece.model };
  }
  if (last) yield { ...last, text: protectedText.restore(translated) };
}
