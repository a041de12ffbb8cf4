import { readFileSync } from 'node:fs';

/** How the benchmarks measure: both sides in turn, so that a machine's drift meets both. */

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
};

/** The value below which this share of the values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export interface Pair {
  /** Medians of one call, in microseconds. */
  readonly oursUs: number;
  readonly commonUs: number;
  /** Ours over the common way: the median of the rounds' ratios. */
  readonly ratio: number;
}

/** Times `calls` calls of each side in each of `rounds` rounds, after one round to warm up. */
export const comparePair = async (
  ours: () => unknown,
  common: () => unknown,
  { rounds, calls }: { rounds: number; calls: number },
): Promise<Pair> => {
  const time = async (run: () => unknown): Promise<number> => {
    const startMs = performance.now();
    for (let call = 0; call < calls; call += 1) await run();
    return ((performance.now() - startMs) * 1_000) / calls;
  };
  await time(ours);
  await time(common);
  const oursUs: number[] = [];
  const commonUs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    oursUs.push(await time(ours));
    commonUs.push(await time(common));
  }
  return {
    oursUs: median(oursUs),
    commonUs: median(commonUs),
    ratio: median(oursUs.map((value, index) => value / (commonUs[index] ?? Number.NaN))),
  };
};

export interface Result {
  readonly what: string;
  readonly ours: string;
  readonly common: string;
  readonly ratio: string;
}

export const printTable = (title: string, results: readonly Result[]): void => {
  console.log(`\n### ${title}\n\n| what | ours | the common way | ratio |\n|---|---|---|---|`);
  for (const { what, ours, common, ratio } of results)
    console.log(`| ${what} | ${ours} | ${common} | ${ratio} |`);
};

export const fixed = (value: number, digits = 2): string => value.toFixed(digits);

/** Memory of a process now. */
export const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
