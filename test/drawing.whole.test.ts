import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the documentation has the drawing that its script draws', async () => {
  const drawing = ['scripts/draw-architecture.mjs', '--print'];
  const { stdout } = await promisify(execFile)(process.execPath, drawing);
  expect(readFileSync('docs/images/architecture.svg', 'utf8')).toBe(stdout);
});
