import { writeSync } from 'node:fs';
import { AppError } from '../../src/errors.ts';
import { closeStandardError, serveParent } from '../../src/process/child.ts';

export type EchoRequest =
  | { readonly kind: 'pid' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'echo'; readonly samples: Float32Array }
  | { readonly kind: 'die' }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'crash'; readonly text: string; readonly isQuiet?: boolean }
  | { readonly kind: 'hang' };

serveParent(async (request: EchoRequest): Promise<number | string[] | Float32Array> => {
  if (request.kind === 'pid') return process.pid;
  if (request.kind === 'environment') return Object.keys(process.env);
  if (request.kind === 'echo') return request.samples;
  if (request.kind === 'fail')
    throw Object.assign(new TypeError(`cannot read ${request.text}`), { code: 'ERR_WORDS' });
  if (request.kind === 'refuse') throw new AppError('bad-reply', 'no model');
  if (request.kind === 'crash') {
    if (request.isQuiet) closeStandardError();
    writeSync(2, `${request.text}\n`);
    process.exit(7);
  }
  if (request.kind === 'die') process.kill(process.pid, 'SIGKILL');
  // Something to do, so that it is not the end of the event loop that ends the process.
  setInterval(() => {}, 1_000);
  return new Promise(() => {});
});
