import { spawnSync } from 'node:child_process';

/** Returns the id of a process that has ended. */
export const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;
