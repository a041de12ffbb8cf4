// Joiners are parts of words and of emoji, tags of flags.
const LINE_BREAKS_AND_CONTROLS = /(?:[\s\p{Cc}]|(?![\u200D\u200C\u{E0020}-\u{E007F}])\p{Cf})+/gu;

/** The text on one line, without controls; well-formed. */
export const oneLine = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_BREAKS_AND_CONTROLS, ' ').trim();
