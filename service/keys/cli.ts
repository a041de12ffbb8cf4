import { engineNames } from '../engine-loader.ts';
import { runKeys } from './commands.ts';
import { openKeyStore } from './store.ts';

/**
 * Runs a command about keys, `keys …`. Returns false for other words.
 *
 * @param database file of the keys; it is made when missing
 * @param print tells the operator a line
 */
export const runKeyCommand = async (
  [command, ...words]: readonly string[],
  database: string,
  print: (line: string) => void,
): Promise<boolean> => {
  if (command !== 'keys') return false;
  runKeys(words, {
    open: () => openKeyStore(database),
    engines: await engineNames(),
    now: () => new Date(),
    print,
  });
  return true;
};
