import type { RichText } from '../rich-text/rich-text.ts';
import { toPieces } from '../rich-text/pieces/pieces.ts';
import { withoutPlainSpans } from './plain-spans.ts';
import { plainInline } from '../rich-text/walk.ts';
import { isBlank, isEmojiOnly } from './unicode.ts';

/** Prefixes that begin hardly anything else in chat, before any word. */
const clear = /^(?:([!?])\1?|\/|\$\$?(?=[a-z]))(?<name>[A-Za-z][\w-]{0,31})(?=\s|$)/;
/**
 * Prefixes that also begin list items, addresses, emoticons and corrections: before known words
 * only.
 */
const ambiguous = /^(?:([-.,+=~%&>])\1?|;;?(?=[a-z]{2}))(?<name>[a-z][\w-]{0,31})(?=\s|$)/;

/** Common names of chat bots' commands. */
const NAMES = new Set(
  (
    'play p pause skip stop queue q np nowplaying volume vol loop seek shuffle lyrics join leave ' +
    'help ping info stats status about invite prefix settings config setup avatar userinfo ' +
    'serverinfo whois ban unban kick mute unmute warn warnings purge clear timeout lock unlock ' +
    'slowmode role roll dice flip coinflip poll remind reminder rank level leaderboard lb balance ' +
    'bal daily work pay shop buy sell inv inventory gamble slots bet give rep afk tag tags cmd ' +
    'commands meme gif fm tts say translate tr wiki define search weather'
  ).split(' '),
);
/** Tone indicators that people put where a command would stand. */
const TONES = new Set('s j hj srs gen lh nm nsrs pos neg ref sarc'.split(' '));

/**
 * True when a message is a command for a bot (`!play x`, `/roll`, `-p song`): one line that begins
 * with one or two punctuation marks and a Latin word right after. Doubtful messages are none: they
 * are at worst translated needlessly.
 */
export const isCommandLike = (text: string): boolean => {
  const line = text.trimEnd();
  if (line.includes('\n')) return false;
  const word = clear.exec(line)?.groups?.name;
  if (word) return !(line.startsWith('/') && TONES.has(word.toLowerCase()));
  return NAMES.has(ambiguous.exec(line)?.groups?.name ?? '');
};

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
