import type { Clock } from '../../async/clock.ts';
import type { SpeechItem } from './speech-item.ts';
import { createSpeechQueue, type SpeechQueue } from './speech-queue.ts';

/** A line that what is late leaves by itself. */
export interface ExpiringQueue extends Omit<SpeechQueue, 'add' | 'takeLate' | 'nextLateMs'> {
  add(item: SpeechItem): SpeechItem | undefined;
  /** Something is late that had left the line: chatter takes along what it would have delayed. */
  fellBehind(isChatter: boolean): void;
}

/** @param late is told of items that are late */
export const createExpiringQueue = (
  clock: Clock,
  late: (items: readonly SpeechItem[]) => void,
): ExpiringQueue => {
  const line = createSpeechQueue();
  let cancel: (() => void) | undefined;

  const dropLate = (isChatterLate: boolean): void => {
    const items = line.takeLate(clock.nowMs(), isChatterLate);
    watch();
    late(items);
  };
  /** One timer, for what is late first. */
  const watch = (): void => {
    cancel?.();
    const lateMs = line.nextLateMs();
    const delayMs = lateMs === undefined ? undefined : lateMs - clock.nowMs() + 1;
    cancel = delayMs === undefined ? undefined : clock.after(delayMs, () => dropLate(false));
  };
  const watched = <Result>(result: Result): Result => {
    watch();
    return result;
  };

  return {
    add: (item) => watched(line.add(item, clock.nowMs())),
    take: () => watched(line.take()),
    takeBack: (isOut) => watched(line.takeBack(isOut)),
    fellBehind: dropLate,
    rank: () => line.rank(),
    waiting: () => line.waiting(),
  };
};
