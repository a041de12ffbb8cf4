import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Makes the temporary folder of this process and of those that it starts; it goes when this one ends. */
export default (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-'));
  // PostgreSQL may run as another user, who has a folder in it.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  // Not a teardown: vitest does none when it is interrupted.
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Something that outlives the run has written meanwhile, which is no fault of a test.
    }
  });
};
