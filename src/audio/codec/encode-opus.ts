import { concatBytes } from '../bytes.ts';
import type { EncoderKind } from './encoder.ts';
import { createOggOpusWriter } from '../container/ogg-writer.ts';
import { OPUS_CLOCK_HZ } from '../opus/packet.ts';
import { createPacketEncoder, OPUS_RATES } from '../opus/encoder.ts';

/** Packets of a page: with 0.2 s a listener starts that much sooner than with the usual second. */
const PACKETS_PER_PAGE = 10;

export const oggOpus: EncoderKind = {
  streamable: true,
  supportsRate: (sampleRateHz) => OPUS_RATES.includes(sampleRateHz),
  create: async (sampleRateHz) => {
    const clocks = OPUS_CLOCK_HZ / sampleRateHz;
    const encoder = await createPacketEncoder(sampleRateHz);
    const writer = createOggOpusWriter({
      inputRateHz: sampleRateHz,
      preSkipSamples: encoder.lookaheadSamples * clocks,
      packetsPerPage: PACKETS_PER_PAGE,
    });
    let inputSamples = 0;
    const write = (packets: readonly Uint8Array[]): Uint8Array =>
      concatBytes(packets.map((packet) => writer.push(packet)));

    return {
      push: (samples) => {
        inputSamples += samples.length;
        return write(encoder.push(samples));
      },
      // Samples that the codec's delay adds at the end are cut off.
      end: () => [write(encoder.end()), writer.end(inputSamples * clocks)],
      free: () => encoder.free(),
    };
  },
};
