import { flushCompileCache } from 'node:module';

/** On a busy machine a program loads for several seconds. */
const EVERY_MS = 1_500;

// Loaded into programs of the tests: Node.js keeps what it compiled at an orderly end, and most of them are killed.
setInterval(() => flushCompileCache(), EVERY_MS).unref();
