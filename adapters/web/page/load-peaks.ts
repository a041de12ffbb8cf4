import { peaksOf } from './waveform.ts';

/** Larger files are played without a picture: decoding them would cost too much memory. */
const MAX_DECODED_BYTES = 6 * 1_048_576;
const DECODE_RATE_HZ = 8_000;

/** Loads the waveform of a file; undefined for what this browser cannot decode. */
export const loadPeaks = async (
  url: string,
  sizeBytes: number,
  bars: number,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> => {
  if (sizeBytes > MAX_DECODED_BYTES) return undefined;
  try {
    const reply = await fetch(url, { signal });
    if (!reply.ok) return undefined;
    const context = new OfflineAudioContext(1, 1, DECODE_RATE_HZ);
    const audio = await context.decodeAudioData(await reply.arrayBuffer());
    return peaksOf(audio.getChannelData(0), bars);
  } catch {
    return undefined;
  }
};
