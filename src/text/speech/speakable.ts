import { text, type RichText } from '../../model/rich-text.ts';
import { map } from '../../model/walk-rich-text.ts';
import { toFlatText, type FlatSpan, type Wrapper } from '../pieces/pieces.ts';
import { findTerms, mergeTerms, type TermSpan } from '../protect/terms.ts';
import { NodeSpeaker, type SpokenOptions } from './spoken-nodes.ts';
import { spokenWords } from './spoken-words.ts';

export interface SpeakableOptions extends SpokenOptions {
  /** Pronunciations: whole words, ignoring case, the longest first. */
  readonly dictionary?: readonly { readonly term: string; readonly spoken: string }[];
}

/** A heart made of signs, which is read as the emoji. */
const heart = /(?<!\S)<3(?!\S)/g;

const withHearts = (tree: RichText): RichText =>
  map(tree, (node) =>
    node.kind === 'text' && node.text.includes('<3')
      ? text(node.text.replaceAll(heart, '❤'))
      : node,
  );

/** Collects the spoken text; the content of a spoiler is left out. */
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
 * Makes the text that a voice reads for a message: names for mentions, words for emoji, the host
 * for an address, laughter in the voice's language; no code, spoilers or line marks, or the words
 * given for them; repeated letters are shortened, telephone numbers and runs of over eight digits
 * are read digit by digit. Line breaks are kept, other white space becomes one space. Empty when
 * nothing is left to read.
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
