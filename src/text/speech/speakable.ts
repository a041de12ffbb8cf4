import { type Mention, text, type RichText } from '../../rich-text/rich-text.ts';
import { type FlatSpan, type Piece, toFlatText } from '../../rich-text/pieces/pieces.ts';
import { type TermSpan, findTerms, mergeTerms } from '../protect/terms.ts';
import { timeOf } from '../timestamps.ts';
import { createEmojiRows, emojiWord } from './spoken-emoji.ts';
import { map } from '../../rich-text/walk.ts';
import { plainLetters } from './plain-letters.ts';
import { spokenWords } from './spoken-words.ts';

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

/** Creates what reads the parts of a flat text that are not language; '' where nothing is to be read. */
const createSpanReader = ({ locale, names, words, nowMs }: SpokenOptions, flat: string) => {
  const rows = createEmojiRows(flat, locale);
  const addressOf = (url: string): string =>
    words?.link === undefined ? hostOf(url) : `${words.link}: ${hostOf(url)}`;

  const pieceOf = (piece: Piece, at: number): string => {
    if (piece.kind === 'block') return (piece.block.spoiler ? words?.spoiler : words?.code) ?? '';
    if (piece.kind === 'line' && piece.line.kind === 'item' && !piece.line.continues)
      return piece.line.number === undefined ? '' : `${piece.line.number}.`;
    if (piece.kind !== 'leaf') return '';
    const { node } = piece;
    switch (node.kind) {
      case 'code':
        return words?.code ?? '';
      case 'link':
        return addressOf(node.url);
      case 'mention':
        return names?.(node) ?? readable(node.name ?? (node.target === 'broadcast' ? node.id : ''));
      case 'emoji':
        return rows.read(() => readable(node.name.split('::')[0] ?? ''), at, at + 1);
      case 'timestamp':
        return timeOf(node, locale, nowMs);
    }
  };

  return (span: FlatSpan | TermSpan, written: string): string => {
    switch (span.kind) {
      case 'object':
        return pieceOf(span.piece, span.start);
      case 'term':
        return span.replacement ?? written;
      case 'url':
        return addressOf(written);
      case 'email':
      case 'code':
        return written;
      case 'name':
        return readable(written.slice(1));
      case 'emoji':
        return rows.read(() => emojiWord(written, locale), span.start, span.end);
      case 'shortcode':
        return rows.read(() => readable(written.split(':')[1] ?? ''), span.start, span.end);
      case 'bracket':
      case 'control':
        return '';
    }
  };
};

export interface SpeakableOptions extends SpokenOptions {
  /** Pronunciations: whole words, ignoring case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

/** A heart made of signs, which is read as the emoji. */
const heart = /(?<!\S)<3(?!\S)/g;

/** Names of programming languages and marks of code, beside which `<3` is no heart. */
const codeLike = /[A-Za-z](?:\+\+|#)|[={};]/;

const readableSigns = (tree: RichText): RichText =>
  map(tree, (node) => {
    if (node.kind !== 'text') return node;
    const plain = plainLetters(node.text);
    return text(codeLike.test(plain) ? plain : plain.replaceAll(heart, '❤'));
  });

/**
 * Makes the text that a voice reads for a message: names for mentions, words for emoji, the host
 * for an address, laughter in the voice's language; the numbers of lists; no code, spoilers or other line marks,
 * or the words given for them; repeated letters are shortened, telephone numbers and runs of over eight digits
 * are read digit by digit. Line breaks are kept, other white space becomes one space. Empty when
 * nothing is left to read.
 */
export const speakable = (tree: RichText, options: SpeakableOptions = {}): string => {
  const { text: written, spans, pairs } = toFlatText(readableSigns(tree));
  const terms =
    options.dictionary?.map(({ term, spoken }) => ({ term, translation: spoken })) ?? [];
  const read = createSpanReader(options, written);
  let words = '';
  let from = 0;
  /** The spoiler whose content is left out. */
  let hiddenBy: number | undefined;
  const say = (word: string): void => {
    words += word === '' ? ' ' : ` ${word} `;
  };
  for (const span of mergeTerms(spans, findTerms(written, terms))) {
    if (hiddenBy === undefined) words += written.slice(from, span.start);
    from = span.end;
    const piece = span.kind === 'object' ? span.piece : undefined;
    if (piece?.kind === 'close') {
      if (piece.pair !== hiddenBy) continue;
      hiddenBy = undefined;
      say('');
    } else if (hiddenBy !== undefined) continue;
    else if (piece?.kind === 'open') {
      if (pairs[piece.pair]?.kind !== 'spoiler') continue;
      hiddenBy = piece.pair;
      say(options.words?.spoiler ?? '');
    } else say(read(span, written.slice(span.start, span.end)));
  }
  if (hiddenBy === undefined) words += written.slice(from);
  return spokenWords(words, options.locale, options.words?.code);
};
