import { EmptyStreamError } from '../../../src/http/event-stream.ts';
import { saysTooLong } from '../../../src/http/too-long.ts';
import type {
  EngineTranslationRequest,
  TranslationEngine,
  TranslationPiece,
} from '../../engine.ts';
import { BackendError, ContractError } from '../../errors.ts';
import { splitText } from '../../../src/text/split/split.ts';
import { translateParts } from '../../translation/pieces.ts';
import { OnlyThinkingError, readCompletion } from './completion.ts';
import type { Upstream } from './http.ts';
import type { Models } from './models.ts';
import { translationRules, translationTurns } from './prompt.ts';
import { longestText, mostTokens, THINKING_TOKENS } from './token-budget.ts';

/** Traits of a model that its replies show. */
interface Traits {
  /** True for a model that thinks before it translates. */
  thinks: boolean;
  /** The field that limits a reply: newer models of the API's maker refuse the first. */
  limit: 'max_tokens' | 'max_completion_tokens';
  /** UTF-16 units of the longest text that it takes, as far as is known. */
  longestChars: number;
}

/** Shortest text that is still split when it is too long for a model. */
const SHORTEST_CHARS = 100;
const REFUSED = new Set([400, 413, 422]);

const isRefused = (thrown: unknown): thrown is BackendError =>
  thrown instanceof BackendError && REFUSED.has(thrown.status);

const isTooLong = (thrown: unknown): boolean =>
  thrown instanceof EmptyStreamError ||
  (thrown instanceof BackendError && saysTooLong(thrown.message));

const tooLong = (cause: unknown): ContractError =>
  new ContractError('ErrTextTooLong', 'The text is too long for the model.', { cause });

const saidNothing = (cause: unknown): ContractError =>
  new ContractError('ErrBadReply', 'No usable translation: the model answered nothing.', { cause });

export const createTranslation = (
  upstream: Upstream,
  model: string,
  models: Models,
): TranslationEngine => {
  const known = new Map<string, Traits>();
  const traitsOf = (asked: string): Traits => {
    const traits = known.get(asked) ?? {
      thinks: false,
      limit: 'max_tokens',
      longestChars: Infinity,
    };
    known.set(asked, traits);
    return traits;
  };
  const modelFor = ({ model: wished }: EngineTranslationRequest): string =>
    wished !== undefined && models.listed.has(wished) ? wished : model;

  async function* send(
    request: EngineTranslationRequest,
    asked: string,
    signal: AbortSignal,
  ): AsyncGenerator<TranslationPiece, void, void> {
    const { thinks, limit } = traitsOf(asked);
    const reply = await upstream.send(
      '/chat/completions',
      {
        model: asked,
        messages: translationTurns(request, asked),
        temperature: 0,
        [limit]: mostTokens(request) + (thinks ? THINKING_TOKENS : 0),
        stream: true,
        stream_options: { include_usage: true },
      },
      signal,
    );
    yield* readCompletion(reply, asked);
  }

  /** Learns from a failure; the request to try next, or undefined where nothing helps. */
  const learn = (
    thrown: unknown,
    request: EngineTranslationRequest,
    traits: Traits,
  ): EngineTranslationRequest | undefined => {
    if (thrown instanceof OnlyThinkingError && !traits.thinks) {
      traits.thinks = true;
      return request;
    }
    if (isTooLong(thrown)) {
      if (request.context !== '') return { ...request, context: '' };
      if (request.text.length < 2 * SHORTEST_CHARS) {
        throw thrown instanceof EmptyStreamError ? saidNothing(thrown) : tooLong(thrown);
      }
      traits.longestChars = Math.min(traits.longestChars, Math.ceil(request.text.length / 2));
      return request;
    }
    if (
      isRefused(thrown) &&
      thrown.message.includes('max_tokens') &&
      traits.limit === 'max_tokens'
    ) {
      traits.limit = 'max_completion_tokens';
      return request;
    }
    return undefined;
  };

  async function* translate(
    request: EngineTranslationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranslationPiece, void, void> {
    const asked = modelFor(request);
    const traits = traitsOf(asked);
    const contextTokens = models.contextTokens.get(asked) ?? Infinity;
    const longest = Math.min(traits.longestChars, longestText(contextTokens, request));
    if (request.text.length > longest) {
      const whole = async (text: string): Promise<string> => {
        const pieces = await Array.fromAsync(translate({ ...request, text, context: '' }, signal));
        return pieces.map((piece) => piece.text).join('');
      };
      const parts = splitText(request.text, longest).map((text) => ({ text }));
      for await (const text of translateParts(parts, whole)) yield { text, model: asked };
      return;
    }
    let hasBegun = false;
    try {
      for await (const piece of send(request, asked, signal)) {
        hasBegun ||= piece.text !== '';
        yield piece;
      }
    } catch (thrown) {
      const next =
        hasBegun && !(thrown instanceof OnlyThinkingError)
          ? undefined
          : learn(thrown, request, traits);
      if (!next) throw thrown;
      yield* translate(next, signal);
    }
  }

  return {
    translates: (_from, to) => to.toLowerCase() !== 'en-xa',
    keepsKeywords: true,
    rules: (request) => translationRules(modelFor(request)),
    translate,
  };
};
