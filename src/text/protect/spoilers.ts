import type { Wrapper } from '../../rich-text/pieces/pieces.ts';
import type { Stretch } from './read-tokens.ts';
import { isPaired, type PieceSink, type Source, type Token } from './token.ts';

/** The spoiler by which whole lines are hidden; the last of the pairs of a text that has spoilers. */
const HIDING: Wrapper = { kind: 'spoiler', children: [] };

const isSpoiler = (wrapper: Wrapper | undefined): boolean => wrapper?.kind === 'spoiler';

/** The pairs of a text and, where it has spoilers, the one by which `hidingSink` hides lines. */
export const withHiding = (pairs: readonly Wrapper[]): readonly Wrapper[] =>
  pairs.some(isSpoiler) ? [...pairs, HIDING] : pairs;

/** The tokens around a spoiler, which can be the same. */
interface Spoiler {
  readonly pair: number;
  readonly open: number;
  readonly close: number;
}

export interface HiddenParts {
  /** Spoilers whose words are unknown. */
  readonly unplaced: ReadonlySet<number>;
  /** Lines of the translation that could hold their words. */
  readonly isLineHidden: (line: number) => boolean;
  /** True for a token that stood in a spoiler or holds one. */
  readonly isTokenHidden: (number: number) => boolean;
}

const NOTHING_HIDDEN: HiddenParts = {
  unplaced: new Set(),
  isLineHidden: () => false,
  isTokenHidden: () => false,
};

const spoilersOf = ({ tokens, pairs }: Source): readonly Spoiler[] => {
  const opened = new Map<number, number>();
  const spoilers: Spoiler[] = [];
  for (const [index, { parts }] of tokens.entries())
    for (const part of parts) {
      if (!isPaired(part) || !isSpoiler(pairs[part.pair])) continue;
      if (part.kind === 'open') opened.set(part.pair, index + 1);
      else {
        const open = opened.get(part.pair) as number;
        spoilers.push({ pair: part.pair, open, close: index + 1 });
      }
    }
  return spoilers;
};

interface Place {
  readonly line: number;
  /** Stretches of words and tokens with something to see before it. */
  readonly shownBefore: number;
  /** True when the tokens before it are those before it in the source. */
  readonly isInOrder: boolean;
}

interface Layout {
  readonly lines: number;
  readonly places: ReadonlyMap<number, Place>;
}

const breaksIn = (words: string): number => words.split('\n').length - 1;

const isShown = (token: Token | undefined): boolean =>
  token?.parts.some((part) => !isPaired(part) && part.kind !== 'line') ?? false;

/** Finds the line and the order of each token. */
const layOut = (stretches: readonly Stretch[], tokens: readonly Token[]): Layout => {
  const places = new Map<number, Place>();
  let line = 0;
  let shownBefore = 0;
  let largest = 0;
  for (const stretch of stretches)
    if (typeof stretch === 'string') {
      line += breaksIn(stretch);
      if (stretch.trim() !== '') shownBefore += 1;
    } else {
      const token = tokens[stretch - 1];
      const isInOrder = largest === stretch - 1 && places.size === stretch - 1;
      places.set(stretch, { line, shownBefore, isInOrder });
      largest = Math.max(largest, stretch);
      if (isShown(token)) shownBefore += 1;
      for (const part of token?.parts ?? []) if (part.kind === 'text') line += breaksIn(part.text);
    }
  return { lines: line + 1, places };
};

const holdsBreak = ({ parts }: Token): boolean =>
  parts.some((part) => part.kind === 'text' && part.text.includes('\n'));

const isEmpty = ({ places }: Layout, { open, close }: Spoiler): boolean =>
  places.get(open)?.shownBefore === places.get(close)?.shownBefore;

