import { splitInstruction } from './instruction.ts';
import { lastGraphemeEnd } from './split/split.ts';
import { sentence } from '../rich-text/compose.ts';
import { type Code, code, type RichText } from '../rich-text/rich-text.ts';

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

/** Puts a text on one line, without control characters; the result is well-formed. */
export const oneLine = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ').trim();

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
