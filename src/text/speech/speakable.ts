import { spokenWords } from './spoken-words.ts';
import { createSpokenSpans, type SpokenOptions } from './spoken-spans.ts';
import type { Span } from '../markup/span.ts';
import { findSpans } from '../markup/spans.ts';
import { findTerms, mergeTerms } from '../protect/terms.ts';

export interface SpeakableOptions extends SpokenOptions {
  /** How words are to be read: whole words, whatever the case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

/** A heart made of signs; as an emoji it has words. */
const heart = /(?<!\S)<3(?!\S)/g;

/**
 * What a voice should read of a message: names for mentions, words for emoji, the host for an
 * address, laughter as it sounds; no code, no spoilers, no markup, or the words given for them; what is
 * drawn out shortened, telephone numbers and rows of over eight digits digit by digit. Lines stay lines,
 * other white space is one space. Empty when nothing is left to say; what it gives it leaves as it is.
 */
export const speakable = (written: string, options: SpeakableOptions = {}): string => {
  const text = written.replaceAll(heart, '❤');
  const terms = (options.dictionary ?? []).map(({ term, spoken }) => ({
    term,
    translation: spoken,
  }));
  const say = createSpokenSpans(options);
  let spoken = '';
  let from = 0;
  let hiddenBy: number | undefined;
  for (const span of mergeTerms(findSpans(text), findTerms(text, terms)) as readonly Span[]) {
    if (hiddenBy === undefined) spoken += text.slice(from, span.start);
    from = span.end;
    if (span.kind === 'spoiler') {
      if (hiddenBy === undefined) hiddenBy = span.pair;
      else if (hiddenBy === span.pair) hiddenBy = undefined;
      spoken += hiddenBy === undefined ? ' ' : ` ${options.words?.spoiler ?? ''} `;
    } else if (hiddenBy === undefined) {
      const word = say(span, text.slice(span.start, span.end));
      spoken += word === '' ? (span.side === undefined ? ' ' : '') : ` ${word} `;
    }
  }
  spoken += text.slice(from);
  return spokenWords(spoken, { locale: options.locale, code: options.words?.code });
};
