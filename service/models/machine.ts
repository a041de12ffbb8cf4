import { availableParallelism, totalmem } from 'node:os';
import type { Machine } from '../../src/model/local-models.ts';
import { freeBytesOf } from './disk.ts';

export const thisMachine = async (root: string): Promise<Machine> => {
  const limitBytes = process.constrainedMemory();
  return {
    cores: availableParallelism(),
    memoryBytes: limitBytes > 0 ? Math.min(limitBytes, totalmem()) : totalmem(),
    freeBytes: await freeBytesOf(root),
  };
};

/** Share of real time that a recogniser may work, so that what waits for it does not grow. */
const LOAD = 0.8;

/**
 * Number of people who can be followed at once while they talk without a pause.
 *
 * @param realTimeFactor seconds that recognition takes for a second of sound
 */
export const speakersAt = (realTimeFactor: number): number => Math.floor(LOAD / realTimeFactor);

/** Threads of a recogniser: a chunk of a model that streams is too little work for more than two. */
export const recogniserThreads = (isStreaming: boolean, cores = availableParallelism()): number =>
  Math.min(isStreaming ? 2 : 4, cores);

/** Formats it for people: `follows 2 speakers at once`. */
export const speakersText = (realTimeFactor: number): string => {
  const speakers = speakersAt(realTimeFactor);
  if (speakers === 0) return 'falls behind a speaker who makes no pause';
  return `follows ${speakers} ${speakers === 1 ? 'speaker' : 'speakers at once'}`;
};
