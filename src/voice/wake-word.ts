import { spokenName } from '../text/speech/spoken-name.ts';

/** Letters that are heard for each other, and marks that a recogniser puts or leaves out. */
const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** What people say before a name when they call somebody. */
const CALLS = 'hey hi hello ok okay hallo hola oye salut bonjour ねえ ねぇ 하이 嘿'
  .split(' ')
  .map(folded)
  .join('|');
/** Signs that a recogniser puts before the first word, as `¿`. */
const START = String.raw`^[^\p{L}\p{N}]{0,5}(?:(?:${CALLS})[\s,、!]+)?`;

/**
 * What somebody asks who says one of our names first: "Dragoman, what is that?". Empty when they said
 * the name alone, undefined when they said something else.
 */
export const questionAfter = (text: string, names: readonly string[]): string | undefined => {
  const plain = text.trimStart();
  const spoken = names.flatMap((name) => [name, spokenName(name)]).map(folded);
  for (const name of spoken.filter((each) => each.length > 2)) {
    const call = new RegExp(
      `${START}${RegExp.escape(name)}(?!['’-]?[\\p{L}\\p{N}])[\\s,.!?:;、。！？…-]*`,
      'u',
    );
    // Folding may change lengths, so the words are counted through letter by letter.
    const found = call.exec(folded(plain))?.[0];
    if (found === undefined) continue;
    let at = 0;
    while (at < plain.length && folded(plain.slice(0, at)).length < found.length) at += 1;
    return plain.slice(at).trim();
  }
  return undefined;
};
