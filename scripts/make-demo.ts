// Makes docs/images/demo-light.svg and demo-dark.svg, the moving picture of the README: `npm run demo`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawDemo } from './demo/draw.ts';
import { recordDemo } from './demo/record.ts';

const recording = await recordDemo();
for (const theme of ['light', 'dark'] as const) {
  const file = join(import.meta.dirname, `../docs/images/demo-${theme}.svg`);
  await writeFile(file, drawDemo(recording, theme));
}
