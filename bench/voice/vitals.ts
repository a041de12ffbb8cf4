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
