import type { ChildProcess } from 'node:child_process';

/**
 * Ends a child process at once; nothing where it was never started. For a moment after a start that failed for lack
 * of files, Node.js would signal whatever number stands in the memory of the process's id.
 */
export const endChild = (child: ChildProcess): void => {
  if (child.pid !== undefined) child.kill('SIGKILL');
};
