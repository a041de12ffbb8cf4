import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../unicode.ts';
import { areParticles } from './korean-particles.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const katakana = /[\p{sc=Kana}ー]/u;
const mark = /(?![\uFE00-\uFE0F])\p{M}/u;

/**
 * Tells where words begin and end in one text. Scripts without spaces are segmented by dictionary,
 * and only where somebody asks.
 */
export class WholeWords {
  readonly #text: string;
  #segments: Intl.Segments | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** True when a word can begin at `at`. */
  beginsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    const isSpaced = isSpacedLetter(after);
    if (isSpaced !== isSpacedLetter(before)) return true;
    return !isSpaced && this.#isBorder(at, before, after);
  }

  /** True when a word can end at `at`; Korean particles do not belong to the word before them. */
  endsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    if (mark.test(after)) return false;
    const isSpaced = isSpacedLetter(before);
    if (isSpaced !== isSpacedLetter(after)) return true;
    if (!isSpaced) return this.#isBorder(at, before, after);
    if (!isHangul(before)) return isHangul(after);
    return !isHangul(after) || areParticles(this.#text, at);
  }

  /** The end of the word that goes on at `at`. */
  endFrom(at: number): number {
    if (at >= this.#text.length || !isLetter(charAfter(this.#text, at))) return at;
    const isSpaced = isSpacedLetter(charAfter(this.#text, at));
    let end = at;
    for (;;) {
      const next = charAfter(this.#text, end);
      if (!isLetter(next) || isSpacedLetter(next) !== isSpaced) return end;
      if (!isSpaced && end > at && this.endsAt(end)) return end;
      end += next.length;
    }
  }

  #isBorder(at: number, before: string, after: string): boolean {
    // The dictionary takes apart names in katakana, which are one word to readers.
    if (katakana.test(before) && katakana.test(after)) return false;
    this.#segments ??= segmenter.segment(this.#text);
    return this.#segments.containing(at)?.index === at;
  }
}
