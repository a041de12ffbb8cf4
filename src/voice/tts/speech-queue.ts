import { type Clock } from '../../async/clock.ts';
import { countCodePoints } from '../../text/unicode.ts';
import {
  LONGEST_READ_CODE_POINTS,
  longestWaitOf,
  RANKS,
  type SpeechItem,
  type SpeechTurn,
} from './speech-item.ts';

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

const MOST_WAITING = 100;

interface Waiting {
  readonly item: SpeechItem;
  readonly addedMs: number;
  readonly startByMs: number;
}

/** What waits to be spoken in a room, in the order in which it will be. Knows no timers. */
export interface SpeechQueue {
  /** The item that had to go for it, or the item itself, where too much waits. */
  add(item: SpeechItem, nowMs: number): SpeechItem | undefined;
  /** The first item with those of the same person right behind it, as far as they fit. */
  take(): SpeechTurn | undefined;
  /**
   * Takes out what is too late by now. With chatter that is late, in the line or out of it already, all
   * goes that has waited for half its time.
   */
  takeLate(nowMs: number, isChatterLate?: boolean): SpeechItem[];
  /** Takes out what is not to be spoken any more. */
  takeBack(isOut: (item: SpeechItem) => boolean): SpeechItem[];
  /** When something will be too late. */
  nextLateMs(): number | undefined;
  /** Of the first item. */
  rank(): number | undefined;
  waiting(): readonly SpeechItem[];
}

/** Whether both can be spoken in one go: by one person, in one voice. */
const goTogether = (a: SpeechItem, b: SpeechItem): boolean =>
  a.kind === 'read' &&
  b.kind === 'read' &&
  a.by?.id === b.by?.id &&
  a.readAs === b.readAs &&
  a.wish.named === b.wish.named &&
  a.wish.language === b.wish.language &&
  a.wish.gender === b.wish.gender;

export const createSpeechQueue = (): SpeechQueue => {
  let line: Waiting[] = [];

  const takeOut = (isOut: (waiting: Waiting) => boolean): SpeechItem[] => {
    const out = line.filter(isOut).map(({ item }) => item);
    if (out.length > 0) line = line.filter((waiting) => !isOut(waiting));
    return out;
  };

  /** Room for one more: chatter gives way, the oldest first. */
  const makeRoom = (item: SpeechItem): SpeechItem | undefined => {
    if (line.length < MOST_WAITING) return undefined;
    const oldest = line.find((waiting) => waiting.item.kind === 'read');
    return oldest ? takeOut((waiting) => waiting === oldest)[0] : item;
  };

  return {
    add: (item, nowMs) => {
      const gone = makeRoom(item);
      if (gone === item) return gone;
      const startByMs = nowMs + longestWaitOf(item);
      const behind = line.findIndex((waiting) => RANKS[waiting.item.kind] > RANKS[item.kind]);
      const at = behind < 0 ? line.length : behind;
      line.splice(at, 0, { item, addedMs: nowMs, startByMs });
      return gone;
    },
    take: () => {
      const [first] = line;
      if (!first) return undefined;
      let count = 1;
      let codePoints = countCodePoints(first.item.text);
      let { startByMs } = first;
      for (const next of line.slice(1)) {
        codePoints += countCodePoints(next.item.text);
        if (!goTogether(first.item, next.item) || codePoints > LONGEST_READ_CODE_POINTS) break;
        startByMs = Math.min(startByMs, next.startByMs);
        count += 1;
      }
      const taken = line.splice(0, count);
      return {
        items: [first.item, ...taken.slice(1).map(({ item }) => item)],
        text: taken.map(({ item }) => item.text).join('\n'),
        startByMs,
      };
    },
    takeLate: (nowMs, isChatterLate = false) => {
      const late = takeOut(({ startByMs }) => startByMs < nowMs);
      if (!isChatterLate && !late.some(({ kind }) => kind === 'read')) return late;
      // Otherwise everything after it would be spoken just before it is late, for as long as people write.
      const nearly = takeOut(
        ({ item, addedMs, startByMs }) =>
          item.kind === 'read' && nowMs - addedMs > (startByMs - addedMs) / 2,
      );
      return [...late, ...nearly];
    },
    takeBack: (isOut) => takeOut(({ item }) => isOut(item)),
    nextLateMs: () =>
      line.length > 0 ? Math.min(...line.map(({ startByMs }) => startByMs)) : undefined,
    rank: () => line[0] && RANKS[line[0].item.kind],
    waiting: () => line.map(({ item }) => item),
  };
};
