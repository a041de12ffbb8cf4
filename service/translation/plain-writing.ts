import { inWholeWords } from '../../src/text/chat-words/chat-words.ts';
import { splitSentences } from '../../src/text/split/sentences.ts';
import { inSentenceCase, isInCapitals } from './capitals.ts';

export interface LanguagePair {
  readonly from: string;
  readonly to: string;
}

/** A part of a line: `text` is what an engine gets, `finish` writes its translation as the part was. */
export interface PlainPart {
  readonly text: string;
  readonly finish: (translated: string) => string;
}

const letter = /\p{L}/u;
/** A word of letters with case that stands alone, or beside tokens. */
const loneWord = /^(?:⟦\d+⟧|\s)*[\p{Lu}\p{Ll}\p{M}'’-]+(?:⟦\d+⟧|\s)*$/u;
/** A full stop, as the translation of one has it. */
const stop = /\s?[.。।](?=(?:⟦\d+⟧|\s)*$)/u;

const asWritten = (translated: string): string => translated;

/**
 * Cuts a line where it goes over to capitals or back, and writes each part as engines know language
 * that have learnt from well-edited texts alone: without capitals, chat words and stretched letters.
 * Joined with what `finish` makes, white space between the parts is as in the line.
 */
export const plainParts = (line: string, { from, to }: LanguagePair): readonly PlainPart[] => {
  const parts: { text: string; isLoud: boolean }[] = [];
  for (const sentence of splitSentences(line)) {
    const last = parts.at(-1);
    const isLoud = isInCapitals(sentence, from);
    const text = inWholeWords(isLoud ? inSentenceCase(sentence, from) : sentence, from);
    if (last && (last.isLoud === isLoud || !letter.test(sentence))) last.text += text;
    else parts.push({ text, isLoud });
  }
  return parts.map(({ text, isLoud }) => {
    const finish: PlainPart['finish'] = isLoud
      ? (translated) => translated.toLocaleUpperCase(to)
      : asWritten;
    // Engines take a word without a full stop for a heading, or a part of one.
    return loneWord.test(text.trim())
      ? {
          text: text.trimEnd() + '.' + text.slice(text.trimEnd().length),
          finish: (translated) => finish(translated.replace(stop, '')),
        }
      : { text, finish };
  });
};