/** True when a spoiler holds the words of its source, as far as its tokens can tell. */
const isPlaced = (
  spoiler: Spoiler,
  before: Layout,
  after: Layout,
  isComplete: boolean,
): boolean => {
  const { open, close } = spoiler;
  if (open === close) return true;
  if (!isComplete || (isEmpty(after, spoiler) && !isEmpty(before, spoiler))) return false;
  return [open, close].every((token) => after.places.get(token)?.isInOrder);
};

/** The tokens of spoilers and those within. */
const tokensIn = (spoilers: readonly Spoiler[]): ReadonlySet<number> => {
  const numbers = new Set<number>();
  for (const { open, close } of spoilers)
    for (let number = open; number <= close; number += 1) numbers.add(number);
  return numbers;
};

/** The lines where spoilers were, or where anything is that they held. */
const linesOf = (
  spoilers: readonly Spoiler[],
  before: Layout,
  after: Layout,
): ReadonlySet<number> => {
  const lines = new Set<number>();
  for (const { open, close } of spoilers) {
    const last = before.places.get(close)?.line ?? 0;
    for (let line = before.places.get(open)?.line ?? 0; line <= last; line += 1) lines.add(line);
  }
  for (const number of tokensIn(spoilers)) {
    const place = after.places.get(number);
    if (place) lines.add(place.line);
  }
  return lines;
};

/**
 * Finds what must be hidden although its spoiler is not where it was: a reply that loses, repeats
 * or moves tokens leaves open which words a spoiler held. Then its whole lines are hidden, and all
 * lines when the reply has others than the source.
 *
 * @param isComplete true when the reply holds each token exactly once
 */
export const hiddenParts = (
  source: Source,
  sourceStretches: () => readonly Stretch[],
  replyStretches: readonly Stretch[],
  isComplete: boolean,
): HiddenParts => {
  if (source.pairs.at(-1) !== HIDING) return NOTHING_HIDDEN;
  const spoilers = spoilersOf(source);
  const before = layOut(sourceStretches(), source.tokens);
  const after = layOut(replyStretches, source.tokens);
  const unplaced = spoilers.filter((spoiler) => !isPlaced(spoiler, before, after, isComplete));
  const areLinesSame = before.lines === after.lines && !source.tokens.some(holdsBreak);
  const lines = linesOf(unplaced, before, after);
  const hidden = tokensIn(spoilers);
  return {
    unplaced: new Set(unplaced.map(({ pair }) => pair)),
    isLineHidden: (line) => unplaced.length > 0 && (!areLinesSame || lines.has(line)),
    isTokenHidden: (number) => hidden.has(number),
  };
};

/** Hides whole lines of what it passes on to a sink. */
export class HidingSink implements PieceSink {
  readonly #sink: PieceSink;
  readonly #pair: number;
  readonly #isHidden: HiddenParts['isLineHidden'];
  #line = 0;
  #isHiding = false;

  /** @param pair the number of the spoiler of `withHiding` */
  constructor(sink: PieceSink, pair: number, isHidden: HiddenParts['isLineHidden']) {
    this.#sink = sink;
    this.#pair = pair;
    this.#isHidden = isHidden;
    this.#begin();
  }

  piece: PieceSink['piece'] = (piece) => {
    if (piece.kind === 'text') this.text(piece.text);
    else this.#sink.piece(piece);
  };

  text: PieceSink['text'] = (written) => {
    for (const [index, words] of written.split('\n').entries()) {
      if (index > 0) {
        this.#line += 1;
        this.#end();
        this.#sink.text('\n');
        this.#begin();
      }
      if (words !== '') this.#sink.text(words);
    }
  };

  #begin(): void {
    if (this.#isHiding || !this.#isHidden(this.#line)) return;
    this.#isHiding = true;
    this.#sink.piece({ kind: 'open', pair: this.#pair });
  }

  #end(): void {
    if (!this.#isHiding || this.#isHidden(this.#line)) return;
    this.#isHiding = false;
    this.#sink.piece({ kind: 'close', pair: this.#pair });
  }
}
