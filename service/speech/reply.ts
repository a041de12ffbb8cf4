import { MEDIA_TYPES } from '../../src/api/contract.ts';
import { primed, streamReply } from '../respond.ts';
import type { RouteContext } from '../route.ts';
import { speechBytes, synthesise, type SynthesiseDeps, type SpeechFile } from './synthesise.ts';
import type { SpeechOrder } from './speak.ts';

/** Time for the next part and for a listener who stops, beside twice the length of the audio. */
const GRACE_MS = 180_000;

type ReplyContext = Pick<RouteContext, 'account' | 'log' | 'signal' | 'cutOff' | 'allowMs'>;

/** The bytes of a reply; ends what made them, and gives the spools back, in any case. */
async function* replyOf(
  file: SpeechFile,
  signal: AbortSignal,
  held: AsyncDisposable,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* speechBytes(file, signal);
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
  { offer, spools }: Pick<SynthesiseDeps, 'offer' | 'spools'>,
  { account, log, signal, cutOff, allowMs }: ReplyContext,
): Promise<Response> => {
  await using held = new AsyncDisposableStack();
  const onAudio = (audioMs: number): void => allowMs(GRACE_MS + 2 * audioMs);
  const speech = held.use(synthesise(order, { offer, spools, account, signal, onAudio }));

  const headers = { 'content-type': MEDIA_TYPES[order.format] };
  const send = { log, signal, cutOff };
  if (order.stream) {
    const body = await primed(replyOf(speech, signal, held.move()));
    return streamReply(body, headers, send);
  }
  const file = await speech.file();
  const sizeBytes = (file.head ?? []).reduce((sum, part) => sum + part.length, file.spool.bytes);
  const body = await primed(replyOf(file, signal, held.move()));
  return streamReply(body, { ...headers, 'content-length': String(sizeBytes) }, send);
};
