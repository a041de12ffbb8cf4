// Loads TypeScript whose types `strip-types.mjs` has stripped. Node.js would strip them in this process, which takes
// 20 MB for as long as it runs, and its compile cache keeps 15 MB of what it has read.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

const ROOT = new URL('../', import.meta.url).href;
/** Files of the program, relative to its folder. */
export const SOURCES = /^(?:(?:src|commands|adapters|service)\/.+|\w+)\.ts$/;
/** What is stripped lies here, under the hash of its source. */
export const FOLDER = join(import.meta.dirname, '../node_modules/.cache/stripped', process.version);

let isFilled = false;

/** The stripped text; undefined where it cannot be had. */
const stripped = (source) => {
  try {
    const text = readFileSync(join(FOLDER, hash('sha1', source)), 'utf8');
    // Types become spaces. What a loss of power has cut off is shorter.
    if (text.length === source.length) return text;
  } catch {
    // It was not stripped yet.
  }
  if (isFilled) return undefined;
  isFilled = true;
  spawnSync(process.execPath, [join(import.meta.dirname, 'strip-types.mjs')], { stdio: 'ignore' });
  return stripped(source);
};

registerHooks({
  load: (url, context, next) => {
    const isOurs = url.startsWith(ROOT) && SOURCES.test(url.slice(ROOT.length));
    const source = isOurs ? stripped(readFileSync(new URL(url), 'utf8')) : undefined;
    if (source === undefined) return next(url, context);
    return { format: 'module', source, shortCircuit: true };
  },
});
