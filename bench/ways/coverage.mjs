// Loaded into a program that is measured. It writes the program's process id, and at each SIGUSR2 it appends the
// project's files in which a function has run since the last one, as one line of JSON.
import { appendFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const ROOT = new URL('../../', import.meta.url).href;
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

writeFileSync(process.env.COVERAGE_FILE, `${process.pid}\n`);
const covered = async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url, functions }) => {
      if (!url.startsWith(ROOT) || url.includes('/node_modules/')) return false;
      return functions.some(
        ({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0,
      );
    })
    .map(({ url }) => url.slice(ROOT.length))
    .filter((file) => /^(?:src|adapters|commands|service|main\.ts)/.test(file));
  appendFileSync(process.env.COVERAGE_FILE, `${JSON.stringify(files)}\n`);
};
process.on('SIGUSR2', () => void covered());
