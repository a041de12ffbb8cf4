import type { EvaluateOptions, LlamaModel, Sequence, LlamaToken } from './library.ts';

/** Longest time that the reading of a prompt cannot be interrupted, about. */
const CHUNK_MS = 120;
/** Tokens that are computed together, at most. */
export const BATCH_TOKENS = 128;
/** Tokens of a prompt that are read without a look at the signal. */
const CHUNK_TOKENS = { first: 32, least: 8, most: BATCH_TOKENS };
/** Tokens that a letter is made of, at most. */
const LETTER_TOKENS = 8;
/** Fewest tokens that are worth a checkpoint. */
const CHECKPOINT_TOKENS = 32;

/** Tokens that are read in one go; they follow the speed of the machine. */
let chunkTokens = CHUNK_TOKENS.first;

/**
 * Reads a prompt but for its last token, in chunks. What the sequence has read of it before is kept.
 * Resolves with the number of tokens that were kept. Throws the signal's reason between two chunks.
 */
export const readPrompt = async (
  sequence: Sequence,
  tokens: readonly LlamaToken[],
  signal: AbortSignal,
): Promise<number> => {
  const most = tokens.length - 1;
  const { firstDifferentIndex: shared } = sequence.compareContextTokens(tokens);
  await sequence.adaptStateToTokens(tokens.slice(0, Math.min(most, shared)), false);
  const kept = sequence.nextTokenIndex;
  while (sequence.nextTokenIndex < most) {
    signal.throwIfAborted();
    const at = sequence.nextTokenIndex;
    // Where two prompts part, a third may part as well.
    const isBeforeFork = sequence.needsCheckpoints && at < shared;
    const end = Math.min(isBeforeFork ? shared : most, at + chunkTokens);
    const startMs = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, end));
    const perToken = (performance.now() - startMs) / (end - at);
    const fitting = Math.round(CHUNK_MS / Math.max(perToken, 0.1));
    chunkTokens = Math.min(CHUNK_TOKENS.most, Math.max(CHUNK_TOKENS.least, fitting));
    const isCheckpoint = (isBeforeFork && end === shared) || end === most;
    if (sequence.needsCheckpoints && isCheckpoint && end - kept >= CHECKPOINT_TOKENS)
      await sequence.takeCheckpoint();
  }
  signal.throwIfAborted();
  return kept;
};

/** Makes text of tokens as they come; letters of several tokens come whole. */
const createDecoder = (model: LlamaModel, prompt: readonly LlamaToken[]) => {
  const last = prompt.slice(-LETTER_TOKENS);
  let pending: LlamaToken[] = [];
  return (token: LlamaToken): string => {
    pending.push(token);
    const text = model.detokenize(pending, false, last);
    if (text.endsWith('\uFFFD') && pending.length < LETTER_TOKENS) return '';
    last.push(...pending);
    last.splice(0, last.length - LETTER_TOKENS);
    pending = [];
    return text;
  };
};

/** Units at the end of a text that may be the beginning of a stop. */
const beginningOf = (text: string, stops: readonly string[]): number => {
  const longest = Math.max(0, ...stops.map(({ length }) => length - 1));
  for (let units = Math.min(longest, text.length); units > 0; units -= 1)
    if (stops.some((stop) => stop.startsWith(text.slice(-units)))) return units;
  return 0;
};

/** Passes text on up to the first of `stops`; what may become one waits. */
const createStopper = (stops: readonly string[], send: (text: string) => void) => {
  let held = '';
  const pass = (units: number): void => {
    if (units > 0) send(held.slice(0, units));
    held = held.slice(units);
  };
  return {
    /** True once a stop has come. */
    push: (text: string): boolean => {
      held += text;
      const found = stops.map((stop) => held.indexOf(stop)).filter((at) => at >= 0);
      if (found.length > 0) pass(Math.min(...found));
      else pass(held.length - beginningOf(held, stops));
      return found.length > 0;
    },
    flush: (): void => pass(held.length),
  };
};

export interface Reply {
  readonly mostTokens: number;
  readonly stops: readonly string[];
  readonly send: (text: string) => void;
  readonly options: (written: readonly LlamaToken[]) => EvaluateOptions;
}

/** Writes a reply to a prompt that has been read but for its last token. Throws the signal's reason. */
export const writeReply = async (
  model: LlamaModel,
  sequence: Sequence,
  prompt: readonly LlamaToken[],
  { mostTokens, stops, send, options }: Reply,
  signal: AbortSignal,
): Promise<{ readonly finish: 'stop' | 'length'; readonly replyTokens: number }> => {
  const written: LlamaToken[] = [];
  const decode = createDecoder(model, prompt);
  const stopper = createStopper(stops, send);
  for await (const token of sequence.evaluate(prompt.slice(-1), options(written))) {
    signal.throwIfAborted();
    written.push(token);
    if (stopper.push(decode(token))) return { finish: 'stop', replyTokens: written.length };
    if (written.length < mostTokens) continue;
    stopper.flush();
    return { finish: 'length', replyTokens: written.length };
  }
  stopper.flush();
  return { finish: 'stop', replyTokens: written.length };
};
