import { join } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// What is loaded is compiled once, and not by each worker and program anew.
env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules/.cache/compile');

/** Tests with other processes, such as children, kills and PostgreSQL, and those of the whole bot on a platform. */
const WHOLE = ['test/**/*.whole.test.ts', 'test/{discord,slack}/*.test.ts'];
const BROWSER = 'test/browser/*.test.ts';

/** Comes first: what others put into the folder goes with it. */
const TEMP_FOLDER = 'test/fakes/temp-folder.ts';

/**
 * Order of files. First those whose tests wait most, of programs that are killed; then those of audio, which take
 * twice the time once a worker's heap is large; then those of the program as a whole. Last, a browser waits for nobody.
 */
const ORDER = [
  /\/(?:kill|crashes)[^/]*$/,
  /\/test\/src\/audio\//,
  /\/test\/(?:discord|slack)\/|\.whole\.test\.ts$/,
  /\/test\/(?!browser\/)/,
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const at = ORDER.findIndex((names) => names.test(moduleId));
  return at < 0 ? ORDER.length : at;
};

/** Sorts files by their rank; the others run beside those that wait. */
class Ranked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    isolate: false,
    // Node.js loads what is tested, as it does for the program.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Most of what a test makes is short-lived: collected less often, less of it is copied.
    execArgv: ['--max-semi-space-size=32'],
    setupFiles: 'test/fakes/set-up.ts',
    // They only end what would fail anyway, on however busy a machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 90_000 } },
    // Many tests wait for a clock or another process, so that two processors serve four files.
    maxWorkers: 4,
    sequence: { sequencer: Ranked },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...WHOLE, BROWSER],
          globalSetup: TEMP_FOLDER,
          setupFiles: ['test/fakes/set-up.ts', 'test/fakes/no-processes.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: [...WHOLE, BROWSER],
          globalSetup: [
            TEMP_FOLDER,
            'test/fakes/strip-types.ts',
            'test/fakes/postgres-server.ts',
            'test/browser/unpack-chromium.ts',
          ],
        },
      },
    ],
  },
});
