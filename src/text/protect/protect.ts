import type { RichText } from '../../rich-text/rich-text.ts';
import { OBJECT, toFlatText, type FlatText } from '../../rich-text/pieces/pieces.ts';
import { TreeBuilder } from '../../rich-text/pieces/tree-builder.ts';
import { plainSpans } from '../plain-spans.ts';
import { meaningsOf, type TokenMeanings } from './meanings.ts';
import { tokenText } from './read-tokens.ts';
import { preview, restore, type Check } from './restore.ts';
import { withHiding } from './spoilers.ts';
import { findTerms, mergeTerms, type Term, type TermSpan } from './terms.ts';
import { toTokens, type Source } from './token.ts';

export type { Term } from './terms.ts';

export interface Restored extends Check {
  /** True when the translation held each token exactly once. */
  readonly ok: boolean;
  /**
   * The tree in canonical form. Where `ok` is false, a best effort: invented tokens are dropped,
   * lost ones stand at the end of their line, or of the text
   * where its lines are not those of the source, except styles without their partner.
   */
  readonly tree: RichText;
}

export interface Protected {
  /**
   * The language of the tree, line by line, with a token such as `⟦3⟧` for each part that is not to be
   * translated: code, addresses, mentions, emoji, beginnings and ends of styles, marks of lines.
   */
  readonly text: string;
  /** Number of tokens; they are numbered from 1 in the order of the text. */
  readonly tokens: number;
  /** True when there is a letter outside the tokens: otherwise there is nothing to translate. */
  readonly hasWords: boolean;
  /** Meanings of the tokens, with words of a language (a BCP 47 code): that of the text. */
  readonly meanings: (language: string) => TokenMeanings;
  /**
   * Builds the tree of a translation of `text`. Pairs of tokens that enclose nothing in their new
   * places are left out; the address of such a link stays.
   */
  readonly restore: (translated: string) => Restored;
  /**
   * Builds the tree of a translation that is still growing: an unfinished token at its end is left
   * out.
   */
  readonly preview: (partial: string) => RichText;
}

const word = /\p{L}/u;

/** A flat text with its spans and the terms in it replaced by numbered tokens. */
const mask = (
  flat: FlatText,
  terms: readonly TermSpan[],
): Source & { readonly hasWords: boolean } => {
  const plain = terms.filter(({ start, end }) => !flat.text.slice(start, end).includes(OBJECT));
  const tokens = toTokens(flat.text, mergeTerms(flat.spans, plain));
  let text = '';
  let from = 0;
  let hasWords = false;
  for (const [index, { start, end }] of tokens.entries()) {
    const words = flat.text.slice(from, start);
    hasWords ||= word.test(words);
    text += words;
    text += tokenText(index + 1);
    from = end;
  }
  const rest = flat.text.slice(from);
  return {
    text: text + rest,
    tokens,
    pairs: withHiding(flat.pairs),
    hasWords: hasWords || word.test(rest),
  };
};

/**
 * Makes a text for translation engines of a flat text: everything that is not language, and the
 * glossary's terms, become numbered tokens. Line breaks are kept.
 *
 * The brackets U+27E6 and U+27E7 are rare in text, survive Apertium and language models, and hold a
 * plain number that no engine inflects. Such brackets in the source become tokens too, so every
 * bracket in `text` belongs to a token.
 *
 * Takes linear time for any text.
 *
 * @param terms those that stand in the text
 */
export const protectFlat = (flat: FlatText, terms: readonly TermSpan[]): Protected => {
  const source = mask(flat, terms);
  return {
    text: source.text,
    tokens: source.tokens.length,
    hasWords: source.hasWords,
    meanings: (language) => meaningsOf(flat.text, source.tokens, language),
    restore: (translated) => {
      const builder = new TreeBuilder(source.pairs);
      const { missing, extra } = restore(source, translated, builder);
      const ok = missing.length === 0 && extra.length === 0;
      return { ok, tree: builder.build(), missing, extra };
    },
    preview: (partial) => {
      const builder = new TreeBuilder(source.pairs);
      preview(source, partial, builder);
      return builder.build();
    },
  };
};

/** Makes the text of a tree in canonical form in the same way, and finds a few terms in it. */
export const protect = (tree: RichText, terms: readonly Term[] = []): Protected => {
  const flat = toFlatText(tree);
  return protectFlat(flat, findTerms(flat.text, terms));
};

/**
 * Replaces a glossary's terms, addresses and emoji in plain text by tokens, which translation
 * engines keep. `restore` puts them back into a translation; lost ones stand at its end.
 */
export const protectTerms = (
  text: string,
  terms: readonly Term[],
): Pick<Source, 'text'> & {
  /** Meanings of the tokens, given those of tokens that are among the terms. */
  readonly meanings: (language: string, given: TokenMeanings) => TokenMeanings;
  readonly restore: (translated: string) => string;
} => {
  const source = mask({ text, spans: plainSpans(text), pairs: [] }, findTerms(text, terms));
  return {
    text: source.text,
    meanings: (language, given) => meaningsOf(text, source.tokens, language, given),
    restore: (translated) => {
      let restored = '';
      restore(source, translated, {
        text: (written) => {
          restored += written;
        },
        piece: (piece) => {
          if (piece.kind === 'text') restored += piece.text;
        },
      });
      return restored;
    },
  };
};
