import type { RichText } from '../../model/rich-text.ts';
import { toPieces } from '../pieces/pieces.ts';
import { withoutPlainSpans } from '../plain-spans.ts';

/**
 * The words of a tree that tell its language, line by line: without code, addresses, mentions and
 * emoji, each of which leaves a space.
 *
 * @param most UTF-16 units after which reading stops; default: no limit
 */
export const languageText = (tree: RichText, most = Number.POSITIVE_INFINITY): string => {
  let words = '';
  for (const piece of toPieces(tree).pieces) {
    if (words.length >= most) break;
    words += piece.kind === 'text' ? piece.text : ' ';
  }
  return withoutPlainSpans(words.slice(0, most));
};
