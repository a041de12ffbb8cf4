import { createLru } from '../../async/lru.ts';
import type { Clock } from '../../async/clock.ts';
import type { DropReason, SpeechItem } from './speech-item.ts';

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

/** What is dropped within this time is told at once: one note in the room, not one for each item. */
const BURST_MS = 1_000;

export interface DropNotifier {
  add(items: readonly SpeechItem[], reason: DropReason): void;
  /** Tells nothing any more. */
  end(): void;
}

export const createDropNotifier = (
  clock: Clock,
  tell: (items: readonly SpeechItem[], reason: DropReason) => void,
): DropNotifier => {
  const bursts = new Map<DropReason, SpeechItem[]>();
  let cancel: (() => void) | undefined;
  const flush = (): void => {
    cancel = undefined;
    const told = [...bursts];
    bursts.clear();
    for (const [reason, items] of told) tell(items, reason);
  };
  return {
    add: (items, reason) => {
      if (items.length === 0) return;
      bursts.set(reason, [...(bursts.get(reason) ?? []), ...items]);
      cancel ??= clock.after(BURST_MS, flush);
    },
    end: () => {
      cancel?.();
      bursts.clear();
    },
  };
};
