import { MEDIA_TYPES } from '../../src/api/contract.ts';
import type { RequestLimiter } from '../request-limiter.ts';
import { primed, streamReply } from '../respond.ts';
import type { RouteContext } from '../route.ts';
import { finished, speakInto, type SpeechOrder } from './speak.ts';
import type { Spool, Spools } from './spool.ts';

/** Time for the next part and for a listener who stops, beside twice the length of the audio. */
const GRACE_MS = 180_000;

type ReplyContext = Pick<RouteContext, 'key' | 'log' | 'signal' | 'cutOff' | 'allowMs'>;

/** The bytes of a reply; ends what made them, and gives the spools back, in any case. */
async function* replyOf(
  { spool, head }: { readonly spool: Spool; readonly head: readonly Uint8Array[] },
  signal: AbortSignal,
  held: AsyncDisposable,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* head;
    yield* spool.read(signal);
  } finally {
    await held[Symbol.asyncDispose]();
  }
}

/**
 * Answers with speech. The engine's time does not depend on the client: audio waits for it in a
 * spool. The client has twice the length of the audio, and some minutes, to take it.
 */
export const speechReply = async (
  order: SpeechOrder,
  limiter: RequestLimiter,
  spools: Spools,
  { key, log, signal, cutOff, allowMs }: ReplyContext,
): Promise<Response> => {
  await using held = new AsyncDisposableStack();
  const spool = held.use(spools.open());
  const stop = new AbortController();
  const working = AbortSignal.any([signal, stop.signal]);
  const turns = limiter.admit(key);
  const speaking = speakInto(
    spool,
    order,
    turns,
    (audioMs) => allowMs(GRACE_MS + 2 * audioMs),
    working,
  ).finally(() => turns[Symbol.dispose]());
  const ended = speaking.then(
    () => spool.end(),
    (error: unknown) => spool.end(error),
  );
  held.defer(() => ended);
  held.defer(() => stop.abort(signal.reason));

  const headers = { 'content-type': MEDIA_TYPES[order.format] };
  const send = { log, signal, cutOff };
  if (order.stream) {
    const body = await primed(replyOf({ spool, head: [] }, signal, held.move()));
    return streamReply(body, headers, send);
  }
  await speaking;
  const file = await finished(spool, order, () => held.use(spools.open('always')), signal);
  const sizeBytes = file.head.reduce((sum, part) => sum + part.length, file.spool.bytes);
  const body = await primed(replyOf(file, signal, held.move()));
  return streamReply(body, { ...headers, 'content-length': String(sizeBytes) }, send);
};
