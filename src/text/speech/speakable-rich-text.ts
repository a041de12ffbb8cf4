import { text } from '../../model/rich-text.ts';
import type { RichText } from '../../model/rich-text.ts';
import { map } from '../../model/walk-rich-text.ts';
import { toFlatText, type FlatSpan } from '../pieces/flat-text.ts';
import type { Wrapper } from '../pieces/piece.ts';
import { findTerms, mergeTerms, type TermSpan } from '../protect/terms.ts';
import { NodeSpeaker, type SpokenOptions } from './spoken-nodes.ts';
import { spokenWords } from './spoken-words.ts';

export interface SpeakableOptions extends SpokenOptions {
  /** How words are to be read: whole words, whatever the case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

/** A heart made of signs; as an emoji it has words. */
const heart = /(?<!\S)<3(?!\S)/g;

const withHearts = (tree: RichText): RichText =>
  map(tree, (node) =>
    node.kind === 'text' && node.text.includes('<3')
      ? text(node.text.replaceAll(heart, '❤'))
      : node,
  );

/** Puts together what is said; what is between the ends of a spoiler is not. */
class Speech {
  words = '';
  readonly #speaker: NodeSpeaker;
  readonly #spoilerWord: string;
  readonly #code: string;
  readonly #pairs: readonly Wrapper[];
  #hiddenBy: number | undefined;

  constructor(options: SpokenOptions, pairs: readonly Wrapper[]) {
    this.#speaker = new NodeSpeaker(options);
    this.#spoilerWord = options.words?.spoiler ?? '';
    this.#pairs = pairs;
    this.#code = options.words?.code ?? '';
  }

  plain(written: string): void {
    if (this.#hiddenBy === undefined) this.words += written;
  }

  span(span: FlatSpan | TermSpan, written: string): void {
    if (span.kind !== 'object') {
      const word =
        span.kind === 'term' ? (span.replacement ?? written) : this.#speaker.plain(span, written);
      this.#say(word);
      return;
    }
    const { piece } = span;
    switch (piece.kind) {
      case 'open':
        if (this.#hiddenBy !== undefined || this.#pairs[piece.pair]?.kind !== 'spoiler') return;
        this.#say(this.#spoilerWord);
        this.#hiddenBy = piece.pair;
        return;
      case 'close':
        if (this.#hiddenBy !== piece.pair) return;
        this.#hiddenBy = undefined;
        return this.#say('');
      case 'leaf':
        return this.#say(this.#speaker.leaf(piece.node, span.start));
      case 'block':
        return this.#say(piece.block.spoiler ? this.#spoilerWord : this.#code);
      case 'line':
        return this.#say('');
    }
  }

  #say(word: string): void {
    if (this.#hiddenBy === undefined) this.words += word === '' ? ' ' : ` ${word} `;
  }
}

/**
 * What a voice should read of a message: names for mentions, words for emoji, the host for an
 * address, laughter as it sounds; no code, no spoilers, no marks of lines, or the words given for them;
 * what is drawn out shortened, telephone numbers and rows of over eight digits digit by digit. Lines
 * stay lines, other white space is one space. Empty when nothing is left to say.
 */
export const speakable = (tree: RichText, options: SpeakableOptions = {}): string => {
  const flat = toFlatText(withHearts(tree));
  const terms = (options.dictionary ?? []).map(({ term, spoken }) => ({
    term,
    translation: spoken,
  }));
  const speech = new Speech(options, flat.pairs);
  let from = 0;
  for (const span of mergeTerms(flat.spans, findTerms(flat.text, terms))) {
    speech.plain(flat.text.slice(from, span.start));
    speech.span(span, flat.text.slice(span.start, span.end));
    from = span.end;
  }
  speech.plain(flat.text.slice(from));
  return spokenWords(speech.words, { locale: options.locale, code: options.words?.code });
};
