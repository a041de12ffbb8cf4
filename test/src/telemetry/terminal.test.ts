import { expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { readableLine } from '../../../src/telemetry/terminal.ts';

it('a line of the log reads at a terminal: when, how grave, what, and the facts', () => {
  let written = '';
  const log = createLog('trace', { write: (line) => void (written += readableLine(line)) });
  log.warn({ port: 8080, where: 'a b', code: 'ECONNRESET' }, 'it failed');
  expect(written).toMatch(
    /^\d\d:\d\d:\d\d warn {2}it failed {2}port=8080 {2}where="a b" {2}code=ECONNRESET\n$/,
  );
});

it('what was thrown is told with its places beneath', () => {
  let written = '';
  const log = createLog('trace', { write: (line) => void (written += readableLine(line)) });
  log.error({ err: new AppError('internal', 'broken') }, 'command failed');
  const [first, second] = written.split('\n');
  expect(first).toContain(
    'error command failed  err={"type":"AppError","code":"internal","message":"broken"}',
  );
  expect(second).toMatch(/^ {4}at /);
});
