// Loaded into a program: each sync of a file takes 50 to 200 ms more, as on a slow or busy disk.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const SHORTEST_MS = 50;
const LONGEST_MS = 200;

const { fdatasync } = fs;
fs.fdatasync = (file, done) => {
  const waitMs = SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS);
  setTimeout(() => fdatasync(file, done), waitMs);
};
syncBuiltinESMExports();
