import type { Wrapper } from '../pieces/pieces.ts';
import { Assembly, type PieceSink } from './assemble.ts';
import { misplacedPairs } from './misplaced-pairs.ts';
import { readTokens, withBrackets, withoutUnfinished, type Stretch } from './read-tokens.ts';
import { isPaired, type Token } from './token.ts';

/** A text with tokens, and the pieces behind them. */
export interface Source {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly pairs: readonly Wrapper[];
}

export interface Check {
  /** Numbers of missing tokens. */
  readonly missing: readonly number[];
  /** Numbers of tokens that were invented or repeated. */
  readonly extra: readonly number[];
}

interface Checked extends Check {
  /** The translation's parts with each token once, at its first place. */
  readonly stretches: readonly Stretch[];
}

const check = (tokens: readonly Token[], translated: string): Checked => {
  const seen = new Uint8Array(tokens.length);
  const extra: number[] = [];
  const stretches = readTokens(translated, (number) => {
    const isFirst = seen[number - 1] === 0;
    if (isFirst) seen[number - 1] = 1;
    else extra.push(number);
    return isFirst;
  });
  const missing: number[] = [];
  for (const [index, times] of seen.entries()) if (times === 0) missing.push(index + 1);
  return { stretches, missing, extra };
};

const assemble = (
  { text, tokens, pairs }: Source,
  { stretches, missing }: Checked,
  sink: PieceSink,
  isWhole: boolean,
): void => {
  const lost = isWhole ? missing.flatMap((number) => tokens[number - 1] ?? []) : [];
  const misplaced = misplacedPairs(stretches, tokens, pairs);
  // Pairs misplaced in the source too are kept as their writer put them.
  if (misplaced.dropped.size > 0)
    for (const pair of misplacedPairs(check(tokens, text).stretches, tokens, pairs).dropped)
      misplaced.dropped.delete(pair);
  for (const { parts } of lost)
    for (const part of parts) if (isPaired(part)) misplaced.dropped.add(part.pair);
  const assembly = new Assembly(sink, pairs, misplaced);
  for (const [index, stretch] of stretches.entries())
    if (typeof stretch === 'number') assembly.token(tokens[stretch - 1] as Token);
    else {
      const next = stretches[index + 1];
      assembly.words(stretch, typeof next === 'number' ? tokens[next - 1] : undefined);
    }
  for (const token of lost) assembly.lost(token);
};

/** Puts the tokens back into a translation and reports missing and surplus ones. */
export const restore = (source: Source, translated: string, sink: PieceSink): Check => {
  let found = check(source.tokens, translated);
  if (found.missing.length > 0) {
    const repaired = withBrackets(source.text, translated, found.missing);
    if (repaired !== translated) found = check(source.tokens, repaired);
  }
  assemble(source, found, sink, true);
  return found;
};

/** Puts the tokens back into a translation that is still growing: nothing counts as missing yet. */
export const preview = (source: Source, partial: string, sink: PieceSink): void =>
  assemble(source, check(source.tokens, withoutUnfinished(partial)), sink, false);
