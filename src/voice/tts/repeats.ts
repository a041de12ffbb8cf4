import { createLru } from '../../async/lru.ts';
import type { SpeechItem } from './speech-item.ts';

const MOST_PEOPLE = 100;
/** The same words after so long are no spam. */
const FORGOTTEN_MS = 60_000;
/** Twice is for emphasis. */
const MOST_IN_A_ROW = 2;

/** Tells, of each item that people write, whether they said the same twice just before. */
export const createRepeats = (): ((item: SpeechItem, nowMs: number) => boolean) => {
  const last = createLru<string, { text: string; count: number; atMs: number }>(MOST_PEOPLE);
  return ({ kind, by, text }, nowMs) => {
    if (kind !== 'read' || !by) return false;
    const before = last.get(by.id);
    const isSame = before?.text === text && nowMs - before.atMs <= FORGOTTEN_MS;
    const count = isSame ? before.count + 1 : 1;
    last.set(by.id, { text, count, atMs: nowMs });
    return count > MOST_IN_A_ROW;
  };
};
