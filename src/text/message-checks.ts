import type { RichText } from '../model/rich-text.ts';
import { plainInline } from '../model/walk-rich-text.ts';
import { isCommandLike } from './command-like.ts';
import { toFlatText } from './pieces/flat-text.ts';
import { toPieces } from './pieces/to-pieces.ts';
import { isBlank } from './unicode.ts';

const meaning = /[\p{L}\p{N}]/u;

/** Nothing that can be seen. */
export const isBlankMessage = (tree: RichText): boolean =>
  toPieces(tree).pieces.every((piece) =>
    piece.kind === 'text' ? isBlank(piece.text) : piece.kind !== 'leaf' && piece.kind !== 'block',
  );

/** Nothing but emoji, custom emoji, shortcodes, punctuation and space; true of blank text too. */
export const isEmojiMessage = (tree: RichText): boolean => {
  const { text, spans } = toFlatText(tree);
  let from = 0;
  for (const span of spans) {
    if (meaning.test(text.slice(from, span.start))) return false;
    from = span.end;
    if (span.kind === 'object') {
      const { piece } = span;
      if (piece.kind === 'block' || (piece.kind === 'leaf' && piece.node.kind !== 'emoji'))
        return false;
    } else if (span.kind !== 'emoji' && span.kind !== 'shortcode' && span.kind !== 'bracket')
      return false;
  }
  return !meaning.test(text.slice(from));
};

/**
 * True when a message is a command for a bot, as `isCommandLike` has it: one line that begins with
 * plain words, and is no heading, quote, item or code.
 */
export const isCommandMessage = (tree: RichText): boolean => {
  const [only] = tree;
  if (only?.kind !== 'paragraph' || tree.length > 1) return false;
  return only.children[0]?.kind === 'text' && isCommandLike(plainInline(only.children));
};
