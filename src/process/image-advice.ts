const PACKAGE = /apt-get install -y ([a-z][\w.+-]*)/g;
const SCRIPT = /\bnpm run ([a-z]+)(?: --(?= ))?/g;

/**
 * Rewrites advice for who runs a container: its files are replaced with it, so packages are part of
 * a new image, and the image has no npm.
 */
export const imageAdvice = (advice: string): string =>
  advice
    .replaceAll(PACKAGE, 'build the image with APT_PACKAGES=$1')
    .replaceAll(SCRIPT, 'dragoman $1');
