// Loaded into a process that is measured: at each SIGUSR2 it writes its memory down; for a heap
// snapshot, HEAP_SNAPSHOT names a folder.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

let snapshots = 0;
process.on('SIGUSR2', () => {
  writeFileSync(
    process.env.USAGE_FILE,
    JSON.stringify({ ...process.memoryUsage(), cpuUs: process.cpuUsage().user }),
  );
  if (!process.env.HEAP_SNAPSHOT) return;
  snapshots += 1;
  writeHeapSnapshot(join(process.env.HEAP_SNAPSHOT, `${snapshots}.heapsnapshot`));
});
