import type { RichText } from '../model/rich-text.ts';
import { plainInline } from '../model/walk-rich-text.ts';
import { isCommandLike } from './command-like.ts';
import { toPieces } from './pieces/pieces.ts';
import { isBlank, isEmojiOnly } from './unicode.ts';

/** True when a message shows nothing. */
export const isBlankMessage = (tree: RichText): boolean =>
  toPieces(tree).pieces.every((piece) =>
    piece.kind === 'text' ? isBlank(piece.text) : piece.kind !== 'leaf' && piece.kind !== 'block',
  );

/**
 * True when a message is only emoji, custom emoji, shortcodes, punctuation and space; true of blank
 * text too.
 */
export const isEmojiMessage = (tree: RichText): boolean =>
  toPieces(tree).pieces.every((piece) => {
    if (piece.kind === 'text') return isEmojiOnly(piece.text);
    return piece.kind === 'leaf' ? piece.node.kind === 'emoji' : piece.kind !== 'block';
  });

/**
 * True when a message is a command for a bot, by `isCommandLike`: one line that begins with plain
 * words, and is no heading, quote, item or code.
 */
export const isCommandMessage = (tree: RichText): boolean => {
  const [only] = tree;
  if (only?.kind !== 'paragraph' || tree.length > 1) return false;
  return only.children[0]?.kind === 'text' && isCommandLike(plainInline(only.children));
};
