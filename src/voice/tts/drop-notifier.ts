import { createLru } from '../../async/lru.ts';
import type { Clock } from '../../async/clock.ts';
import type { DropReason, SpeechItem } from './speech-item.ts';

const MOST_PEOPLE = 100;
/** Time after which the same text no longer counts as repeated. */
const FORGOTTEN_MS = 60_000;
/** Most times in a row that one author may write the same text: twice is for emphasis. */
const MOST_IN_A_ROW = 2;

/** Creates a check that finds items whose author wrote the same twice just before. */
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

/** Time within which dropped items are reported together. */
const BURST_MS = 1_000;

export const createDropNotifier = (
  clock: Clock,
  /** Reports dropped items in bursts: one message in the room, not one for each item. */
  report: (items: readonly SpeechItem[], reason: DropReason) => void,
) => {
  const bursts = new Map<DropReason, SpeechItem[]>();
  let cancel: (() => void) | undefined;
  const flush = (): void => {
    cancel = undefined;
    const reported = [...bursts];
    bursts.clear();
    for (const [reason, items] of reported) report(items, reason);
  };
  return {
    add: (items: readonly SpeechItem[], reason: DropReason): void => {
      if (items.length === 0) return;
      bursts.set(reason, [...(bursts.get(reason) ?? []), ...items]);
      cancel ??= clock.after(BURST_MS, flush);
    },
    /** Stops the reports. */
    end: () => {
      cancel?.();
      bursts.clear();
    },
  };
};
