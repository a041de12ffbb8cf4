import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, median } from './measure.ts';

const ROUNDS = 15;
const FIXTURES = join(import.meta.dirname, '../test/fixtures');

const heapBefore = process.memoryUsage().heapUsed;
const startMs = performance.now();
const { detectLanguage } = await import('../src/text/language/detect.ts');
const loadMs = performance.now() - startMs;
const heapMegabytes = (process.memoryUsage().heapUsed - heapBefore) / 1e6;

const readLines = (name: string): [language: string, line: string][] =>
  Object.entries(
    JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Record<string, string[]>,
  ).flatMap(([language, lines]) => lines.map((line): [string, string] => [language, line]));

const measure = (name: string): string => {
  const lines = readLines(name);
  const found = lines.map(([language, line]) => ({ language, found: detectLanguage(line) }));
  const right = found.filter((each) => each.found?.language === each.language);
  const silent = found.filter((each) => !each.found);
  const timesUs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const roundMs = performance.now();
    for (const [, line] of lines) detectLanguage(line);
    timesUs.push(((performance.now() - roundMs) * 1000) / lines.length);
  }
  const percent = fixed((100 * right.length) / lines.length, 1);
  const languages = new Set(lines.map(([language]) => language)).size;
  return `| ${name} | ${lines.length} | ${languages} | ${percent} % | ${silent.length} | ${fixed(median(timesUs), 1)} µs |`;
};

console.log('\n### Language detection on short chat lines\n');
console.log('| lines | count | languages | right | not told | a line |\n|---|---|---|---|---|---|');
for (const name of ['chat-lines', 'chat-lines-held-out']) console.log(measure(name));
console.log(
  `\nLoaded in ${fixed(loadMs, 0)} ms; heap ${fixed(heapMegabytes, 0)} MB, garbage included.`,
);
