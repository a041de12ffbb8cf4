import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

/** Tells whether a process of this machine runs, whoever's it is. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The start of this process: another may have its id after a restart of its container. */
const STARTED_MS = Math.trunc(performance.timeOrigin);

/** Makes a folder in `parent` whose name begins with `prefix` and says which process it belongs to. */
export const makeProcessFolder = (parent: string, prefix: string): Promise<string> =>
  mkdtemp(join(parent, `${prefix}${process.pid}-${STARTED_MS}-`));

const isAbandoned = (owner: string): boolean => {
  const [, pid, startedMs] = /^(\d+)-(\d+)-/.exec(owner) ?? [];
  if (pid === undefined) return false;
  return Number(pid) === process.pid ? Number(startedMs) !== STARTED_MS : !isRunning(Number(pid));
};

/** Removes those folders in `parent` that processes which were killed have left, as far as this user may. */
export const sweepProcessFolders = async (parent: string, prefix: string): Promise<void> => {
  const names = (await readdir(parent)).filter(
    (name) => name.startsWith(prefix) && isAbandoned(name.slice(prefix.length)),
  );
  await Promise.allSettled(
    names.map((name) => rm(join(parent, name), { recursive: true, force: true })),
  );
};
