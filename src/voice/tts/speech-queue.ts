import type { Clock } from '../../async/clock.ts';
import { countCodePoints } from '../../text/unicode.ts';
import {
  LONGEST_READ_CODE_POINTS,
  longestWaitOf,
  spokenMs,
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
/** Waiting speech that can still be spoken in time, with its announcements. */
const FLOOD_MS = 12_000;
/** Fewest waiting messages of a flood: fewer are spoken in order. */
const FLOOD_MESSAGES = 6;
/** Longest turn in a flood: what is written meanwhile must not wait for long. */
const FLOOD_TURN_MS = 6_000;
/** Time of a short announcement, and of the pause before it. */
const LEAD_MS = 700;

interface Waiting {
  readonly item: SpeechItem;
  readonly addedMs: number;
  readonly startByMs: number;
}

const authorOf = ({ item }: Waiting): string => item.by?.id ?? '';

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
  /** Number of the last turn of each author. */
  const turns = createLru<string, number>(MOST_PEOPLE);
  let turn = 0;

  const takeOut = (isOut: (waiting: Waiting) => boolean): SpeechItem[] => {
    const out = queue.filter(isOut).map(({ item }) => item);
    if (out.length > 0) queue = queue.filter((waiting) => !isOut(waiting));
    return out;
  };
  /** Sets the one timer, for the item that will be late first. */
  const watch = (): void => {
    cancel?.();
    cancel = undefined;
    if (queue.length === 0) return;
    const lateMs = Math.min(...queue.map(({ startByMs }) => startByMs));
    cancel = clock.after(lateMs - clock.nowMs() + 1, () => {
      const nowMs = clock.nowMs();
      const expired = takeOut(({ startByMs }) => startByMs < nowMs);
      watch();
      late(expired);
    });
  };

  /** Makes room for one more item: the oldest message that is read aloud is dropped. */
  const makeRoom = (item: SpeechItem): SpeechItem | undefined => {
    if (queue.length < MOST_WAITING) return undefined;
    const oldest = queue.find((waiting) => waiting.item.kind === 'read');
    return oldest ? takeOut((waiting) => waiting === oldest)[0] : item;
  };

  const isRead = ({ item }: Waiting): boolean => item.kind === 'read';

  /** True when messages can hardly all be spoken in time. */
  const isFlooded = (): boolean => {
    const nowMs = clock.nowMs();
    const reads = queue.filter(isRead);
    if (reads.length < FLOOD_MESSAGES) return false;
    const ms = reads.reduce((sum, { item }) => sum + spokenMs(item.text), 0);
    const isSlow = reads.some(
      ({ addedMs, startByMs }) => nowMs - addedMs > (startByMs - addedMs) / 2,
    );
    return ms > FLOOD_MS || isSlow;
  };

  /** The length of a turn with which everybody has one in time, after what is spoken now. */
  const turnMs = (reads: readonly Waiting[], authors: number): number => {
    const newest = new Map(reads.map((one) => [authorOf(one), one.startByMs]));
    const leftMs = Math.min(...newest.values()) - clock.nowMs();
    return Math.min(FLOOD_TURN_MS, leftMs / (authors + 1) - LEAD_MS);
  };

  /** The newest lines of one person that fit into a turn, by half at least; oldest first. */
  const newestOf = (own: readonly Waiting[], mostMs: number): readonly Waiting[] => {
    const taken: Waiting[] = [];
    let ms = 0;
    let codePoints = 0;
    for (const one of own.toReversed()) {
      const oneMs = spokenMs(one.item.text);
      ms += oneMs;
      codePoints += countCodePoints(one.item.text);
      const isFull = ms - oneMs / 2 > mostMs || codePoints > LONGEST_READ_CODE_POINTS;
      if (taken[0] && (isFull || !goTogether(one.item, taken[0].item))) break;
      taken.unshift(one);
    }
    return taken;
  };

  /** Takes the newest lines of who has waited longest for a turn; that person's older ones are dropped. */
  const takeFair = (): readonly Waiting[] => {
    const reads = queue.filter(isRead);
    const authors = [...new Set(reads.map(authorOf))];
    const next = authors.toSorted((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0))[0]!;
    const own = reads.filter((one) => authorOf(one) === next);
    const taken = newestOf(own, turnMs(reads, authors.length));
    late(
      takeOut((one) => own.includes(one)).filter((item) => !taken.some((one) => one.item === item)),
    );
    return taken;
  };

  /** Takes the first item with the items of the same person right after it, as far as they fit. */
  const takeFirst = (first: Waiting): readonly Waiting[] => {
    let count = 1;
    let codePoints = countCodePoints(first.item.text);
    for (const next of queue.slice(1)) {
      codePoints += countCodePoints(next.item.text);
      if (!goTogether(first.item, next.item) || codePoints > LONGEST_READ_CODE_POINTS) break;
      count += 1;
    }
    return queue.splice(0, count);
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
    /** Takes the next turn: in order, or in a flood of messages one person after another. */
    take: (): SpeechTurn | undefined => {
      const [head] = queue;
      if (!head) return undefined;
      const isFlood = isRead(head) && isFlooded();
      const [first = head, ...others] = isFlood ? takeFair() : takeFirst(head);
      const taken = [first, ...others];
      if (isRead(first)) turns.set(authorOf(first), (turn += 1));
      watch();
      return {
        items: [first.item, ...others.map(({ item }) => item)],
        text: taken.map(({ item }) => item.text).join('\n'),
        isBrief: isFlood,
        startByMs: Math.min(...taken.map(({ startByMs }) => startByMs)),
      };
    },
    remove: (isOut: (item: SpeechItem) => boolean): SpeechItem[] => {
      const removed = takeOut(({ item }) => isOut(item));
      watch();
      return removed;
    },
    rank: (): number | undefined => queue[0] && RANKS[queue[0].item.kind],
    waiting: (): readonly SpeechItem[] => queue.map(({ item }) => item),
  };
};
