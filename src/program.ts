import { AppError } from './errors.ts';

/** Exit status of a program that was ended by SIGINT, as shells have it. */
const INTERRUPTED = 130;

const LONG_MS = 3_600_000;

/** Resolves on the first SIGINT or SIGTERM; the second one ends the process at once. */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(INTERRUPTED);
      isStopping = true;
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });

/**
 * Runs a program until it is done and ends the process. `stopped` settles on SIGINT or SIGTERM. What
 * an operator can mend is said in a sentence; any other fault is ours and is shown with its stack.
 */
export const runProgram = (run: (stopped: Promise<void>) => Promise<void>): void => {
  // Waits keep no process alive, and one for a database that is away may be all that there is.
  setInterval(() => undefined, LONG_MS);
  run(stopSignal()).then(
    () => process.exit(),
    (error: unknown) => {
      console.error(error instanceof AppError ? error.message : error);
      process.exit(1);
    },
  );
};
