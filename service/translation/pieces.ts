import { splitText } from '../../src/text/split/split.ts';
import { protectTerms } from '../../src/text/protect/protect.ts';
import type { TranslationEngine, TranslationPiece, EngineTranslationRequest } from '../engine.ts';

/** Splits a text into lines with their ends, and very long lines into parts. */
const piecesOf = (text: string, longest: number): readonly string[] =>
  text.split(/(?<=\n)/).flatMap((line) => splitText(line, longest));

/**
 * Translates a text line by line with `translate`, so that other calls get their turn, and yields
 * pieces that, joined, are the translation; white space around lines stays as it is.
 *
 * @param longest most characters of one call
 */
export async function* translateInPieces(
  text: string,
  longest: number,
  translate: (core: string) => Promise<string>,
): AsyncGenerator<string> {
  let blank = '';
  for (const piece of piecesOf(text, longest)) {
    const core = piece.trim();
    if (core === '') {
      blank += piece;
      continue;
    }
    const start = piece.length - piece.trimStart().length;
    const translated = (await translate(core)).trim();
    yield `${blank}${piece.slice(0, start)}${translated}${piece.slice(start + core.length)}`;
    blank = '';
  }
  if (blank !== '') yield blank;
}

/** Tokens in the client's own text, which are preserved whole, not bracket by bracket. */
const TOKEN = /⟦\d{1,9}⟧/g;

/**
 * Translates and preserves the request's keywords. For an engine without keywords they become
 * numbered tokens, which every engine preserves (see `TranslationPart`); the translation is then
 * one piece, because tokens are checked over the whole of it.
 */
export async function* translateKeeping(
  engine: TranslationEngine,
  request: EngineTranslationRequest,
  signal: AbortSignal,
): AsyncGenerator<TranslationPiece> {
  const { text, keywords, tokens, from } = request;
  if (engine.keepsKeywords || keywords.length === 0) {
    yield* engine.translate(request, signal);
    return;
  }
  const terms = [...new Set([...keywords, ...(text.match(TOKEN) ?? [])])];
  const protectedText = protectTerms(
    text,
    terms.map((term) => ({ term })),
  );
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
  }
  if (last) yield { ...last, text: protectedText.restore(translated) };
}
