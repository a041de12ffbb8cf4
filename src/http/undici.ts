import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);
/** Connections to one server; the rest of the package, which takes several MB, is loaded with what needs it. */
export const Pool = load('undici/lib/dispatcher/pool.js') as typeof undici.Pool;
Object.assign(Pool.prototype, load('undici/lib/api/index.js'));
