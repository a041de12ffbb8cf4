import { shorten } from '../split/shorten.ts';

const MARKUP = /[\\`*_~|<>[\]()#]/g;
// Joiners are parts of words and of emoji, tags of flags.
const LINE_BREAKS_AND_CONTROLS = /(?:[\s\p{Cc}]|(?![\u200D\u200C\u{E0020}-\u{E007F}])\p{Cf})+/gu;

/** The text on one line, without controls; well-formed. */
export const flatten = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ').trim();

/** Words of others, fit to stand in a sentence of ours: one line, and no markup. */
export const plainLine = (text: string, longest = 300): string =>
  shorten(flatten(text), longest).replaceAll(MARKUP, '\\$&');

/** What somebody typed, shown back as such: short, on one line, in code marks. */
export const inCode = (typed: string, longest = 60): string =>
  `\`${shorten(flatten(typed.replaceAll('`', ' ')), longest)}\``;
