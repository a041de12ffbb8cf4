import { toAppError } from '../../src/errors.ts';
import { EmptyStreamError } from '../../src/http/event-stream.ts';
import { saysTooLong } from '../../src/http/too-long.ts';
import type { EngineTranslationRequest, TranslationEngine, TranslationPiece } from '../engine.ts';
import { BackendError, ContractError } from '../errors.ts';
import { splitText } from '../../src/text/split/split.ts';
import { translateParts } from '../translation/pieces.ts';
import { OnlyThinkingError, readCompletion } from './completion.ts';
import { STREAM_SILENCE_MS, type ChatServer, type ServerModels } from './chat-server.ts';
import {
  keepsKeywords,
  translationRules,
  translationSampling,
  translationTurns,
} from './prompt.ts';
import { longestText, mostTokens, SHORTEST_CHARS, THINKING_TOKENS } from './token-budget.ts';

/** Traits of a model that its replies show. */
interface Traits {
  /** True for a model that thinks before it translates. */
  readonly thinks: boolean;
  /** The field that limits a reply: newer models of the API's maker refuse the first. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

const REFUSED = new Set([400, 413, 422]);

/** Words with which servers refuse a limit of tokens that is higher than their own. */
const LIMIT_TOO_HIGH =
  /max_(?:completion_)?tokens\b.{0,60}(?:too (?:large|high|big)|at most|maximum|less than|exceed|range|[<>])/i;

/** True for a text that a model cannot take; too many tokens a minute are another fault. */
const isTooLong = (thrown: unknown): boolean => {
  if (thrown instanceof EmptyStreamError) return true;
  const { code, message } = toAppError(thrown);
  return code !== 'rate-limited' && (saysTooLong(message) || LIMIT_TOO_HIGH.test(message));
};

/** True where a server does not know the usual name of the limit. */
const refusesLimit = (thrown: unknown): boolean =>
  thrown instanceof BackendError &&
  REFUSED.has(thrown.status) &&
  thrown.message.includes('max_tokens');

const tooLong = (cause: unknown): ContractError =>
  cause instanceof EmptyStreamError
    ? new ContractError('ErrBadReply', 'No usable translation: the model answered nothing.', {
        cause,
      })
    : new ContractError('ErrTextTooLong', 'The text is too long for the model.', { cause });

/** Waits for the turn of a call. */
type Turn = () => Promise<Disposable>;

/** A request, and the UTF-16 units from which its text is split: known of this request alone. */
interface Attempt {
  readonly request: EngineTranslationRequest;
  readonly longestChars: number;
}

/**
 * Translation by the models of a server that chats.
 *
 * @param usual returns the name of the model for a request that names none
 */
export const createTranslation = (
  server: ChatServer,
  usual: (request: EngineTranslationRequest) => string,
  models: ServerModels,
): TranslationEngine => {
  const familyOf = (asked: string): string => models.familyOf?.(asked) ?? asked;
  const known = new Map<string, Traits>();
  const traitsOf = (asked: string): Traits =>
    known.get(asked) ?? { thinks: false, limit: 'max_tokens' };
  const modelFor = (request: EngineTranslationRequest): string => {
    const { model: wished } = request;
    return wished !== undefined && models.listed.has(wished) ? wished : usual(request);
  };

  async function* send(
    request: EngineTranslationRequest,
    asked: string,
    { thinks, limit }: Traits,
    signal: AbortSignal,
    turn: Turn | undefined,
  ): AsyncGenerator<TranslationPiece, void, void> {
    using held = await turn?.();
    const reply = await server.send(
      '/chat/completions',
      {
        model: asked,
        messages: translationTurns(request, familyOf(asked)),
        ...translationSampling(familyOf(asked)),
        [limit]: mostTokens(request) + (thinks ? THINKING_TOKENS : 0),
        stream: true,
        stream_options: { include_usage: true },
      },
      signal,
      STREAM_SILENCE_MS,
    );
    void reply.written?.then(() => held?.[Symbol.dispose]());
    yield* readCompletion(reply, asked);
  }

  /**
   * Learns from a failure, and finds what to try next. Throws where nothing helps.
   *
   * @param sent the traits that the request was sent with: other requests may have learnt more meanwhile
   */
  const after = (thrown: unknown, tried: Attempt, asked: string, sent: Traits): Attempt => {
    const { request, longestChars } = tried;
    const learn = (learnt: Partial<Traits>): Attempt => {
      known.set(asked, { ...traitsOf(asked), ...learnt });
      return tried;
    };
    if (thrown instanceof OnlyThinkingError && !sent.thinks) return learn({ thinks: true });
    if (isTooLong(thrown)) {
      if (request.context !== '') return { request: { ...request, context: '' }, longestChars };
      if (request.text.length < 2 * SHORTEST_CHARS) throw tooLong(thrown);
      return { request, longestChars: Math.ceil(request.text.length / 2) };
    }
    if (refusesLimit(thrown) && sent.limit === 'max_tokens')
      return learn({ limit: 'max_completion_tokens' });
    throw thrown;
  };

  async function* attempt(
    tried: Attempt,
    signal: AbortSignal,
    turn?: Turn,
  ): AsyncGenerator<TranslationPiece, void, void> {
    const { request, longestChars } = tried;
    const { text, context } = request;
    const asked = modelFor(request);
    const contextTokens = models.contextTokens.get(asked) ?? Infinity;
    const longest = Math.min(longestChars, longestText(contextTokens, request));
    if (text.length > longest && context !== '')
      return yield* attempt({ request: { ...request, context: '' }, longestChars }, signal, turn);
    if (text.length > longest) {
      const whole = async (part: string): Promise<string> => {
        const own = { request: { ...request, text: part }, longestChars: longest };
        const pieces = await Array.fromAsync(attempt(own, signal, turn));
        return pieces.map((piece) => piece.text).join('');
      };
      const parts = splitText(text, longest, ({ length }) => length);
      for await (const part of translateParts(
        parts.map((each) => ({ text: each })),
        whole,
      ))
        yield { text: part, model: asked };
      return;
    }
    const traits = traitsOf(asked);
    let hasBegun = false;
    let next: Attempt;
    try {
      for await (const piece of send(request, asked, traits, signal, turn)) {
        hasBegun ||= piece.text !== '';
        yield piece;
      }
      return;
    } catch (thrown) {
      if (hasBegun) throw thrown;
      next = after(thrown, tried, asked, traits);
    }
    yield* attempt(next, signal, turn);
  }

  return {
    translates: (_from, to) => to.toLowerCase() !== 'en-xa',
    keepsKeywords: (request) => keepsKeywords(familyOf(modelFor(request))),
    rules: (request) => translationRules(familyOf(modelFor(request))),
    takesTurns: true,
    translate: (request, signal, turn) =>
      attempt({ request, longestChars: Infinity }, signal, turn),
  };
};
