import { splitText } from '../src/text/split/split.ts';

/** Splits a text into lines with their ends, and very long lines into parts. */
const piecesOf = (text: string, longest: number): readonly string[] =>
  text.split(/(?<=\n)/).flatMap((line) => splitText(line, longest));

/**
 * Translates a text line by line with `translate`, so that other calls get their turn, and yields
 * pieces that, joined, are the translation; white space around lines stays as it is.
 *
 * @param longest most characters of one call
 */
export async function* translateInPieces(
  text: string,
  longest: number,
  translate: (core: string) => Promise<string>,
): AsyncGenerator<string> {
  let blank = '';
  for (const piece of piecesOf(text, longest)) {
    const core = piece.trim();
    if (core === '') {
      blank += piece;
      continue;
    }
    const start = piece.length - piece.trimStart().length;
    const translated = (await translate(core)).trim();
    yield `${blank}${piece.slice(0, start)}${translated}${piece.slice(start + core.length)}`;
    blank = '';
  }
  if (blank !== '') yield blank;
}
