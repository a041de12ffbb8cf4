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
