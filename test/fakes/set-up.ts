import { compareBytes } from './equal-bytes.ts';

// Vitest runs this file anew for each of tests; what it imports stays.
compareBytes();
