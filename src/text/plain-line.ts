const MARKUP = /[\\`*_~|<>[\]()#]/g;
// Joiners are parts of words and of emoji, tags of flags.
const LINE_BREAKS_AND_CONTROLS = /(?:[\s\p{Cc}]|(?![\u200D\u200C\u{E0020}-\u{E007F}])\p{Cf})+/gu;

const shorten = (text: string, longestChars: number): string => {
  const characters = Array.from(text);
  return characters.length > longestChars ? `${characters.slice(0, longestChars).join('')}…` : text;
};

/** The text on one line, without controls; well-formed. */
export const flatten = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ').trim();

const oneLine = (text: string, longestChars: number): string =>
  shorten(flatten(text), longestChars);

/** Words of others, fit to stand in a sentence of ours: one line, and no markup. */
export const plainLine = (text: string, longestChars = 300): string =>
  oneLine(text, longestChars).replaceAll(MARKUP, '\\$&');

/** What somebody typed, shown back as such: short, on one line, in code marks. */
export const quote = (typed: string, longestChars = 60): string =>
  `\`${oneLine(typed.replaceAll('`', ' '), longestChars)}\``;
