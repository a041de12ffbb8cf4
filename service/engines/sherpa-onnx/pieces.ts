import { quietestFrame } from '../../../src/audio/chunk/chunks.ts';
import { createLevelMeter, FRAME_MS } from '../../../src/audio/vad.ts';
import { joinTexts } from '../../../src/text/local-agreement.ts';
import { RECOGNITION_RATE_HZ } from '../../engine.ts';

const FRAME = (RECOGNITION_RATE_HZ * FRAME_MS) / 1_000;

/** Cuts sound at the quietest moment of its middle third. */
export const halves = (samples: Float32Array): readonly [Float32Array, Float32Array] => {
  const levels = createLevelMeter()(samples);
  const [from, to] = [1 / 3, 2 / 3].map((share) => Math.floor(share * levels.length));
  const at = FRAME * quietestFrame(levels.slice(0, to), from ?? 0, FRAME_MS);
  return [samples.subarray(0, at), samples.subarray(at)];
};

/** Decodes a sound in pieces of at most `longest` samples, for a model that hears nothing in a longer one. */
export const decodeInPieces = async <Result extends { readonly text: string }>(
  samples: Float32Array,
  longest: number,
  decode: (sound: Float32Array) => Promise<Result>,
): Promise<Result> => {
  if (samples.length <= longest) return decode(samples);
  const [before, after] = halves(samples);
  const first = await decodeInPieces(before, longest, decode);
  const second = await decodeInPieces(after, longest, decode);
  return { ...first, text: joinTexts([first.text.trim(), second.text.trim()]) };
};
