import { text, type RichText } from '../../rich-text/rich-text.ts';
import { map } from '../../rich-text/walk.ts';
import { toFlatText } from '../../rich-text/pieces/pieces.ts';
import { findTerms, mergeTerms } from '../protect/terms.ts';
import { NodeSpeaker, type SpokenOptions } from './spoken-nodes.ts';
import { plainLetters } from './plain-letters.ts';
import { spokenWords } from './spoken-words.ts';

export interface SpeakableOptions extends SpokenOptions {
  /** Pronunciations: whole words, ignoring case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

/** A heart made of signs, which is read as the emoji. */
const heart = /(?<!\S)<3(?!\S)/g;

/** Names of programming languages and marks of code, beside which `<3` is no heart. */
const codeLike = /[A-Za-z](?:\+\+|#)|[={};]/;

const readableSigns = (tree: RichText): RichText =>
  map(tree, (node) => {
    if (node.kind !== 'text') return node;
    const plain = plainLetters(node.text);
    return text(codeLike.test(plain) ? plain : plain.replaceAll(heart, '❤'));
  });

/**
 * Makes the text that a voice reads for a message: names for mentions, words for emoji, the host
 * for an address, laughter in the voice's language; the numbers of lists; no code, spoilers or other line marks,
 * or the words given for them; repeated letters are shortened, telephone numbers and runs of over eight digits
 * are read digit by digit. Line breaks are kept, other white space becomes one space. Empty when
 * nothing is left to read.
 */
export const speakable = (tree: RichText, options: SpeakableOptions = {}): string => {
  const { text: written, spans, pairs } = toFlatText(readableSigns(tree));
  const terms =
    options.dictionary?.map(({ term, spoken }) => ({ term, translation: spoken })) ?? [];
  const speaker = new NodeSpeaker(options, written);
  let words = '';
  let from = 0;
  /** The spoiler whose content is left out. */
  let hiddenBy: number | undefined;
  const say = (word: string): void => {
    words += word === '' ? ' ' : ` ${word} `;
  };
  for (const span of mergeTerms(spans, findTerms(written, terms))) {
    if (hiddenBy === undefined) words += written.slice(from, span.start);
    from = span.end;
    const piece = span.kind === 'object' ? span.piece : undefined;
    if (piece?.kind === 'close') {
      if (piece.pair !== hiddenBy) continue;
      hiddenBy = undefined;
      say('');
    } else if (hiddenBy !== undefined) continue;
    else if (piece?.kind === 'open') {
      if (pairs[piece.pair]?.kind !== 'spoiler') continue;
      hiddenBy = piece.pair;
      say(options.words?.spoiler ?? '');
    } else say(speaker.word(span, written.slice(span.start, span.end)));
  }
  if (hiddenBy === undefined) words += written.slice(from);
  return spokenWords(words, options.locale, options.words?.code);
};
