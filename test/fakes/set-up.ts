import * as fc from 'fast-check';
import { casesOf } from './cases.ts';
import { compareBytes } from './equal-bytes.ts';

// Vitest runs this file anew for each of tests; what it imports stays.
compareBytes();
fc.configureGlobal({ numRuns: casesOf() });
