// Joiners are parts of words and emoji, tag characters of flags.
const LINE_BREAKS_AND_CONTROLS = /(?:[\s\p{Cc}]|(?![\u200D\u200C\u{E0020}-\u{E007F}])\p{Cf})+/gu;

/** Puts a text on one line, without control characters; the result is well-formed. */
export const oneLine = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ').trim();
