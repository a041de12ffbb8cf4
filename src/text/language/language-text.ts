import type { RichText } from '../../model/rich-text.ts';
import { toPieces } from '../pieces/to-pieces.ts';
import { withoutPlainSpans } from '../plain-spans.ts';

/**
 * The language of a tree, line by line: words without code, addresses, mentions and emoji, each of
 * which leaves a space.
 *
 * @param most UTF-16 units after which no more is read; default: all is
 */
export const languageText = (tree: RichText, most = Number.POSITIVE_INFINITY): string => {
  let words = '';
  for (const piece of toPieces(tree).pieces) {
    if (words.length >= most) break;
    words += piece.kind === 'text' ? piece.text : ' ';
  }
  return withoutPlainSpans(words.slice(0, most));
};
