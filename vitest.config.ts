import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    // The browser tests wait more than they work: on two cores the others run beside them.
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
