import { AppError } from '../errors.ts';

const PACKAGE = /apt-get install -y ([a-z][\w.+-]*)/g;
const SCRIPT = /\bnpm run ([a-z]+)(?: --(?= ))?/g;

/** Rewrites the scripts that a sentence names as the image's command, since the image has no npm. */
export const imageCommands = (sentence: string): string =>
  sentence.replaceAll(SCRIPT, 'dragoman $1');

/**
 * Rewrites advice for who runs a container: its files are replaced with it, so packages are part of
 * a new image.
 */
export const imageAdvice = (advice: string): string =>
  imageCommands(advice.replaceAll(PACKAGE, 'build the image with APT_PACKAGES=$1'));

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
 *
 * @param environment tells by `DRAGOMAN_IMAGE` whether the program runs in an image: what it says then names its commands
 * @param run is given `say`, which tells the operator a line
 */
export const runProgram = (
  environment: Readonly<Record<string, string | undefined>>,
  run: (stopped: Promise<void>, say: (line: string) => void) => Promise<void>,
): void => {
  const advise = environment['DRAGOMAN_IMAGE'] ? imageAdvice : (message: string) => message;
  // Waits keep no process alive, and one for a database that is away may be all that there is.
  setInterval(() => undefined, LONG_MS);
  run(stopSignal(), (line) => console.log(advise(line))).then(
    () => process.exit(),
    (error: unknown) => {
      console.error(error instanceof AppError ? advise(error.message) : error);
      process.exit(1);
    },
  );
};
