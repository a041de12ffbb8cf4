import { protectTerms } from '../src/text/protect/protect.ts';
import type { TranslationEngine, TranslationPiece, EngineTranslationRequest } from './engine.ts';

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
  const { text, keywords } = request;
  if (engine.keepsKeywords || keywords.length === 0) {
    yield* engine.translate(request, signal);
    return;
  }
  const terms = [...new Set([...keywords, ...(text.match(TOKEN) ?? [])])];
  const kept = protectTerms(
    text,
    terms.map((term) => ({ term })),
  );
  let translated = '';
  let last: TranslationPiece | undefined;
  for await (const piece of engine.translate(
    { ...request, text: kept.text, keywords: [] },
    signal,
  )) {
    translated += piece.text;
    last = { ...last, ...piece };
  }
  if (last) yield { ...last, text: kept.restore(translated) };
}
