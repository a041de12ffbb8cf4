import type { RawMessage } from './message-reader.ts';
import { createLru } from '../../../src/async/lru.ts';

/** Knows the newest version of each message: events change their places, and a RESUME repeats them. */
export interface LastTold {
  /** Notes a version of a message, and tells which is the newest: this one, or one before. */
  note(raw: Pick<RawMessage, 'id' | 'edited_timestamp'>): 'this' | 'before' | 'gone';
  gone(ids: readonly string[]): void;
}

const MESSAGES = 5_000;

export const createLastTold = (): LastTold => {
  /** The time at which each was edited last, ms since 1970; 0 as it was written, `Infinity` once it is deleted. */
  const edited = createLru<string, number>(MESSAGES);

  return {
    note: ({ id, edited_timestamp: at }) => {
      const before = edited.get(id) ?? 0;
      const now = at ? Date.parse(at) : 0;
      edited.set(id, Math.max(before, now));
      if (before === Infinity) return 'gone';
      return now < before ? 'before' : 'this';
    },
    gone: (ids) => {
      for (const id of ids) edited.set(id, Infinity);
    },
  };
};
