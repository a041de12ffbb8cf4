const FENCE = 3;

/**
 * Finds where code ends. The look-ahead is remembered, so that a text of nothing but backticks is
 * still read once.
 */
export class CodeSpans {
  readonly #text: string;
  /** By length of run: the start of the next such run at or after the last question. */
  readonly #nextRun = new Map<number, number>();
  #paragraphEnd = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** How many backticks stand at `at`. */
  runLength(at: number): number {
    let end = at;
    while (this.#text[end] === '`') end += 1;
    return end - at;
  }

  /**
   * The end of the code that a run of `length` backticks at `at` opens, or -1. A fence that is never
   * closed ends with the text; inline code does not cross a blank line.
   */
  end(at: number, length: number): number {
    if (length >= FENCE) {
      const fence = this.#text.indexOf('```', at + length);
      return fence < 0 ? this.#text.length : fence + this.runLength(fence);
    }
    const close = this.#findRun(length, at + length);
    return close < this.#findParagraphEnd(at) ? close + length : -1;
  }

  #findRun(length: number, from: number): number {
    const known = this.#nextRun.get(length) ?? -1;
    if (known >= from) return known;
    const runs = /`+/g;
    runs.lastIndex = from;
    let found = Number.POSITIVE_INFINITY;
    for (let run = runs.exec(this.#text); run; run = runs.exec(this.#text)) {
      if (run[0].length !== length) continue;
      found = run.index;
      break;
    }
    this.#nextRun.set(length, found);
    return found;
  }

  #findParagraphEnd(from: number): number {
    if (this.#paragraphEnd < from) {
      const blank = this.#text.indexOf('\n\n', from);
      this.#paragraphEnd = blank < 0 ? this.#text.length : blank;
    }
    return this.#paragraphEnd;
  }
}
