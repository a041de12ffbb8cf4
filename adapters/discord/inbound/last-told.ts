import type { RawMessage } from './message-reader.ts';
import { createLru } from '../../../src/async/lru.ts';

/** The newest known state of each message: events change their order, and a RESUME repeats them. */
export interface LastTold {
  /** Notes a reported state of a message; returns which is newer: this one or one reported before. */
  note(raw: Pick<RawMessage, 'id' | 'edited_timestamp'>): 'this' | 'before' | 'gone';
  gone(ids: readonly string[]): void;
}

const MESSAGES = 5_000;

export const createLastTold = (): LastTold => {
  /**
   * Time of each message's last edit, ms since 1970; 0 if never edited, `Infinity` once it is
   * deleted.
   */
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
