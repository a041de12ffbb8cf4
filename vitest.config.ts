import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A browser waits for nobody: its tests run when the others are done. */
const BROWSER = 'test/browser/*.test.ts';

/** Files whose tests wait most: of programs that are killed, then of the program as a whole. */
const LONG = [/\/kill[^/]*$/, /\/test\/(?:discord|slack)\//];

const lengthOf = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((names) => names.test(moduleId));
  return at < 0 ? LONG.length : at;
};

/** What takes longest begins first, so that the others run beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  }
}

export default defineConfig({
  test: {
    isolate: false,
    setupFiles: 'test/fakes/equal-bytes.ts',
    // They only end what would fail anyway, on however busy a machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 90_000 } },
    // Many tests wait for a clock or another process, so that two processors serve four files.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [BROWSER],
          globalSetup: ['test/fakes/compile-cache.ts', 'test/fakes/postgres-server.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: 'test/browser/unpack-chromium.ts',
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
