import data from './ngrams.json' with { type: 'json' };

/** N-grams of one kind: sorted keys, and the scores of each. */
interface Table {
  /** The n-gram's bytes, the first in the highest place, padded with zeros at the end. */
  readonly keys: Uint32Array;
  /** Place of each n-gram's first score in `scores`; one more than there are keys. */
  readonly starts: Uint32Array;
  /** Language and score by turns. */
  readonly scores: Uint8Array;
}

/** UTF-8 bytes of an n-gram, and the step from one to the next within a word. */
const NGRAM_BYTES = 4;
const STEP_BYTES = 3;
/** Bytes of a word and of a text that are read. */
const LONGEST_WORD_BYTES = 70;
const LONGEST_TEXT_BYTES = 350;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64, 'base64'));

const readTable = (table: (typeof data.tables)[number]): Table => {
  const keys = new Uint32Array(bytesOf(table.keys).buffer);
  const starts = new Uint32Array(keys.length + 1);
  for (const [index, count] of bytesOf(table.counts).entries())
    starts[index + 1] = (starts[index] ?? 0) + 2 * count;
  return { keys, starts, scores: bytesOf(table.scores) };
};

/**
 * Tables by place in the word: within, at its end, at its beginning, the whole word. They are taken
 * out of the module, which would keep them as text, too.
 */
const tables = data.tables.splice(0).map(readTable);
const AT_END = 1;
const AT_BEGINNING = 2;

/** Languages that have statistics, as codes of `eld`. */
export const NGRAM_LANGUAGES: readonly string[] = data.languages;

const find = (keys: Uint32Array, key: number): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
};

const notLetters = /[^\p{L}]+(?<!['`’])/gu;
const encoder = new TextEncoder();

export interface NgramScores {
  /** Sum of the scores of each language, in the order of `NGRAM_LANGUAGES`. */
  readonly scores: Float64Array;
  /** Number of different n-grams in the text, known or not. */
  readonly count: number;
}

/** Scores a text by its n-grams, as the library `eld` does with its large database. */
export const ngramScores = (text: string): NgramScores => {
  const sums = new Float64Array(NGRAM_LANGUAGES.length);
  const seen = new Set<number>();
  const add = (bytes: Uint8Array, from: number, to: number, place: number): void => {
    let key = 0;
    for (let at = from; at < from + NGRAM_BYTES; at += 1)
      key = key * 256 + (at < to ? (bytes[at] ?? 0) : 0);
    const id = key * 4 + place;
    if (seen.has(id)) return;
    seen.add(id);
    const table = tables[place] as Table;
    const index = find(table.keys, key);
    if (index < 0) return;
    const end = table.starts[index + 1] ?? 0;
    for (let at = table.starts[index] ?? 0; at < end; at += 2) {
      const language = table.scores[at] ?? 0;
      sums[language] = (sums[language] ?? 0) + (table.scores[at + 1] ?? 0);
    }
  };

  let readBytes = 0;
  for (const word of text.replaceAll(notLetters, ' ').trim().toLowerCase().split(' ')) {
    if (word === '' || readBytes > LONGEST_TEXT_BYTES) continue;
    const bytes = encoder.encode(word);
    readBytes += bytes.length + 1;
    const length = Math.min(bytes.length, LONGEST_WORD_BYTES);
    let from = 0;
    for (; from + NGRAM_BYTES < length; from += STEP_BYTES)
      add(bytes, from, from + NGRAM_BYTES, from === 0 ? AT_BEGINNING : 0);
    const last = Math.max(0, length - NGRAM_BYTES);
    add(bytes, last, length, AT_END + (from === 0 ? AT_BEGINNING : 0));
  }
  return { scores: sums, count: seen.size };
};
