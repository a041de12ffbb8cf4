import type { Clock } from '../../async/clock.ts';
import { countCodePoints } from '../../text/unicode.ts';
import {
  LONGEST_READ_CODE_POINTS,
  longestWaitOf,
  RANKS,
  type SpeechItem,
  type SpeechTurn,
  type DropReason,
} from './speech-item.ts';
import { createLru } from '../../async/lru.ts';

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
    end: () => {
      cancel?.();
      bursts.clear();
    },
  };
};

const MOST_WAITING = 100;

interface Waiting {
  readonly item: SpeechItem;
  readonly addedMs: number;
  readonly startByMs: number;
}

/** True when two items can be spoken in one turn: by one person, in one voice. */
const goTogether = (a: SpeechItem, b: SpeechItem): boolean =>
  a.kind === 'read' &&
  b.kind === 'read' &&
  a.by?.id === b.by?.id &&
  a.readAs === b.readAs &&
  a.voice.named === b.voice.named &&
  a.voice.language === b.voice.language &&
  a.voice.gender === b.voice.gender;

/** Creates a queue in the order in which items will be spoken; `late` receives what comes too late. */
export const createSpeechQueue = (clock: Clock, late: (items: readonly SpeechItem[]) => void) => {
  let queue: Waiting[] = [];
  let cancel: (() => void) | undefined;

  const takeOut = (isOut: (waiting: Waiting) => boolean): SpeechItem[] => {
    const out = queue.filter(isOut).map(({ item }) => item);
    if (out.length > 0) queue = queue.filter((waiting) => !isOut(waiting));
    watch();
    return out;
  };
  /** Drops late items; with a late message, all messages that have waited for half their time. */
  const dropLate = (isReadingLate: boolean): void => {
    const nowMs = clock.nowMs();
    const items = takeOut(({ startByMs }) => startByMs < nowMs);
    // Otherwise every message after it would be spoken just before it is late, for as long as people write.
    if (isReadingLate || items.some(({ kind }) => kind === 'read'))
      items.push(
        ...takeOut(
          ({ item, addedMs, startByMs }) =>
            item.kind === 'read' && nowMs - addedMs > (startByMs - addedMs) / 2,
        ),
      );
    late(items);
  };
  /** Sets the one timer, for the item that will be late first. */
  const watch = (): void => {
    cancel?.();
    const lateMs = Math.min(...queue.map(({ startByMs }) => startByMs));
    const isWatched = queue.length > 0;
    cancel = isWatched ? clock.after(lateMs - clock.nowMs() + 1, () => dropLate(false)) : undefined;
  };

  /** Makes room for one more item: the oldest message that is read aloud is dropped. */
  const makeRoom = (item: SpeechItem): SpeechItem | undefined => {
    if (queue.length < MOST_WAITING) return undefined;
    const oldest = queue.find((waiting) => waiting.item.kind === 'read');
    return oldest ? takeOut((waiting) => waiting === oldest)[0] : item;
  };

  return {
    /** Adds an item; returns the one that was dropped for it, perhaps itself. */
    add: (item: SpeechItem): SpeechItem | undefined => {
      const gone = makeRoom(item);
      if (gone === item) return gone;
      const addedMs = clock.nowMs();
      const startByMs = addedMs + longestWaitOf(item);
      const behind = queue.findIndex((waiting) => RANKS[waiting.item.kind] > RANKS[item.kind]);
      queue.splice(behind < 0 ? queue.length : behind, 0, { item, addedMs, startByMs });
      watch();
      return gone;
    },
    /** Takes the first item with the items of the same person right after it, as far as they fit. */
    take: (): SpeechTurn | undefined => {
      const [first] = queue;
      if (!first) return undefined;
      let count = 1;
      let codePoints = countCodePoints(first.item.text);
      let { startByMs } = first;
      for (const next of queue.slice(1)) {
        codePoints += countCodePoints(next.item.text);
        if (!goTogether(first.item, next.item) || codePoints > LONGEST_READ_CODE_POINTS) break;
        startByMs = Math.min(startByMs, next.startByMs);
        count += 1;
      }
      const taken = queue.splice(0, count);
      watch();
      return {
        items: [first.item, ...taken.slice(1).map(({ item }) => item)],
        text: taken.map(({ item }) => item.text).join('\n'),
        startByMs,
      };
    },
    /** Notes that a taken item was late; messages that it would have delayed are dropped. */
    fellBehind: dropLate,
    remove: (isOut: (item: SpeechItem) => boolean): SpeechItem[] =>
      takeOut(({ item }) => isOut(item)),
    rank: (): number | undefined => queue[0] && RANKS[queue[0].item.kind],
    waiting: (): readonly SpeechItem[] => queue.map(({ item }) => item),
  };
};
