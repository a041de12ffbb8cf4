import { createLru } from '../async/lru.ts';
import type { Lane } from '../model/service.ts';

/** Tokens of an answer that is spoken, of another one, and of a thought before it. */
const SPOKEN_TOKENS = 512;
const ANSWER_TOKENS = 2_048;
const THINKING_TOKENS = 8_192;
/** Models of which something is known. */
const MOST_MODELS = 500;

/** Creates the memory of how many tokens an answer gets, by the name of the model that gives it. */
export const createAnswerTokens = () => {
  const thinkers = createLru<string, true>(MOST_MODELS);
  const limits = createLru<string, number>(MOST_MODELS);
  return {
    of: (model: string, lane: Lane): number => {
      const words = lane === 'live' ? SPOKEN_TOKENS : ANSWER_TOKENS;
      const thoughts = thinkers.get(model) ? THINKING_TOKENS : 0;
      return Math.min(words + thoughts, limits.get(model) ?? Infinity);
    },
    /** Notes a model that thought until its tokens were used up. */
    thinks: (model: string): void => thinkers.set(model, true),
    /** Notes the most tokens for which a model's context has room. */
    limit: (model: string, tokens: number): void => limits.set(model, tokens),
  };
};
