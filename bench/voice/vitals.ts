import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** To be loaded into the process that is measured, with VITALS_FILE. */
export const VITALS_MODULE = join(import.meta.dirname, '../vitals.mjs');

/** How a process is, its garbage left out; delays of the event loop since it was asked last. */
export interface Vitals {
  /** False where the heap still has its garbage. */
  readonly isCollected: boolean;
  readonly heapMb: number;
  /** The part of it that is compiled code; absent where the heap still has its garbage. */
  readonly codeMb?: number;
  readonly externalMb: number;
  /** The part of it that WebAssembly has. */
  readonly wasmMb: number;
  readonly rssMb: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** The part of these delays for which the main thread itself was busy, at most. */
  readonly ownP99Ms: number;
  readonly ownWorstMs: number;
  /** That wait. */
  readonly timers: number;
  /** Of WebAssembly. */
  readonly instances: number;
  /** What keeps a process alive, by kind. */
  readonly handles: Readonly<Record<string, number>>;
  /** What nobody caught. */
  readonly faults: readonly string[];
}

const LOOK_EVERY_MS = 50;

export const readVitals = async (pid: number, file: string): Promise<Vitals> => {
  const read = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const { length } = read();
  process.kill(pid, 'SIGUSR2');
  while (read().length === length) await delay(LOOK_EVERY_MS);
  return JSON.parse(read().at(-1)!) as Vitals;
};

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** By how much a value grows from one sample to the next: the slope of the line that fits best. */
export const slopeOf = (values: readonly number[]): number => {
  const meanAt = (values.length - 1) / 2;
  const mean = sum(values) / values.length;
  const along = sum(values.map((value, at) => (at - meanAt) * (value - mean)));
  return along / sum(values.map((_, at) => (at - meanAt) ** 2));
};

export const describeHandles = ({ handles }: Vitals): string =>
  Object.entries(handles)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
