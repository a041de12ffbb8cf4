import { serveParent } from '../../service/child.ts';

export type EchoRequest =
  | { readonly kind: 'pid' }
  | { readonly kind: 'echo'; readonly samples: Float32Array }
  | { readonly kind: 'die' }
  | { readonly kind: 'fail' }
  | { readonly kind: 'hang' };

serveParent(async (request: EchoRequest): Promise<number | Float32Array> => {
  if (request.kind === 'pid') return process.pid;
  if (request.kind === 'echo') return request.samples;
  if (request.kind === 'fail') throw new Error('no model');
  if (request.kind === 'die') process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
});
