import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitSentences } from '../src/text/split/sentences.ts';
import { fixed, median } from './measure.ts';

const FIXTURES = join(import.meta.dirname, '../test/fixtures');
const ROUNDS = 15;

type Marked = readonly [language: string, marked: string];

const readTexts = (name: string): Marked[] =>
  Object.entries(
    JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Record<string, string[]>,
  ).flatMap(([language, texts]) => texts.map((marked): Marked => [language, marked]));

const segmenters = new Map<string, Intl.Segmenter>();
/** Sentences by `Intl.Segmenter` alone, which is told the language. */
const bySegmenter = (text: string, language: string): string[] => {
  const known = segmenters.get(language);
  const segmenter = known ?? new Intl.Segmenter(language, { granularity: 'sentence' });
  segmenters.set(language, segmenter);
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
};

const trimmed = (sentences: readonly string[]): string =>
  sentences.map((sentence) => sentence.trim()).join('|');
const bordersOf = (sentences: readonly string[]): Set<number> => {
  let letters = 0;
  const borders = sentences.map((sentence) => (letters += sentence.replaceAll(/\s/g, '').length));
  return new Set(borders.slice(0, -1));
};

type Split = (text: string, language: string) => string[];

const measure = (texts: readonly Marked[], split: Split) => {
  let whole = 0;
  let found = 0;
  let wanted = 0;
  let right = 0;
  const wrong: string[] = [];
  for (const [language, marked] of texts) {
    const expected = marked.split('|');
    const actual = split(expected.join(''), language);
    const [want, got] = [bordersOf(expected), bordersOf(actual)];
    wanted += want.size;
    found += got.size;
    right += [...got].filter((border) => want.has(border)).length;
    if (trimmed(actual) === trimmed(expected)) whole += 1;
    else wrong.push(`${language}: ${trimmed(actual)}`);
  }
  const timesUs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startMs = performance.now();
    for (const [language, marked] of texts) split(marked, language);
    timesUs.push(((performance.now() - startMs) * 1000) / texts.length);
  }
  return { whole, precision: right / found, recall: right / wanted, us: median(timesUs), wrong };
};

console.log('\n### Sentence borders in chat texts\n');
console.log('| texts | count | by | all right | precision | recall | a text |');
console.log('|---|---|---|---|---|---|---|');
for (const name of ['sentence-borders', 'sentence-borders-held-out']) {
  const texts = readTexts(name);
  for (const [by, split] of [
    ['Dragoman', splitSentences],
    ['Intl.Segmenter alone', bySegmenter],
  ] as const) {
    const { whole, precision, recall, us, wrong } = measure(texts, split);
    const percents = [whole / texts.length, precision, recall].map(
      (share) => `${fixed(100 * share, 1)} %`,
    );
    console.log(
      `| ${name} | ${texts.length} | ${by} | ${percents.join(' | ')} | ${fixed(us, 1)} µs |`,
    );
    if (process.argv.includes('--wrong')) console.log(wrong.join('\n'));
  }
}
