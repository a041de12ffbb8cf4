import { code, link, text, type Inline, type RichText } from '../rich-text/rich-text.ts';
import { toPieces, type Piece } from '../rich-text/pieces/pieces.ts';
import {
  HIDDEN,
  oneLine,
  shorten,
  shownWords,
  withoutBreaks,
  type ExcerptOptions,
} from './quoted-words.ts';

/** Words, code, or a link with its label, which is empty where the address itself is shown. */
interface Part {
  readonly words: string;
  readonly isCode?: true;
  readonly url?: string;
}

/** Words without what spoilers hide, code and links, in their order. */
const partsOf = (tree: RichText, options: ExcerptOptions): readonly Part[] => {
  const { pieces, pairs } = toPieces(tree);
  const parts: Part[] = [];
  let hiddenBy: number | undefined;
  let url: string | undefined;
  const add = (words: string): void => {
    const last = parts.at(-1);
    if (!last || last.isCode || last.url !== url)
      parts.push({ words, ...(url === undefined ? {} : { url }) });
    else parts[parts.length - 1] = { ...last, words: last.words + words };
  };
  const enclosed = (piece: Piece & { readonly pair: number }): void => {
    const wrapper = pairs[piece.pair];
    if (wrapper?.kind === 'link') url = piece.kind === 'open' ? wrapper.url : undefined;
    if (wrapper?.kind === 'spoiler') {
      hiddenBy = piece.pair;
      add(HIDDEN);
    }
  };
  const codeOf = (piece: Piece): string | undefined => {
    if (url !== undefined) return undefined;
    if (piece.kind === 'block') return piece.block.spoiler ? undefined : piece.block.text;
    return piece.kind === 'leaf' && piece.node.kind === 'code' ? piece.node.text : undefined;
  };
  for (const piece of pieces) {
    const written = codeOf(piece);
    if (hiddenBy !== undefined) {
      if (piece.kind === 'close' && piece.pair === hiddenBy) hiddenBy = undefined;
    } else if ('pair' in piece) enclosed(piece);
    else if (piece.kind === 'leaf' && piece.node.kind === 'link' && url === undefined)
      parts.push({ words: '', url: piece.node.url });
    else if (written === undefined) add(shownWords(piece, options));
    else parts.push({ words: oneLine(written), isCode: true });
  }
  return parts;
};

/** The UTF-16 units that a row takes where links are written with their addresses. */
export const rowChars = (row: readonly Inline[]): number =>
  row.reduce((sum, node) => {
    if (node.kind === 'link') return sum + node.url.length + rowChars(node.children);
    return sum + ('text' in node ? node.text.length : 0);
  }, 0);

/**
 * Makes an excerpt in one row for people who read messages: as `excerpt`, but code stays code, and links stay, each of them whole. At most
 * `chars` long as `rowChars` counts, and one more for the `…` in place of a link that does not fit.
 */
export const excerptRow = (
  tree: RichText,
  chars: number,
  options: ExcerptOptions = {},
): readonly Inline[] => {
  const row: Inline[] = [];
  let left = chars;
  for (const { words, url, isCode = false } of partsOf(tree, options)) {
    const shown = isCode ? code : text;
    const flat = row.length === 0 ? withoutBreaks(words).trimStart() : withoutBreaks(words);
    const size = flat.length + (url?.length ?? 0);
    if (size > left)
      return [...row, url === undefined && left > 1 ? shown(shorten(flat, left)) : text('…')];
    left -= size;
    if (url !== undefined) row.push(link(url, ...(flat === '' ? [] : [text(flat)])));
    else if (flat !== '') row.push(shown(flat));
  }
  return row;
};
