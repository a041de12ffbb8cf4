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

const isOurs = (url = '') => url.startsWith(ROOT) && SOURCES.test(url.slice(ROOT.length));

/** Relative imports with the whole name of a file: Node.js would look for each in the file system. */
const RELATIVE = /^\.\.?\/.+\.(?:ts|m?js)$/;
/** What our imports of packages resolve to, which is the same for all of our files. */
const packages = new Map();

registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL, conditions } = context;
    if (!conditions.includes('import') || !isOurs(parentURL)) return next(specifier, context);
    if (RELATIVE.test(specifier))
      return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    if (specifier.startsWith('.')) return next(specifier, context);
    const known = packages.get(specifier) ?? { ...next(specifier, context), shortCircuit: true };
    packages.set(specifier, known);
    return known;
  },
  load: (url, context, next) => {
    const source = isOurs(url) ? stripped(readFileSync(new URL(url), 'utf8')) : undefined;
    if (source === undefined) return next(url, context);
    return { format: 'module', source, shortCircuit: true };
  },
});
