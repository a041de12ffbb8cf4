import { createSemaphore } from '../../../src/async/locks.ts';
import { BATCH_TOKENS, readPrompt } from './generate.ts';
import type { EmbeddingContext, Llama, LlamaModel, LlamaToken } from './library.ts';
import type { LlamaReply, VectorRequest } from './protocol.ts';

/** Tokens of a text, at most; it holds the model for some seconds where it is read at once. */
const MOST_TOKENS = { inParts: 2_048, atOnce: 1_024 };
/** Length of a token, at most: what is longer by far is not read, which takes seconds. */
const LONGEST_TOKEN_CHARS = 128;
/** Values of `llama_pooling_type` with which the last token has the meaning of the text. */
const OF_LAST_TOKEN = new Set([0, 3]);
/** Idle time after which the memory for it is given back. */
const IDLE_MS = 10_000;

/**
 * True for a model that reads a text from its beginning to its end, in parts between which it can be interrupted;
 * others read it at once.
 */
const readsInParts = ({ fileInfo: { architectureMetadata: facts } }: LlamaModel): boolean =>
  facts.attention?.causal !== false && OF_LAST_TOKEN.has(facts.pooling_type ?? 0);

const read = async (
  { _sequence: sequence, _llamaContext: { _ctx: native } }: EmbeddingContext,
  tokens: readonly LlamaToken[],
  signal: AbortSignal,
): Promise<readonly number[]> => {
  await readPrompt(sequence, tokens, signal);
  await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(-1));
  return [...native.getEmbedding(tokens.length)];
};

/** Makes vectors of texts, one at a time. */
export const createVectors = (
  loading: Promise<{ readonly llama: Llama; readonly model: LlamaModel }>,
  contextTokens: number,
  threadsOf: (llama: Llama) => number,
) => {
  const turns = createSemaphore(1);
  let opened: EmbeddingContext | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const open = async () => {
    const { llama, model } = await loading;
    const isInParts = readsInParts(model);
    const most = Math.min(isInParts ? MOST_TOKENS.inParts : MOST_TOKENS.atOnce, contextTokens);
    const context = (opened ??= await model.createEmbeddingContext({
      contextSize: most,
      batchSize: isInParts ? BATCH_TOKENS : most,
      threads: threadsOf(llama),
      ignoreMemorySafetyChecks: true,
    }));
    /** The tokens of a text; undefined for too many. */
    const tokensOf = (text: string): readonly LlamaToken[] | undefined => {
      if (text.length > LONGEST_TOKEN_CHARS * most) return undefined;
      const tokens = model.tokenizer(text);
      context['_prepareInput'](tokens);
      return tokens.length < most ? tokens : undefined;
    };
    const tooLong: LlamaReply = { kind: 'too-long', mostTokens: most - 1 };
    return { context, isInParts, tokensOf, tooLong };
  };

  const handle = async (
    { kind, text }: VectorRequest,
    signal: AbortSignal,
  ): Promise<LlamaReply> => {
    const { context, isInParts, tokensOf, tooLong } = await open();
    const tokens = tokensOf(text);
    if (!tokens) return tooLong;
    if (kind === 'measure') return { kind: 'measured' };
    signal.throwIfAborted();
    const vector = isInParts
      ? await read(context, tokens, signal)
      : (await context.getEmbeddingFor(tokens)).vector;
    return { kind: 'vector', vector, tokens: tokens.length };
  };

  return {
    /** Answers a request, one after the other. Rejects with the signal's reason. */
    answer: (request: VectorRequest, signal: AbortSignal): Promise<LlamaReply> =>
      turns.use(async () => {
        clearTimeout(idleTimer);
        try {
          return await handle(request, signal);
        } finally {
          idleTimer = setTimeout(() => {
            const idle = opened;
            opened = undefined;
            idle?.dispose().catch(() => {});
          }, IDLE_MS);
        }
      }, signal),
  };
};
