import type { Mention } from '../../rich-text/rich-text.ts';
import type { FlatSpan, Piece } from '../../rich-text/pieces/pieces.ts';
import type { TermSpan } from '../protect/terms.ts';
import { timeOf } from './spoken-timestamp.ts';
import { createEmojiRows, emojiWord } from './spoken-emoji.ts';

/** Words that are read in place of unreadable parts, in the voice's language. */
export interface SpokenWords {
  /** Words before the host of an address. Default: the host alone. */
  readonly link?: string;
  /** Words for code, and for unreadable strings. Default: nothing. */
  readonly code?: string;
  /** Words for hidden text. Default: nothing. */
  readonly spoiler?: string;
}

export interface SpokenOptions {
  /** The voice's language, for emoji, flags and times. Without it emoji are not read. */
  readonly locale?: string;
  /** The name behind a mention; undefined if it is not known, and the mention's own name is read. */
  readonly names?: (mention: Mention) => string | undefined;
  readonly words?: SpokenWords;
  /** The time now, in ms since 1970, for relative times. Default: those are read as date and time. */
  readonly nowMs?: number;
}

const readable = (name: string): string =>
  name.replaceAll(/[_~]+/g, ' ').replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ');

/** The host of an address, or the recipient of a `mailto:`. */
export const hostOf = (address: string): string => {
  const [, rest = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/?#>|]*)/i.exec(address) ?? [];
  return rest.replace(/^mailto:|^tel:/i, '');
};

/** Reads the parts of a flat text that are not language; '' where nothing is to be read. */
export class NodeSpeaker {
  readonly #options: SpokenOptions;
  readonly #rows: ReturnType<typeof createEmojiRows>;

  /** @param text the flat text whose parts are read, in order */
  constructor(options: SpokenOptions, text: string) {
    this.#options = options;
    this.#rows = createEmojiRows(text, options.locale);
  }

  word(span: FlatSpan | TermSpan, written: string): string {
    switch (span.kind) {
      case 'object':
        return this.#piece(span.piece, span.start);
      case 'term':
        return span.replacement ?? written;
      case 'url':
        return this.#address(written);
      case 'email':
        return written;
      case 'name':
        return readable(written.slice(1));
      case 'emoji':
        return this.#emoji(written, span);
      case 'shortcode':
        return this.#rows.read(() => readable(written.split(':')[1] ?? ''), span.start, span.end);
      case 'bracket':
        return '';
    }
  }

  #piece(piece: Piece, at: number): string {
    const { locale, names, words, nowMs } = this.#options;
    if (piece.kind === 'block') return (piece.block.spoiler ? words?.spoiler : words?.code) ?? '';
    if (piece.kind === 'line' && piece.line.kind === 'item' && !piece.line.continues)
      return piece.line.number === undefined ? '' : `${piece.line.number}.`;
    if (piece.kind !== 'leaf') return '';
    const { node } = piece;
    switch (node.kind) {
      case 'code':
        return words?.code ?? '';
      case 'link':
        return this.#address(node.url);
      case 'mention':
        return names?.(node) ?? readable(node.name ?? (node.target === 'broadcast' ? node.id : ''));
      case 'emoji':
        return this.#rows.read(() => readable(node.name.split('::')[0] ?? ''), at, at + 1);
      case 'timestamp':
        return timeOf(node, locale, nowMs);
    }
  }

  #address(url: string): string {
    const { link } = this.#options.words ?? {};
    return link === undefined ? hostOf(url) : `${link}: ${hostOf(url)}`;
  }

  #emoji(emoji: string, { start, end }: Pick<FlatSpan, 'start' | 'end'>): string {
    return this.#rows.read(() => emojiWord(emoji, this.#options.locale), start, end);
  }
}
