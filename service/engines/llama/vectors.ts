import { createSemaphore } from '../../../src/async/locks.ts';
import { BATCH_TOKENS, readPrompt } from './generate.ts';
import type { EmbeddingContext, Llama, LlamaModel, LlamaToken } from './library.ts';
import type { LlamaReply } from './protocol.ts';

/** Tokens of a text, at most; it holds the model for some seconds where it is read at once. */
const MOST_TOKENS = { inParts: 2_048, atOnce: 1_024 };
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
  let opened: Promise<EmbeddingContext> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const open = async () => {
    const { llama, model } = await loading;
    const isInParts = readsInParts(model);
    const most = Math.min(isInParts ? MOST_TOKENS.inParts : MOST_TOKENS.atOnce, contextTokens);
    opened ??= model.createEmbeddingContext({
      contextSize: most,
      batchSize: isInParts ? BATCH_TOKENS : most,
      threads: threadsOf(llama),
      ignoreMemorySafetyChecks: true,
    });
    const context = await opened;
    /** The tokens of a text; undefined for too many. */
    const tokensOf = (text: string): readonly LlamaToken[] | undefined => {
      const tokens = model.tokenizer(text);
      context['_prepareInput'](tokens);
      return tokens.length < most ? tokens : undefined;
    };
    const tooLong: LlamaReply = { kind: 'too-long', mostTokens: most - 1 };
    return { context, isInParts, tokensOf, tooLong };
  };

  /** Runs what uses the context, alone. */
  const alone = async (task: () => Promise<LlamaReply>, signal?: AbortSignal) =>
    turns.use(async () => {
      clearTimeout(idleTimer);
      try {
        return await task();
      } finally {
        idleTimer = setTimeout(() => {
          const idle = opened;
          opened = undefined;
          void idle?.then((context) => context.dispose()).catch(() => {});
        }, IDLE_MS);
      }
    }, signal);

  return {
    /** Finds out whether a vector can be made of each of the texts. */
    measure: (texts: readonly string[]): Promise<LlamaReply> =>
      alone(async () => {
        const { tokensOf, tooLong } = await open();
        return texts.every((text) => tokensOf(text)) ? { kind: 'measured' } : tooLong;
      }),
    /** Makes the vector of a text. Rejects with the signal's reason. */
    make: (text: string, signal: AbortSignal): Promise<LlamaReply> =>
      alone(async () => {
        const { context, isInParts, tokensOf, tooLong } = await open();
        const tokens = tokensOf(text);
        if (!tokens) return tooLong;
        signal.throwIfAborted();
        const vector = isInParts
          ? await read(context, tokens, signal)
          : (await context.getEmbeddingFor(tokens)).vector;
        return { kind: 'vector', vector, tokens: tokens.length };
      }, signal),
  };
};
