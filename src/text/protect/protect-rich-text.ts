import type { RichText } from '../../model/rich-text.ts';
import { toFlatText } from '../pieces/flat-text.ts';
import { TreeBuilder } from '../pieces/tree-builder.ts';
import { mask } from './mask.ts';
import { preview, restore, type Check } from './restoration.ts';
import type { Term } from './terms.ts';

export type { Term } from './terms.ts';

export interface Restored extends Check {
  /** Each token was there once. */
  readonly ok: boolean;
  /**
   * In canonical form. Where it is not ok, the best that can be made of it: invented tokens dropped,
   * what was lost at the end, but no style without its partner.
   */
  readonly tree: RichText;
}

export interface Protected {
  /**
   * The language of the tree, line by line, with a token such as `⟦3⟧` for each part that is not to be
   * translated: code, addresses, mentions, emoji, beginnings and ends of styles, marks of lines.
   */
  readonly text: string;
  /** How many tokens there are; they are numbered from 1 in the order of the text. */
  readonly tokens: number;
  /** There is a letter outside the tokens: without one there is nothing to translate. */
  readonly hasWords: boolean;
  /**
   * The tree of a translation of `text`. Pairs of tokens that mark nothing where they now stand are
   * left out; the address of such a link stays.
   */
  readonly restore: (translated: string) => Restored;
  /** What a translation that is still growing can show: an unfinished token at its end waits. */
  readonly preview: (partial: string) => RichText;
}

/**
 * Makes a text for translation engines of a tree in canonical form: everything that is not language,
 * and the glossary's terms, become numbered tokens. Lines stay lines.
 *
 * The brackets U+27E6 and U+27E7 are rare in text, pass through Apertium and language models, and
 * hold a plain number that no engine inflects. Where the text has these brackets itself they are
 * replaced by tokens too, so every bracket in `text` is ours.
 *
 * Time is linear in any tree.
 */
export const protect = (tree: RichText, terms: readonly Term[] = []): Protected => {
  const source = mask(toFlatText(tree), terms);
  return {
    text: source.text,
    tokens: source.tokens.length,
    hasWords: source.hasWords,
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
