import * as fc from 'fast-check';
import { compareBytes } from './equal-bytes.ts';

/** Cases of each property that names no number of its own. */
const DEFAULT_RUNS = 100;

// Vitest runs this file anew for each of tests; what it imports stays.
compareBytes();
fc.configureGlobal({ numRuns: Number(process.env['PROPERTY_RUNS'] ?? DEFAULT_RUNS) });
