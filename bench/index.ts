import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import useTempFolder from '../test/fakes/temp-folder.ts';

/** Runs every benchmark of this folder, or those named, each in a process of its own. */

const PARTS = new Set([
  'index.ts',
  'measure.ts',
  'common-bot.ts',
  'programs.ts',
  'processor-time.ts',
  'connected.ts',
  'language-detectors.ts',
]);
const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !PARTS.has(file))
  .filter((file) => wanted.length === 0 || wanted.includes(basename(file, '.ts')));

useTempFolder();
for (const file of files) {
  const child = spawn(process.execPath, [join(import.meta.dirname, file)], { stdio: 'inherit' });
  const code = await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  if (code !== 0) process.exitCode = 1;
}
