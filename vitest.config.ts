import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    // Tests never leave this machine: only loopback is reached, by the tests themselves.
    testTimeout: 20_000,
    coverage: { provider: 'v8', include: ['src/**', 'commands/**', 'adapters/**', 'service/**'] },
  },
});
