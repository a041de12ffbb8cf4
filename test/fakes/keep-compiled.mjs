import { flushCompileCache } from 'node:module';

/** By then a program has loaded what it starts with. */
const LOADED_MS = 1_500;

// Loaded into programs of the tests: Node.js keeps what it compiled at an orderly end, and most of them are killed.
setTimeout(() => flushCompileCache(), LOADED_MS).unref();
