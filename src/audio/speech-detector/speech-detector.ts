import { concatSamples, yieldTurn } from '../pcm.ts';
import { createLevelMeter } from '../vad.ts';
import { createNetwork, createSpeechState, WINDOW_SAMPLES } from './network.ts';
import type { Weights } from './weights.ts';

/**
 * Probability from which a window of 32 ms is speech. Of 2,122 utterances of speech 5 had none such, of
 * 330 noises 288.
 */
const SPEECH = 0.5;
/** Level to which the loudest frame of a quiet sound is raised: people who are far away are heard too. */
const LOUD_DB = -22;
const MOST_GAIN_DB = 30;
/** Windows before other work has a turn: 2 ms. */
const WINDOWS_AT_ONCE = 8;

/** Listens to one sound until there is speech in it. */
export interface SpeechListener {
  /**
   * Takes the next samples (16 kHz, mono); true once there was speech.
   *
   * @param isLast true when no samples follow
   */
  hears(samples: Float32Array, isLast: boolean): Promise<boolean>;
}

/** Begins to listen to a sound; undefined where sounds cannot be judged. */
export type SpeechDetector = () => Promise<SpeechListener | undefined>;

type Network = ReturnType<typeof createNetwork>;

const createListener = (network: Network): SpeechListener => {
  const state = createSpeechState();
  const measure = createLevelMeter();
  let rest = new Float32Array(0);
  let loudestDb = -Infinity;
  let isHeard = false;

  const gain = (): number => 10 ** (Math.min(MOST_GAIN_DB, Math.max(0, LOUD_DB - loudestDb)) / 20);

  return {
    hears: async (samples, isLast) => {
      const all = concatSamples([rest, samples]);
      const end = isLast ? all.length : all.length - (all.length % WINDOW_SAMPLES);
      const step = WINDOWS_AT_ONCE * WINDOW_SAMPLES;
      for (let from = 0; from < end && !isHeard; from += step) {
        if (from > 0) await yieldTurn();
        const part = all.subarray(from, Math.min(end, from + step));
        loudestDb = Math.max(loudestDb, ...measure(part));
        for (let at = 0; at < part.length && !isHeard; at += WINDOW_SAMPLES)
          isHeard = network(state, part.subarray(at, at + WINDOW_SAMPLES), gain()) >= SPEECH;
      }
      rest = all.slice(end);
      return isHeard;
    },
  };
};

/**
 * Creates a detector of speech.
 *
 * @param load reads the weights when the detector is first used; undefined: there are none
 */
export const createSpeechDetector = (load: () => Promise<Weights | undefined>): SpeechDetector => {
  let network: Promise<Network | undefined> | undefined;
  const open = async (): Promise<Network | undefined> => {
    const weights = await load();
    return weights && createNetwork(weights);
  };
  return async () => {
    network ??= open();
    const opened = await network;
    return opened && createListener(opened);
  };
};
