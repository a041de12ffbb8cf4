import { engineNames } from '../engine-loader.ts';
import { runKeys } from './commands.ts';
import { openKeyStore } from './store.ts';

/**
 * Runs a command about keys, `keys …`. Returns false for other words.
 *
 * @param database file of the keys; it is made when missing
 */
export const runKeyCommand = async (
  [command, ...words]: readonly string[],
  database: string,
): Promise<boolean> => {
  if (command !== 'keys') return false;
  runKeys(words, {
    open: () => openKeyStore(database),
    engines: await engineNames(),
    now: () => new Date(),
    print: (line) => console.log(line),
  });
  return true;
};
