import { spawnSync } from 'node:child_process';
import { createLanguageHistory } from '../src/translation/language-history.ts';
import { withoutPlainSpans } from '../src/text/plain-spans.ts';
import { MAIN_LANGUAGES, readCorpus, type CorpusLine } from '../test/fakes/chat-corpus.ts';
import { fixed, median } from './measure.ts';
import { DETECTORS, type Detector } from './language-detectors.ts';

const ROUNDS = 7;
const SURE = 0.7;
/** Lines of one author, and of their second language, for every fourth author. */
const OWN_LINES = 20;
const SECOND_LINES = 10;
const BILINGUAL_EVERY = 4;
/** Channels in which authors of all languages write. */
const MIXED_CHANNELS = 7;

interface Tally {
  lines: number;
  right: number;
  /** Taken for another language with a confidence of 0.7 or more. */
  misleading: number;
}

const percent = (part: number, whole: number): string => `${fixed((100 * part) / whole, 1)} %`;
const show = ({ lines, right, misleading }: Tally): string =>
  `${percent(right, lines)} (${percent(misleading, lines)})`;

const count = (tally: Tally, line: CorpusLine, found: ReturnType<Detector['detect']>): void => {
  tally.lines += 1;
  if (found.language === line.language) tally.right += 1;
  else if (found.language !== 'und' && found.confidence >= SURE) tally.misleading += 1;
};

const heldOut = readCorpus('held-out');
const isMain = ({ written }: CorpusLine): boolean => MAIN_LANGUAGES.has(written);
const GROUPS: readonly (readonly [string, (line: CorpusLine) => boolean])[] = [
  ['main languages', isMain],
  ['one to three words', (line) => isMain(line) && line.kind === 'short'],
  ['slang', (line) => isMain(line) && line.kind === 'slang'],
  ['other languages', ({ written }) => !MAIN_LANGUAGES.has(written) && written !== 'und'],
  ['no language', ({ written }) => written === 'und'],
];

const accuracy = ({ detect }: Detector): string[] =>
  GROUPS.map(([, belongs]) => {
    const tally = { lines: 0, right: 0, misleading: 0 };
    for (const line of heldOut)
      if (belongs(line)) count(tally, line, detect(withoutPlainSpans(line.text)));
    return show(tally);
  });

const lineUs = ({ detect }: Detector): number => {
  const lines = heldOut.filter(isMain);
  const timesUs: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startMs = performance.now();
    for (const { text } of lines) detect(text);
    timesUs.push(((performance.now() - startMs) * 1_000) / lines.length);
  }
  return median(timesUs.slice(1));
};

/** What a detector adds to a process that has just started: ms, and MB after a collection. */
const footprint = (name: string): { ms: number; mb: number } => {
  const script =
    'const before = process.memoryUsage().rss; const start = performance.now();' +
    `const { DETECTORS } = await import(${JSON.stringify(import.meta.resolve('./language-detectors.ts'))});` +
    `const { detect } = await DETECTORS[${JSON.stringify(name)}](); detect('hello my friend');` +
    'const ms = performance.now() - start; gc(); gc();' +
    'console.log(JSON.stringify({ ms, mb: (process.memoryUsage().rss - before) / 1e6 }));';
  const child = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
  return JSON.parse(child.stdout.toString()) as { ms: number; mb: number };
};

console.log(`\n### Language detection: ${heldOut.length} chat lines that nothing was fitted to\n`);
console.log('Right, and in brackets wrong with a confidence of 0.7 or more.\n');
const heads = ['', ...GROUPS.map(([name]) => name), 'a line', 'loading', 'memory'];
console.log(`| ${heads.join(' | ')} |\n|${'---|'.repeat(heads.length)}`);
for (const [name, load] of Object.entries(DETECTORS)) {
  const detector = await load();
  const { ms, mb } = footprint(name);
  const cells = [...accuracy(detector), `${fixed(lineUs(detector), 0)} µs`];
  console.log(`| ${[name, ...cells, `${fixed(ms, 0)} ms`, `${fixed(mb, 0)} MB`].join(' | ')} |`);
}

/** A generator of numbers from 0 to 1 that gives the same row each time. */
const createRandom = (): (() => number) => {
  let state = 12_345;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};

/** Authors who each write lines of their language; every fourth writes English or Spanish too. */
const measureContext = (knowsContext: boolean): ReadonlyMap<string, Tally> => {
  const random = createRandom();
  const history = createLanguageHistory();
  const tallies = new Map<string, Tally>();
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ item }) => item);
  const add = (name: string, line: CorpusLine, found: ReturnType<Detector['detect']>): void => {
    const tally = tallies.get(name) ?? { lines: 0, right: 0, misleading: 0 };
    tallies.set(name, tally);
    count(tally, line, found);
  };
  const linesOf = (language: string): CorpusLine[] =>
    shuffled(heldOut.filter(({ written }) => written === language));

  let authors = 0;
  let id = 0;
  for (const language of new Set(heldOut.map(({ written }) => written))) {
    if (language === 'und') continue;
    const lines = linesOf(language);
    for (let start = 0; start < lines.length; start += OWN_LINES) {
      authors += 1;
      const isBilingual = authors % BILINGUAL_EVERY === 0;
      const second = linesOf(language === 'en' ? 'es' : 'en').slice(0, SECOND_LINES);
      const own = lines.slice(start, start + OWN_LINES);
      const channel = authors % 2 === 0 ? language : `mixed ${authors % MIXED_CHANNELS}`;
      const space = { platform: 'bench', id: 's' };
      for (const line of isBilingual ? shuffled([...own, ...second]) : own) {
        id += 1;
        const ref = { channel: { space, id: channel }, id: String(id) };
        const known = { ref, author: { platform: 'bench', id: String(authors) } };
        const [found = { language: 'und', confidence: 1 }] = history.rank(
          line.text,
          knowsContext ? known : undefined,
        );
        add(isMain(line) ? 'main languages' : 'other languages', line, found);
        if (isMain(line) && line.kind === 'short') add('one to three words', line, found);
        if (isBilingual) {
          const name = second.includes(line) ? 'second' : 'first';
          add(`${name} language of bilingual authors`, line, found);
        }
      }
    }
  }
  return tallies;
};

console.log('\n### With what the author and the channel wrote before (simulated authors)\n');
console.log('| lines | without | with |\n|---|---|---|');
const without = measureContext(false);
for (const [name, tally] of measureContext(true)) {
  const alone = without.get(name);
  console.log(`| ${name} | ${alone ? show(alone) : ''} | ${show(tally)} |`);
}
