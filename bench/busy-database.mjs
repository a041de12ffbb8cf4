// Another program on the same database: it takes the lock of writers for 50 to 200 ms at a time, with
// pauses of the same length, until it is ended.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const SHORTEST_MS = 50;
const LONGEST_MS = 200;
const BUSY_MS = 5_000;

const database = new DatabaseSync(process.argv[2], { timeout: BUSY_MS });
const some = () => SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS);
for (;;) {
  database.exec('BEGIN IMMEDIATE');
  await delay(some());
  database.exec('ROLLBACK');
  await delay(some());
}
