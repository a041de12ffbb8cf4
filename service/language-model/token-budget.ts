import { usualTranslation } from '../../src/text/reply/translation-reply.ts';
import type { ChatBody } from '../chat-body.ts';
import type { EngineTranslationRequest } from '../engine.ts';
import { ContractError } from '../errors.ts';

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
/** Bytes of UTF-8 in a token, at most about. */
export const BYTES_PER_TOKEN = 5;
/** UTF-16 units of the shortest part into which a text is split. */
export const SHORTEST_CHARS = 100;

const tokensPerChar = (language: string): number => {
  try {
    return new Intl.Locale(language).maximize().script === 'Latn' ? LATIN_TOKENS : OTHER_TOKENS;
  } catch {
    return OTHER_TOKENS;
  }
};

type Pair = Pick<EngineTranslationRequest, 'from' | 'to'>;

/** The most tokens that the translation of a UTF-16 unit may take. */
const mostTokensPerChar = (pair: Pair): number =>
  TIMES * tokensPerChar(pair.to) * usualTranslation({ source: ' ', ...pair });

/** The most tokens that a translation may take. */
export const mostTokens = ({ text, ...pair }: Pair & { readonly text: string }): number =>
  SPARE_TOKENS + Math.ceil(mostTokensPerChar(pair) * text.length);

/** UTF-16 units of the longest text that fits into a model's context, with its prompt and translation. */
export const longestText = (
  contextTokens: number,
  { from, to, context, keywords }: Omit<EngineTranslationRequest, 'text'>,
): number => {
  const told = tokensPerChar(from) * [context, ...keywords].join(' ').length;
  const free = contextTokens - PROMPT_TOKENS - SPARE_TOKENS - told;
  const perChar = tokensPerChar(from) + mostTokensPerChar({ from, to });
  return Math.max(SHORTEST_CHARS, Math.floor(free / perChar));
};

/** Throws `ErrTextTooLong` for a conversation that a model cannot take; reads it only where there is a limit. */
export const assertFits = (request: ChatBody, contextTokens: number): void => {
  if (contextTokens < Infinity && request.wordBytes() > BYTES_PER_TOKEN * contextTokens)
    throw new ContractError(
      'ErrTextTooLong',
      `The conversation is too long for the model, which takes ${contextTokens} tokens.`,
    );
};
