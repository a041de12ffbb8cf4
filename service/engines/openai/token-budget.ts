import { usualTranslation } from '../../../src/text/reply/translation-reply.ts';
import type { EngineTranslationRequest } from '../../engine.ts';

/** Tokens of a UTF-16 unit at most, in vocabularies made for English. */
const LATIN_TOKENS = 0.7;
const OTHER_TOKENS = 2.5;
/** Tokens of a translation beyond its length: short words may become whole sentences. */
const SPARE_TOKENS = 64;
/** The most that a translation may be longer than usual. */
const TIMES = 2;
/** Tokens of a thought before the translation. */
export const THINKING_TOKENS = 4_096;
/** Tokens of a prompt without its text, context and keywords. */
const PROMPT_TOKENS = 256;

const tokensPerChar = (language: string): number => {
  try {
    return new Intl.Locale(language).maximize().script === 'Latn' ? LATIN_TOKENS : OTHER_TOKENS;
  } catch {
    return OTHER_TOKENS;
  }
};

type Request = Pick<EngineTranslationRequest, 'text' | 'from' | 'to'>;

/** The most tokens that a translation may take. */
export const mostTokens = ({ text, from, to }: Request): number =>
  SPARE_TOKENS +
  Math.ceil(TIMES * tokensPerChar(to) * usualTranslation({ source: text, from, to }));

/** UTF-16 units of the longest text that fits with its translation into a model's context. */
export const longestText = (contextTokens: number, { text, from, to }: Request): number => {
  const perChar =
    tokensPerChar(from) +
    (mostTokens({ text, from, to }) - SPARE_TOKENS) / Math.max(1, text.length);
  return Math.max(1, Math.floor((contextTokens - PROMPT_TOKENS - SPARE_TOKENS) / perChar));
};
