import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AppError } from '../../src/errors.ts';
import { closeStandardError, serveParent } from '../../src/process/serve-parent.ts';

export type EchoRequest =
  | { readonly kind: 'pid' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'echo'; readonly samples: Float32Array }
  | { readonly kind: 'die' }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'crash'; readonly text: string; readonly isQuiet?: boolean }
  | { readonly kind: 'count'; readonly parts: number; readonly end: 'die' | 'reply' | 'wait' }
  | { readonly kind: 'hang' };

/** Waits until nobody waits any more; resolves with the number of calls that were given up. */
let givenUp = 0;
const untilGivenUp = (signal: AbortSignal): Promise<number> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve((givenUp += 1)));
  });

type EchoReply = number | string[] | Float32Array;
serveParent(async (request: EchoRequest, signal, send): Promise<EchoReply> => {
  if (request.kind === 'pid') return process.pid;
  if (request.kind === 'environment') return Object.keys(process.env);
  if (request.kind === 'loaded') return Object.keys(createRequire(import.meta.url).cache);
  if (request.kind === 'echo') return request.samples;
  if (request.kind === 'fail')
    throw Object.assign(new TypeError(`cannot read ${request.text}`), { code: 'ERR_WORDS' });
  if (request.kind === 'refuse') throw new AppError('bad-reply', 'no model');
  if (request.kind === 'crash') {
    if (request.isQuiet) closeStandardError();
    writeSync(2, `${request.text}\n`);
    process.exit(7);
  }
  if (request.kind === 'count') {
    for (let part = 1; part <= request.parts; part += 1) send(part);
    if (request.end === 'wait') return untilGivenUp(signal);
    if (request.end === 'reply') return givenUp;
  }
  if (request.kind === 'die' || request.kind === 'count') process.kill(process.pid, 'SIGKILL');
  // Something to do, so that it is not the end of the event loop that ends the process.
  setInterval(() => {}, 1_000);
  return new Promise(() => {});
});
