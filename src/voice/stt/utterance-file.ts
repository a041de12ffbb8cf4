import { createOggOpusWriter, PRE_SKIP_SAMPLES } from '../../audio/container/ogg-writer.ts';
import { bytesSource } from '../../audio/bytes.ts';
import type { ByteSource } from '../../model/file.ts';
import { sumSamples, toMs } from './reorder-buffer.ts';
import type { Utterance } from './utterance.ts';

export interface UtteranceFile {
  /** Ogg Opus, mono. */
  readonly audio: ByteSource;
  /** To within a packet for each gap. */
  readonly durationMs: number;
}

/**
 * An utterance as a file. The packets of the one before it are decoded and not played (RFC 7845
 * section 4.2); gaps are filled, for players take no notice of a jump in time.
 */
export const utteranceFile = ({ preRoll, packets, spanMs }: Utterance): UtteranceFile => {
  const preSkipSamples = preRoll.length > 0 ? sumSamples(preRoll) : PRE_SKIP_SAMPLES;
  const writer = createOggOpusWriter({ preSkipSamples });
  const pages: Uint8Array[] = [];
  const put = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pages.push(bytes);
  };
  for (const { data } of preRoll) put(writer.push(data));
  for (const [index, { data, gapSamples }] of packets.entries()) {
    if (index > 0 && gapSamples > 0) put(writer.gap(gapSamples));
    put(writer.push(data));
  }
  put(writer.end());
  const skippedMs = preRoll.length > 0 ? 0 : toMs(PRE_SKIP_SAMPLES);
  return { audio: bytesSource(pages), durationMs: Math.max(0, spanMs - skippedMs) };
};
