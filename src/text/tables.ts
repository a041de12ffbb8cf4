import { setTimeout as delay } from 'node:timers/promises';
import { listedWords, ngramScores } from './language/features.ts';
import { nameIndex } from './language/language-names.ts';
import { hanLikelihood } from './language/scripts.ts';
import { splitSentences } from './split/sentences.ts';

/** Time before each table: others work meanwhile, and a start is over by the first. */
const STEP_MS = 2_000;

/** One use of each table that is made at its first use and takes over 10 ms. */
const FIRST_USES: readonly (() => unknown)[] = [
  () => ngramScores('a'),
  () => listedWords(['a']),
  nameIndex,
  () => ['zh', 'zh-Hant', 'ja'].map((language) => hanLikelihood('的', language)),
  () => splitSentences('Am 3. Mai.'),
];

/** Makes the tables of texts soon after a start, so that no message waits for one. Keeps no process running. */
export const makeTables = async (stepMs = STEP_MS): Promise<void> => {
  for (const use of FIRST_USES) {
    await delay(stepMs, undefined, { ref: false });
    use();
  }
};
