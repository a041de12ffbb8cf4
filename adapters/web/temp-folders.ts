import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const PREFIX = 'dragoman-web-';
const NAME = /^dragoman-web-(\d+)-(\d+)-/;

/**
 * The start of this process, part of each name: after a restart of its container another process
 * may have its id.
 */
const STARTED_MS = Math.trunc(performance.timeOrigin);

/** A new folder in `parent` whose name says which process it belongs to. */
export const makeTempFolder = (parent: string): Promise<string> =>
  mkdtemp(join(parent, `${PREFIX}${process.pid}-${STARTED_MS}-`));

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const isAbandoned = (name: string): boolean => {
  const [, pid, startedMs] = NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  return Number(pid) === process.pid ? Number(startedMs) !== STARTED_MS : !isAlive(Number(pid));
};

/** Removes what processes that were killed have left in `parent`, as far as this user may. */
export const sweepTempFolders = async (parent: string): Promise<void> => {
  const names = (await readdir(parent)).filter(isAbandoned);
  await Promise.allSettled(
    names.map((name) => rm(join(parent, name), { recursive: true, force: true })),
  );
};
