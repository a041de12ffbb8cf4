import { createLru } from '../../src/async/lru.ts';
import { limitPeaks } from '../../src/audio/limiter.ts';
import { createBlockMeter, integratedLoudness } from '../../src/audio/loudness.ts';
import { sliceSamples, type Pcm } from '../../src/audio/pcm.ts';

/** Loudness of every voice, in LUFS: about that of eSpeak NG and Kokoro, which stay as they are. */
const TARGET_LUFS = -20;
/** Most that a voice is made louder or quieter, in dB. */
const MOST_GAIN_DB = 12;
/**
 * Highest sample, 2 dB below full scale: peaks between samples, which a change of the sample rate
 * shows, are up to 1 dB higher in speech.
 */
const HIGHEST_SAMPLE = 10 ** (-2 / 20);
/** Blocks of a voice that are measured, one every 100 ms; then its gain is fixed. */
const ENOUGH_BLOCKS = 100;
/** Longest sound that is measured at once: some 3 ms of work. */
const MEASURED_S = 3;
/** Voices that are remembered; each takes a kilobyte. */
const MOST_VOICES = 2_000;

const highestOf = (samples: Float32Array): number => {
  let highest = 0;
  for (let at = 0; at < samples.length; at += 1)
    highest = Math.max(highest, Math.abs(samples[at] ?? 0));
  return highest;
};

// Measured: `map` with a function takes several times as long.
const scaled = (samples: Float32Array, gain: number): Float32Array => {
  const result = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at += 1) result[at] = (samples[at] ?? 0) * gain;
  return result;
};

const gainOf = (blocks: readonly number[]): number => {
  const loudness = integratedLoudness(blocks);
  const gainDb = loudness === undefined ? 0 : TARGET_LUFS - loudness;
  return 10 ** (Math.max(-MOST_GAIN_DB, Math.min(MOST_GAIN_DB, gainDb)) / 20);
};

/**
 * Creates what makes all voices equally loud. A voice is measured by the first seconds that it speaks
 * in this process, not by sound of its own, so that nobody waits for it. What an engine makes whole
 * has the gain of its own measurement from the first sentence on, a stream from the second.
 */
export const createVoiceLevels = () => {
  const measured = createLru<string, readonly number[]>(MOST_VOICES);

  /** Gives a part of a voice's speech one gain, which is lower around peaks. */
  async function* level(
    voiceId: string,
    sound: AsyncIterable<Pcm>,
  ): AsyncGenerator<Pcm, void, void> {
    const blocks = [...(measured.get(voiceId) ?? [])];
    let meter: ReturnType<typeof createBlockMeter> | undefined;
    let gain: number | undefined;
    for await (const { samples, sampleRateHz } of sound) {
      if (blocks.length < ENOUGH_BLOCKS) {
        meter ??= createBlockMeter(sampleRateHz);
        blocks.push(...meter(samples.subarray(0, MEASURED_S * sampleRateHz)));
        // At once, for the listener may leave.
        measured.set(voiceId, blocks.slice(0, ENOUGH_BLOCKS));
      }
      gain ??= gainOf(blocks);
      if (gain * highestOf(samples) > HIGHEST_SAMPLE) {
        const levelled = scaled(samples, gain);
        limitPeaks(levelled, sampleRateHz, HIGHEST_SAMPLE);
        yield { samples: levelled, sampleRateHz };
        continue;
      }
      // In slices, so that the first of a sentence goes on at once.
      const step = sliceSamples(sampleRateHz);
      for (let from = 0; from < samples.length; from += step)
        yield { samples: scaled(samples.subarray(from, from + step), gain), sampleRateHz };
    }
  }
  return { level };
};
