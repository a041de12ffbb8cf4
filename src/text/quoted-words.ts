import { code, type Code } from '../model/rich-text.ts';
import { oneLine } from './one-line.ts';
import { shorten } from './split/shorten.ts';

/** Words of others for a sentence of ours: one line of at most `longest` UTF-16 units. */
export const quotedWords = (written: string, longest = 300): string =>
  shorten(oneLine(written), longest);

/** Typed text that is shown back as code: one line of at most `longest` UTF-16 units. */
export const typedCode = (typed: string, longest = 60): Code => code(quotedWords(typed, longest));
