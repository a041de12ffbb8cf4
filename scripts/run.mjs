// Plain JavaScript on purpose: it must run, and speak clearly, on a Node too old for the rest.
import module from 'node:module';
import { join, resolve } from 'node:path';
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

// Half the time of a start is compiling; the second start finds it done.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
await import(pathToFileURL(resolve(file)).href);
