import type { Piece } from '../pieces/pieces.ts';
import { plainSpans } from '../plain-spans.ts';
import { mask } from './mask.ts';
import { restore } from './restoration.ts';
import type { Term } from './terms.ts';

export interface ProtectedTerms {
  /** The text with a token, such as `⟦3⟧`, for each term, address and emoji. */
  readonly text: string;
  /** Puts them back into a translation; lost ones stand at its end. */
  readonly restore: (translated: string) => string;
}

/**
 * Replaces a glossary's terms, addresses and emoji in plain text by tokens, which translation
 * engines keep.
 */
export const protectTerms = (text: string, terms: readonly Term[]): ProtectedTerms => {
  const source = mask({ text, spans: plainSpans(text), pairs: [] }, terms);
  return {
    text: source.text,
    restore: (translated) => {
      let restored = '';
      const add = (written: string): void => {
        restored += written;
      };
      restore(source, translated, {
        text: add,
        piece: (piece: Piece) => {
          if (piece.kind === 'text') add(piece.text);
        },
      });
      return restored;
    },
  };
};
