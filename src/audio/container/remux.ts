import type { OpusItem } from './ogg-reader.ts';
import { createOggOpusWriter, type OggOpusWriter, PRE_SKIP_SAMPLES } from './ogg-writer.ts';

/**
 * Writes Opus packets of any container as an Ogg file of one stream; nothing is decoded. A pre-skip of 0,
 * which some recorders write, becomes the usual one.
 */
export async function* remuxOpus(
  items: AsyncIterable<OpusItem>,
): AsyncGenerator<Uint8Array, void, void> {
  let writer: OggOpusWriter | undefined;
  let preSkipSamples = 0;
  let samples = 0;
  let cutSamples = 0;
  for await (const item of items) {
    if (item.kind === 'head') {
      if (writer) continue;
      preSkipSamples = item.head.preSkipSamples || PRE_SKIP_SAMPLES;
      writer = createOggOpusWriter({ ...item.head, preSkipSamples });
    } else if (writer) {
      samples += item.samples;
      // Only the very end can be cut: what one of several joined streams leaves out is heard.
      const cut = item.samples - item.keepSamples;
      cutSamples = cut > 0 ? cutSamples + cut : 0;
      const bytes = writer.push(item.data);
      if (bytes.length > 0) yield bytes;
    }
  }
  if (writer) yield writer.end(samples - cutSamples - preSkipSamples);
}
