/** Bytes that are turned into samples in one go. */
const PIECE_BYTES = 65_536;

/** Mono samples of signed 16-bit little-endian bytes; a chunk may end within a sample. */
export async function* s16leSamples(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Float32Array, void, void> {
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
