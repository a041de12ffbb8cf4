/**
 * Writes src/text/language/ngrams.json from the statistics of `eld` (large):
 * `node scripts/make-ngram-table.mjs`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dictionary } from '../node_modules/eld/src/dictionary.js';
import { ngramsData } from '../node_modules/eld/src/ngrams/large.js';

const FILE = join(import.meta.dirname, '../src/text/language/ngrams.json');
/** Languages of scripts that several languages share; the script alone tells the others. */
const LANGUAGES =
  'ar az be bg ca cs da de en es et eu fa fi fr hi hr hu is it ku lt lv mr ms nl no pl pt ro ru sk sl sq sr sv tl tr uk ur vi yo'.split(
    ' ',
  );
/** The library subtracts this from every score. */
const LEAST_SCORE = 53;
const NGRAM_BYTES = 4;

/** The library writes bytes above ASCII as signs of its own; of ASCII only letters and quotes occur. */
const byteOf = new Map(
  dictionary.map((sign, byte) => [byte < 0x80 ? String.fromCodePoint(byte) : sign, byte]),
);

/** The groups of n-grams: those within a word, at its end, at its beginning, and whole words. */
const groups = [0, 1, 2, 3].map(() => new Map());
for (const [ngram, scores] of Object.entries(ngramsData.ngrams)) {
  const isBeginning = ngram.startsWith(' ');
  const isEnd = ngram.endsWith(' ');
  let key = 0;
  const signs = ngram.trim().padEnd(NGRAM_BYTES, '\0');
  for (const sign of signs) key = key * 256 + byteOf.get(sign);
  const kept = Object.entries(scores)
    .map(([id, score]) => [LANGUAGES.indexOf(ngramsData.languages[id]), score + LEAST_SCORE])
    .filter(([language]) => language >= 0);
  if (kept.length > 0) groups[(isBeginning ? 2 : 0) + (isEnd ? 1 : 0)].set(key, kept);
}

const tables = groups.map((group) => {
  const sorted = [...group].toSorted(([a], [b]) => a - b);
  const keys = Buffer.alloc(sorted.length * NGRAM_BYTES);
  for (const [index, [key]] of sorted.entries()) keys.writeUInt32LE(key, index * NGRAM_BYTES);
  return {
    keys: keys.toString('base64'),
    counts: Buffer.from(sorted.map(([, scores]) => scores.length)).toString('base64'),
    scores: Buffer.from(sorted.flatMap(([, scores]) => scores.flat())).toString('base64'),
  };
});

writeFileSync(FILE, `${JSON.stringify({ languages: LANGUAGES, tables }, undefined, 2)}\n`);
