import { isBlank } from './unicode.ts';
import { createSpokenSpans, type SpokenOptions } from './spoken-spans.ts';
import { findSpans } from './spans.ts';
import { findTerms, mergeTerms } from './terms.ts';

export interface SpeakableOptions extends SpokenOptions {
  /** How words are to be read: whole words, whatever the case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

const audible = /[\p{L}\p{N}]/u;

/** A row of exclamation and question marks is one mark. */
const oneMark = (row: string): string => (/[?？]/.test(row) ? '?' : '!');

/** In this order; none of them touches digits. */
const SHORTENED: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  // Four, for there are Roman numbers and German compounds with three.
  [/(\p{L})\1{3,}/giu, '$1$1'],
  [/(\p{L}{2,3})\1{3,}/giu, '$1$1$1'],
  [/(\p{M}{2})\p{M}+/gu, '$1'],
  [/[!?！？]{2,}/gu, oneMark],
  [/\.{4,}|…{2,}/g, '…'],
  [/([-_=*#~〜・/\\|^])\1{2,}/g, ' '],
  [/[^\S\n]+/g, ' '],
  [/ ?\n[\s]*/g, '\n'],
  [/ ([,.;:!?、。！？…])/g, '$1'],
];

/**
 * What a voice should read of a message: names for mentions, words for emoji, the host for an
 * address; no code, no spoilers, no markup; drawn-out letters shortened. Lines stay lines, other
 * white space is one space. Empty when nothing is left to say.
 */
export const speakable = (text: string, options: SpeakableOptions = {}): string => {
  const terms = (options.dictionary ?? []).map(({ term, spoken }) => ({
    term,
    translation: spoken,
  }));
  const say = createSpokenSpans(options);
  let spoken = '';
  let from = 0;
  let hiddenBy: number | undefined;
  for (const span of mergeTerms(findSpans(text), findTerms(text, terms))) {
    if (hiddenBy === undefined) spoken += text.slice(from, span.start);
    from = span.end;
    if (span.kind === 'spoiler') {
      if (hiddenBy === undefined) hiddenBy = span.pair;
      else if (hiddenBy === span.pair) hiddenBy = undefined;
      spoken += ' ';
    } else if (hiddenBy === undefined) {
      const word = say(span, text.slice(span.start, span.end));
      spoken += word === '' ? (span.side === undefined ? ' ' : '') : ` ${word} `;
    }
  }
  spoken += text.slice(from);
  for (const [pattern, shorter] of SHORTENED)
    spoken =
      typeof shorter === 'string'
        ? spoken.replaceAll(pattern, shorter)
        : spoken.replaceAll(pattern, shorter);
  const trimmed = spoken.trim();
  return isBlank(trimmed) || !audible.test(trimmed) ? '' : trimmed;
};
