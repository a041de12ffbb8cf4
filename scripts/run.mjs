// Plain JavaScript, so that it can report the required version on a Node that is too old for the
// rest.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const NEEDED_MAJOR = 24;
const [file] = process.argv.splice(2, 1);

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  console.error(
    `Dragoman needs Node ${NEEDED_MAJOR} or newer; this is Node ${process.versions.node}.\n` +
      'On Linux (x64, arm64) "npm ci" brings a fitting Node along: run it, then start with "npm start".\n' +
      'Elsewhere install Node 24 from https://nodejs.org and try again.',
  );
  process.exit(1);
}

await import('./load-stripped.mjs');
await import(pathToFileURL(resolve(file)).href);
