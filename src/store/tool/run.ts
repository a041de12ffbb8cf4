import { openStore } from '../index.ts';
import { AppError } from '../../errors.ts';
import { readAddress, shownAddress, createRowProgress, type Say, statusLines } from './status.ts';
import { backUp, copyDatabase, restoreBackup } from './transfers.ts';

const USAGE = `npm run db -- COMMAND, on the database at DATABASE_URL:
  status                    says how it is
  migrate                   brings its tables up to date, as a start does
  backup FILE               writes it into a file, while Dragoman runs
  restore FILE [--replace]  puts a backup in its place; --replace deletes what it has
  copy FROM TO [--replace]  copies a database to another one, e.g. sqlite:data/dragoman.db to postgres://…`;

const REPLACE = '--replace';

export interface ToolDeps {
  /** The value of `DATABASE_URL`. */
  readonly databaseUrl: string;
  readonly say: Say;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

const wrong = (message: string): AppError => new AppError('config', `${message}\n\n${USAGE}`);

/** Runs the program for the database. Rejects with `config` for arguments and databases that cannot be used. */
export const runTool = async (
  given: readonly string[],
  { databaseUrl, say, signal, nowMs }: ToolDeps,
): Promise<void> => {
  const [command = '', ...more] = given;
  const names = more.filter((argument) => argument !== REPLACE);
  const mayReplace = names.length < more.length;
  const stray = names.find((name) => name.startsWith('-'));
  if (stray !== undefined) throw wrong(`${stray} is unknown`);
  const demand = (count: number, what: string, replaces = false): void => {
    if (names.length !== count) throw wrong(`${command} needs ${what}`);
    if (mayReplace && !replaces) throw wrong(`${command} replaces nothing`);
  };
  const options = { progress: createRowProgress(say), signal, mayReplace };
  const [first = '', second = ''] = names;

  switch (command) {
    case 'status':
      demand(0, 'nothing more');
      for (const line of await statusLines(readAddress(databaseUrl), nowMs())) say(line);
      return;
    case 'migrate': {
      demand(0, 'nothing more');
      const address = readAddress(databaseUrl);
      await (await openStore(databaseUrl)).destroy();
      say(`${shownAddress(address)} is up to date.`);
      return;
    }
    case 'backup':
      demand(1, 'the name of a file');
      await backUp(readAddress(databaseUrl), first, options);
      say(`The backup is in ${first}.`);
      return;
    case 'restore':
      demand(1, 'the name of a file', true);
      await restoreBackup(readAddress(databaseUrl), first, options);
      say(`${shownAddress(readAddress(databaseUrl))} is as it was in ${first}.`);
      return;
    case 'copy':
      demand(2, 'the database to copy from, and the one to copy to', true);
      await copyDatabase(readAddress(first), readAddress(second), options);
      say(`All rows are in ${shownAddress(readAddress(second))}.`);
      return;
    default:
      throw wrong(command === '' ? 'Say what to do' : `${command} is no command`);
  }
};
