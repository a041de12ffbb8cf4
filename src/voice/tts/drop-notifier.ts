import type { Clock } from '../../async/clock.ts';
import type { DropReason, SpeechItem } from './speech-item.ts';

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
