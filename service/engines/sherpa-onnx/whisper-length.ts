import { joinTexts } from '../../../src/text/local-agreement.ts';
import { RECOGNITION_RATE_HZ } from '../../engine.ts';
import { isLoop } from '../../loops.ts';
import { halves } from './pieces.ts';

/** The words that the library made of a sound. */
export interface Decoded {
  readonly text: string;
  readonly tokens?: readonly string[] | undefined;
}

/** Most tokens that the library decodes of a second of sound with a Whisper model. */
const TOKENS_PER_SECOND = 6;
/** Longest sound of such a model, a second less than what it was trained with. */
const LONGEST = 29 * RECOGNITION_RATE_HZ;
/** Times of its length to which sound is made longer for more tokens. */
const LONGER = 2;
/** Shortest sound that is halved: nobody says more in a shorter one than the longest has tokens for. */
const SHORTEST = 8 * RECOGNITION_RATE_HZ;

/** True where the library ended for want of tokens: it may count a frame less than there are. */
const isCut = ({ tokens = [] }: Decoded, length: number): boolean =>
  tokens.length >= Math.floor((length * TOKENS_PER_SECOND) / RECOGNITION_RATE_HZ) - 1;

const withSilence = (samples: Float32Array, length: number): Float32Array => {
  const longer = new Float32Array(length);
  longer.set(samples);
  return longer;
};

/**
 * Decodes a sound with all of its tokens, of which who speaks fast or in letters of several tokens needs more
 * than the library allows: again with silence behind it, which allows more, and in halves where that is not
 * enough. What becomes a loop with more tokens is not believed.
 */
export const decodeWhole = async <Result extends Decoded>(
  samples: Float32Array,
  decode: (sound: Float32Array) => Promise<Result>,
): Promise<Result> => {
  let { length } = samples;
  let heard = await decode(samples);
  while (length < LONGEST && isCut(heard, length)) {
    length = Math.min(LONGEST, LONGER * length);
    const again = await decode(withSilence(samples, length));
    if (isLoop(again.text)) return heard;
    heard = again;
  }
  if (!isCut(heard, length) || samples.length < SHORTEST) return heard;
  const texts: string[] = [];
  for (const half of halves(samples)) texts.push((await decodeWhole(half, decode)).text.trim());
  return { ...heard, text: joinTexts(texts) };
};
