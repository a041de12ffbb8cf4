import { toAppError } from '../../errors.ts';
import { throwIfAborted } from '../faults.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** The chunks, until `signal` is aborted, even if the next one never comes. */
export async function* untilAborted(
  chunks: Bytes,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const abort = (): void => aborted.reject(toAppError(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  try {
    throwIfAborted(signal);
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    const closed = Promise.resolve(iterator.return?.());
    // One that hangs cannot be waited for.
    if (signal.aborted) closed.catch(() => {});
    else await closed;
  }
}

/** What is turned into samples in one go. */
const PIECE_BYTES = 65_536;

/** Mono samples of signed 16-bit little-endian bytes; a chunk may end within a sample. */
export async function* s16leSamples(chunks: Bytes): AsyncGenerator<Float32Array, void, void> {
  let odd = new Uint8Array(0);
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      const bytes = odd.length > 0 ? Buffer.concat([odd, piece]) : piece;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      const samples = new Float32Array(bytes.length >> 1);
      for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(i * 2, true) / 32_768;
      odd = bytes.slice(samples.length * 2);
      if (samples.length > 0) yield samples;
    }
}
