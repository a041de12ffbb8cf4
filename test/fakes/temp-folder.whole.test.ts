import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { BARE_ENVIRONMENT } from './program.ts';

/** Runs a module in a process of its own; returns what it printed. */
const run = (code: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: import.meta.dirname,
    env: BARE_ENVIRONMENT,
    encoding: 'utf8',
  });

it('a run of the tests takes with it what was put into its temporary folder', () => {
  const made = run(`
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import useTempFolder from './temp-folder.ts';
    useTempFolder();
    process.stdout.write(mkdtempSync(join(tmpdir(), 'left-')));
    process.exit();
  `);
  expect(dirname(dirname(made))).toBe(tmpdir());
  expect(existsSync(dirname(made))).toBe(false);
});

it('programs that tests start have the temporary folder of the run', () => {
  expect(tmpdir()).toMatch(/dragoman-\w{6}$/);
  expect(run("process.stdout.write((await import('node:os')).tmpdir())")).toBe(tmpdir());
});
