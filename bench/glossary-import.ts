import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteSource } from '../src/model/file.ts';
import { openStore } from '../src/store/index.ts';
import { findLanguage } from '../src/text/language/languages.ts';
import { createGlossary } from '../src/translation/glossary.ts';
import { fixed } from './measure.ts';

const LINES = 50_000;
const LINES_AT_ONCE = 500;
const SPACE = { platform: 'bench', id: 'here' };

const LANGUAGES = ['ja', 'de', 'fr', 'es'];

/** A file that is made as it is read, so that nothing of the making stays in memory. */
const file: ByteSource = {
  sizeBytes: undefined,
  async *open() {
    for (let from = 0; from < LINES; from += LINES_AT_ONCE) {
      let text = '';
      for (let line = from; line < from + LINES_AT_ONCE; line += 1)
        text += `Ménage ${line * 7} word,${LANGUAGES[line % 4]},魔法使い ${line}\n`;
      await nextTurn();
      yield Buffer.from(text);
    }
  },
};

/** Time of this thread on a processor, in milliseconds, which no other program's work is part of. */
const createThreadClock = (): (() => number) => {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(64);
  return () => {
    const length = readSync(stat, buffer, 0, buffer.length, 0);
    return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6;
  };
};

const clock = createThreadClock();

/** The longest steps between two turns of the event loop while something runs, in milliseconds. */
const longestSteps = async (work: () => Promise<unknown>): Promise<readonly number[]> => {
  const longest: number[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for (let last = clock(); !ended.signal.aborted; last = clock()) {
      await nextTurn();
      const stepMs = clock() - last;
      if (stepMs > 1) longest.push(stepMs);
    }
  })();
  await work();
  ended.abort();
  await watching;
  return longest.toSorted((a, b) => b - a).slice(0, 3);
};

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const store = await openStore(`sqlite:${join(folder, 'x.db')}`);
const glossary = createGlossary(store, { find: findLanguage });
const startMs = performance.now();
const ofImport = await longestSteps(() =>
  glossary.importCsv(SPACE, file, new AbortController().signal),
);
const wholeS = (performance.now() - startMs) / 1_000;
const ofText = await longestSteps(() => glossary.inText(SPACE, 'a magician'));
await store.destroy();
rmSync(folder, { recursive: true });

const shown = (steps: readonly number[]): string =>
  steps.map((stepMs) => `${fixed(stepMs, 1)} ms`).join(', ');
console.log(`\n### A glossary file of ${LINES.toLocaleString('en')} lines, in a cold process\n`);
console.log(`imported in ${fixed(wholeS, 1)} s; longest steps: ${shown(ofImport)}`);
console.log(`longest steps of the first text after it: ${shown(ofText)}`);
