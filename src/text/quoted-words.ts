import { splitInstruction } from './instruction.ts';
import { lastGraphemeEnd } from './split/split.ts';
import { sentence } from '../rich-text/compose.ts';
import { type Code, code, type RichText, type Mention } from '../rich-text/rich-text.ts';
import { emojiText, mentionText } from '../rich-text/walk.ts';
import { toPieces, type Leaf, type Piece } from '../rich-text/pieces/pieces.ts';
import { hostOf } from './speech/speakable.ts';
import { timeOf } from './timestamps.ts';

/**
 * Shortens a text to at most `units` UTF-16 units; a longer one ends with `…` after a whole
 * grapheme.
 */
export const shorten = (text: string, units: number): string => {
  if (text.length <= units) return text;
  const end = Math.max(0, lastGraphemeEnd(text, 0, units - 1));
  return `${text.slice(0, end).trimEnd()}…`;
};

// Joiners are parts of words and emoji, tag characters of flags.
const LINE_BREAKS_AND_CONTROLS = /(?:[\s\p{Cc}]|(?![\u200D\u200C\u{E0020}-\u{E007F}])\p{Cf})+/gu;

/** Puts a text on one line as `oneLine` does, with the white space at its ends. */
export const withoutBreaks = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ');

/** Puts a text on one line, without control characters; the result is well-formed. */
export const oneLine = (text: string): string => withoutBreaks(text).trim();

/** The first of these names, of a person or a file, that shows anything: on one line, without control characters. */
export const shownName = (...names: readonly (string | null | undefined)[]): string =>
  names.map((name) => oneLine(name ?? '')).find((name) => name !== '') ?? '';

/** Words of others for a sentence of ours: one line of at most `longest` UTF-16 units. */
export const quotedWords = (written: string, longest = 300): string =>
  shorten(oneLine(written), longest);

/** Typed text that is shown back as code: one line of at most `longest` UTF-16 units. */
export const typedCode = (typed: string, longest = 60): Code => code(quotedWords(typed, longest));

/** Quotes what an operator is told to do: one line, with its commands and variables as code. */
export const quotedInstruction = (written: string): RichText =>
  sentence(
    ...splitInstruction(quotedWords(written)).map((part, index) =>
      index % 2 === 0 ? part : code(part),
    ),
  );

export interface ExcerptOptions {
  /** The name behind a mention, without its sign; undefined for the mention's own. */
  readonly names?: (mention: Mention) => string | undefined;
  /** The locale of times. Default: English. */
  readonly locale?: string;
}

export const HIDDEN = '▒▒▒';
/** UTF-16 units read per visible one: white space and invisible characters take room. */
const READ_PER_CHAR = 20;
const LEAST_READ = 4_000;

const leafText = (node: Leaf, { names, locale }: ExcerptOptions): string => {
  switch (node.kind) {
    case 'code':
      return node.text;
    case 'link':
      return hostOf(node.url);
    case 'mention': {
      const name = names?.(node);
      return mentionText(name === undefined ? node : { ...node, name });
    }
    case 'emoji':
      return emojiText(node);
    case 'timestamp':
      return timeOf(node, locale);
  }
};

/** The words that an excerpt shows of a piece that is not in a spoiler. */
export const shownWords = (piece: Piece, options: ExcerptOptions): string => {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'leaf':
      return leafText(piece.node, options);
    case 'block':
      return piece.block.spoiler ? HIDDEN : piece.block.text;
    case 'open':
    case 'close':
    case 'line':
      return '';
  }
};

/**
 * Makes a one-line excerpt of a message, without markup, addresses or spoilers, of at most `chars`
 * UTF-16 units; a longer one ends with `…` after a whole grapheme. The result is plain text.
 */
export const excerpt = (tree: RichText, chars: number, options: ExcerptOptions = {}): string => {
  const { pieces, pairs } = toPieces(tree);
  const most = Math.max(LEAST_READ, chars * READ_PER_CHAR);
  let line = '';
  let hiddenBy: number | undefined;
  for (const piece of pieces) {
    if (line.length > most) break;
    if (piece.kind === 'close' && piece.pair === hiddenBy) hiddenBy = undefined;
    if (hiddenBy !== undefined) continue;
    if (piece.kind === 'open' && pairs[piece.pair]?.kind === 'spoiler') {
      hiddenBy = piece.pair;
      line += HIDDEN;
    } else line += shownWords(piece, options);
  }
  const isCut = line.length > most;
  const flat = oneLine(isCut ? line.slice(0, most) : line);
  return shorten(isCut ? `${flat}…` : flat, chars);
};
