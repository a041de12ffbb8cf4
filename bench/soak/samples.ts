import { readdirSync } from 'node:fs';
import { median, rssMb } from '../measure.ts';
import { readVitals, type Vitals } from '../voice/vitals.ts';

/** How a process is at one moment. */
export interface Sample {
  /** Time since the start. */
  readonly atS: number;
  readonly rssMb: number;
  /** Without compiled code. Undefined where the heap still had its garbage, as the next two are. */
  readonly heapMb: number | undefined;
  /** Compiled code on the heap. */
  readonly codeMb: number | undefined;
  /** Without that of WebAssembly: a process has it from its first voice channel on. */
  readonly externalMb: number | undefined;
  /** Open files and sockets of the process. */
  readonly files: number;
  /** What keeps the event loop going, as Node counts it. */
  readonly resources: number;
  /** Timers that wait. */
  readonly timers: number;
  /** Delay of the event loop since the last sample. */
  readonly p99Ms: number;
  readonly worstMs: number;
  /** The part of it for which the process itself was busy. */
  readonly ownP99Ms: number;
  readonly ownWorstMs: number;
  readonly faults: Vitals['faults'];
}

export type Metric = Exclude<keyof Sample, 'atS' | 'faults'>;

export const takeSample = async (pid: number, file: string, atS: number): Promise<Sample> => {
  const before = { rssMb: rssMb(pid), files: readdirSync(`/proc/${pid}/fd`).length };
  const vitals = await readVitals(pid, file);
  return {
    atS,
    ...before,
    heapMb: vitals.codeMb === undefined ? undefined : vitals.heapMb - vitals.codeMb,
    codeMb: vitals.codeMb,
    externalMb: vitals.isCollected ? vitals.externalMb - vitals.wasmMb : undefined,
    resources: Object.values(vitals.handles).reduce((sum, count) => sum + count, 0),
    timers: vitals.timers,
    p99Ms: vitals.p99Ms,
    worstMs: vitals.worstMs,
    ownP99Ms: vitals.ownP99Ms,
    ownWorstMs: vitals.ownWorstMs,
    faults: vitals.faults,
  };
};

/** How a value at the end compares with the one when everything had warmed up. */
export interface Growth {
  readonly early: number;
  readonly middle: number;
  readonly late: number;
  /** Median of the slopes between all pairs of samples that were taken once it had warmed up (Theil and Sen). */
  readonly perHour: number;
}

const valuesIn = (
  samples: readonly Sample[],
  metric: Metric,
  fromS: number,
  toS: number,
): [number, number][] =>
  samples.flatMap((sample) => {
    const value = sample[metric];
    return value === undefined || sample.atS < fromS || sample.atS > toS
      ? []
      : [[sample.atS, value]];
  });

/** @param partS length of the first part, in which it warms up, of the second one, of the one after half the time, and of the last one */
export const growthOf = (samples: readonly Sample[], metric: Metric, partS: number): Growth => {
  const endS = samples.at(-1)?.atS ?? 0;
  const at = (fromS: number, toS: number): number =>
    median(valuesIn(samples, metric, fromS, toS).map(([, value]) => value));
  const warm = valuesIn(samples, metric, partS, endS);
  const slopes = warm.flatMap(([fromS, from], index) =>
    warm.slice(index + 1).map(([toS, to]) => ((to - from) / (toS - fromS)) * 3_600),
  );
  return {
    early: at(partS, 2 * partS),
    middle: at(endS / 2, endS / 2 + partS),
    late: at(endS - partS, endS),
    perHour: median(slopes),
  };
};
