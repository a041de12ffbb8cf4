import { AppError } from './errors.ts';

const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });

/**
 * Runs a program until it is done and ends the process. `stopped` settles on SIGINT or SIGTERM. What
 * an operator can mend is said in a sentence; any other fault is ours and is shown with its stack.
 */
export const runProgram = (run: (stopped: Promise<void>) => Promise<void>): void => {
  run(stopSignal()).then(
    () => process.exit(),
    (error: unknown) => {
      console.error(error instanceof AppError ? error.message : error);
      process.exit(1);
    },
  );
};
