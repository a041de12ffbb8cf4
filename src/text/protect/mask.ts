import { OBJECT, type FlatText } from '../pieces/pieces.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from './brackets.ts';
import type { Source } from './restoration.ts';
import { findTerms, mergeTerms, type Term } from './terms.ts';
import { toTokens } from './token.ts';

const word = /\p{L}/u;

export interface Masked extends Source {
  readonly hasWords: boolean;
}

/** A flat text with its spans and the terms in it replaced by numbered tokens. */
export const mask = (flat: FlatText, terms: readonly Term[]): Masked => {
  const found = findTerms(flat.text, terms).filter(
    ({ start, end }) => !flat.text.slice(start, end).includes(OBJECT),
  );
  const tokens = toTokens(flat.text, mergeTerms(flat.spans, found));
  let text = '';
  let from = 0;
  let hasWords = false;
  for (const [index, { start, end }] of tokens.entries()) {
    const plain = flat.text.slice(from, start);
    hasWords ||= word.test(plain);
    text += `${plain}${TOKEN_OPEN}${index + 1}${TOKEN_CLOSE}`;
    from = end;
  }
  const rest = flat.text.slice(from);
  return { text: text + rest, tokens, pairs: flat.pairs, hasWords: hasWords || word.test(rest) };
};
