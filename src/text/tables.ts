import { setImmediate } from 'node:timers/promises';
import { listedWords, ngramScores } from './language/features.ts';
import { nameIndex } from './language/language-names.ts';
import { hanLikelihood } from './language/scripts.ts';
import { spokenWords } from './speech/spoken-words.ts';
import { splitSentences } from './split/sentences.ts';

/** One use of each table that is made at its first use and takes over 10 ms. */
const FIRST_USES: readonly (() => unknown)[] = [
  () => ngramScores('a'),
  () => listedWords(['a']),
  nameIndex,
  ...['zh', 'zh-Hant', 'ja'].map((language) => () => hanLikelihood('的', language)),
  () => splitSentences('Am 3. Mai.'),
  ...['1-2', 'at 5:30', '$5 and 6 km'].map((amount) => () => spokenWords(amount, 'en')),
];

/** Makes the tables of texts while a program starts, one at a time, so that no message waits for one. */
export const makeTables = async (uses = FIRST_USES): Promise<void> => {
  for (const use of uses) {
    use();
    await setImmediate();
  }
};
