import { protect } from '../src/text/protect/protect.ts';
import type { TranslationEngine, TranslationPiece, EngineTranslationRequest } from './engine.ts';

/** Tokens that a client has put in itself: they are kept whole, not bracket by bracket. */
const TOKEN = /⟦\d{1,9}⟧/g;

/**
 * `engine.translate`, with the request's keywords kept as they are. Through an engine that knows no
 * keywords they go as numbered tokens, which every engine keeps (see `TranslationPart`); the
 * translation then comes in one piece, for tokens are checked over the whole of it.
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
  const kept = protect(
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
  if (last) yield { ...last, text: kept.restore(translated).text };
}
