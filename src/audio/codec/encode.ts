import { AppError } from '../../errors.ts';
import type { AudioFormat } from '../../model/message.ts';
import { flac } from './encode-flac.ts';
import { mp3 } from './encode-mp3.ts';
import { oggOpus } from './encode-opus.ts';
import { pcm as rawPcm, wav } from './encode-raw.ts';
import type { EncoderKind } from './encoder.ts';
import { inSlices, sliceSamples } from '../pcm.ts';

const KINDS: Readonly<Record<AudioFormat, EncoderKind>> = {
  mp3,
  ogg: oggOpus,
  pcm: rawPcm,
  wav,
  flac,
};

/** True for a format whose bytes come while PCM is still going in. */
export const streamable = (format: AudioFormat): boolean => KINDS[format].streamable;

export const supportsRate = (format: AudioFormat, sampleRateHz: number): boolean =>
  KINDS[format].supportsRate(sampleRateHz);

/**
 * Encodes `pcm` (mono, -1 to 1, at `sampleRateHz`) as one file. A `streamable` format is yielded as
 * the PCM arrives, any other at the end, for its header holds the length. Throws `AppError`:
 * `bad-input` for a rate that the format does not have, `too-large` for over 20 minutes in a format
 * that is not streamable.
 */
export async function* encode(
  format: AudioFormat,
  sampleRateHz: number,
  pcm: AsyncIterable<Float32Array>,
): AsyncGenerator<Uint8Array, void, void> {
  if (!supportsRate(format, sampleRateHz))
    throw new AppError('bad-input', `${format} has no sample rate of ${sampleRateHz} Hz`, {
      sentence: { key: 'errors.audio.sample-rate', params: { format, rateHz: sampleRateHz } },
    });
  const encoder = await KINDS[format].create(sampleRateHz);
  try {
    for await (const slice of inSlices(pcm, sliceSamples(sampleRateHz))) {
      const bytes = encoder.push(slice);
      if (bytes.length > 0) yield bytes;
    }
    for (const bytes of encoder.end()) if (bytes.length > 0) yield bytes;
  } finally {
    encoder.free();
  }
}
