import { splitSentences } from '../src/text/split/sentences.ts';
import { splitText } from '../src/text/split/split.ts';

/** Longest phrase of one call in text without sentence ends, so that other calls get their turn. */
const LONGEST_PHRASE_CHARACTERS = 300;

/** Splits a text into what an engine speaks in one call: sentences, or parts of long ones. */
export const phrasesOf = (text: string): readonly string[] =>
  splitSentences(text).flatMap((sentence) => splitText(sentence, LONGEST_PHRASE_CHARACTERS));
