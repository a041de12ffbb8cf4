import type { StateChange } from '../../ports/shared-states.ts';
import { createPace, type Pace } from './pace.ts';
import { shiftPaceState, type PaceState } from './pace-state.ts';

/** Time for which turns are given ahead. */
export const AHEAD_MS = 500;
/** The same for the first turn of a process that has none, where turns are rare. */
const FIRST_AHEAD_MS = 5_000;
/** Time after which a process that asked for turns counts no more. */
const COUNTED_MS = 2 * AHEAD_MS;
/** Most turns that are given at once. */
const MOST_TURNS = 64;

/** A refusal (429) that a process met. */
export interface MetRefusal {
  /** Time since the refused request was sent, and since its refusal. */
  readonly sentAgoMs: number;
  readonly agoMs: number;
  readonly toldMs: number | undefined;
  /** True when it was sent after the process knew of the last refusal that others met. */
  readonly isInformed: boolean;
}

/** A process's report of what it has done since the last one, and of what it wants. Times are by its own clock. */
export interface PaceReport {
  /** Name of the process. */
  readonly by: string;
  readonly nowMs: number;
  /** Requests that wait for a turn, how much they count, and the share of a burst that they leave. */
  readonly wanted: number;
  readonly weight: number;
  readonly reserve: number;
  /** Turns that the process still has. */
  readonly held: number;
  /** The era of the last answer. */
  readonly era: number;
  /** Requests sent ahead of a turn, and turns of this era that were not used. */
  readonly sentAhead: number;
  readonly unused: number;
  /** True when the service accepted a request. */
  readonly isAccepted: boolean;
  readonly refusals: readonly MetRefusal[];
  /** True when it has sent what is not told here, for the database was away. */
  readonly wasAway: boolean;
  /** The pace that the process learnt by itself. */
  readonly own: PaceState;
}

/** The turns that a process is given, and what it should know. */
export interface PaceAnswer {
  /** Number of the refusals that were news: turns of an earlier era are void. */
  readonly era: number;
  /** Requests a second of all processes, and of this one; undefined while no limit is known. */
  readonly perSecond: number | undefined;
  readonly portion: number | undefined;
  /** Time for which nothing may be sent. */
  readonly pauseMs: number;
  /** Times until the turns. */
  readonly turnsInMs: readonly number[];
  /** Time until the first turn that nobody has. */
  readonly nextInMs: number;
  /** True when requests wait for the pace. */
  readonly isPressed: boolean;
}

/** A process that wanted turns lately. */
interface Asking {
  readonly weight: number;
  readonly untilMs: number;
  /** True when it wanted more turns than it was given. */
  readonly isUnmet: boolean;
}

/** The knowledge of all processes of one endpoint with one key. Times are by the database's clock. */
interface PaceBook {
  readonly pace: PaceState;
  readonly era: number;
  /** Times of the turns that are still to come. */
  readonly turnsMs: readonly number[];
  readonly asking: Readonly<Record<string, Asking>>;
}

const read = (text: string): PaceBook => {
  const book = JSON.parse(text) as PaceBook;
  // JSON has no infinity.
  return { ...book, pace: { ...book.pace, promisedMs: book.pace.promisedMs ?? Infinity } };
};

/** Notes the refusals; returns the turns that stay, none where one was news. */
const noteRefusals = (
  pace: Pace,
  { era, turnsMs }: PaceBook,
  report: PaceReport,
  nowMs: number,
): Pick<PaceBook, 'era' | 'turnsMs'> => {
  let now = { era, turnsMs };
  for (const { sentAgoMs, toldMs, agoMs, isInformed } of report.refusals) {
    const isKnown = isInformed && report.era === now.era;
    const sentMs = isKnown ? nowMs - sentAgoMs : -Infinity;
    const isNews = sentMs >= pace.state().refusedMs;
    if (isNews) {
      pace.unsent(now.turnsMs.filter((turnMs) => turnMs > nowMs).length);
      now = { era: now.era + 1, turnsMs: [] };
    }
    pace.refused(nowMs, sentMs, toldMs === undefined ? undefined : Math.max(0, toldMs - agoMs));
  }
  return now;
};

/** Gives turns of the next time to a process, at most its share where others want some too. */
const giveTurns = (
  pace: Pace,
  { wanted, reserve, held }: PaceReport,
  nowMs: number,
  { share, isPressed }: { readonly share: number; readonly isPressed: boolean },
) => {
  const perSecond = pace.perSecond() ?? Infinity;
  const part = Math.max(1, Math.round((perSecond * AHEAD_MS * share) / 1_000));
  // An urgent request need not wait for the turns that less urgent ones have.
  const most = Math.min(wanted, MOST_TURNS, Math.max(reserve === 0 ? 1 : 0, part - held));
  const fromMs = Math.max(nowMs, pace.state().pausedUntilMs);
  const given: number[] = [];
  for (;;) {
    const turnMs = fromMs + pace.waitMs(fromMs, reserve);
    const isFirst = held + given.length === 0;
    if (given.length >= most || turnMs > nowMs + (isFirst ? FIRST_AHEAD_MS : AHEAD_MS))
      return { given, nextMs: turnMs };
    pace.sent(turnMs, isPressed || turnMs > nowMs);
    given.push(turnMs);
  }
};

/** The processes that want turns at the moment, with the share of one among them. */
const countAsking = ({ asking }: PaceBook, { by, weight }: PaceReport, nowMs: number) => {
  const now = Object.entries(asking).filter(([, { untilMs }]) => untilMs > nowMs);
  const others = now.filter(([name]) => name !== by);
  const all = others.reduce((sum, [, other]) => sum + other.weight, weight);
  return { others, share: weight / all, isPressed: now.some(([, { isUnmet }]) => isUnmet) };
};

/** The answer while no limit is known. */
const free = (era: number): PaceAnswer => ({
  era,
  perSecond: undefined,
  portion: undefined,
  pauseMs: 0,
  turnsInMs: [],
  nextInMs: 0,
  isPressed: false,
});

/** The book to enter a report into; undefined while no limit is known. */
const bookFor = (known: PaceBook | undefined, report: PaceReport, nowMs: number) => {
  const pace = createPace(known?.pace);
  pace.waitMs(nowMs);
  // What was accepted since a refusal is not known any more after a time in which nothing was told.
  if (known && report.wasAway) pace.forgetRefusals();
  if (known && pace.perSecond() !== undefined) return { pace, book: known, isNew: false };
  if (report.own.limit === undefined) return undefined;
  const learnt = createPace(shiftPaceState(report.own, nowMs - report.nowMs));
  const book = { pace: learnt.state(), era: (known?.era ?? 0) + 1, turnsMs: [], asking: {} };
  return { pace: learnt, book, isNew: true };
};

/**
 * Enters a process's report into the book, and gives it turns.
 *
 * @param text the book as it was; undefined where there is none
 */
export const enterReport = (
  text: string | undefined,
  nowMs: number,
  report: PaceReport,
): StateChange<PaceAnswer> => {
  const known = text === undefined ? undefined : read(text);
  const found = bookFor(known, report, nowMs);
  if (!found) return { result: free(known?.era ?? 0) };
  const { pace, book, isNew } = found;
  const { others, share, isPressed } = countAsking(book, report, nowMs);
  if (report.era === book.era) pace.unsent(report.unused);
  for (let sent = 0; sent < report.sentAhead; sent += 1) pace.sent(nowMs, isPressed);
  if (report.isAccepted) pace.accepted();
  const { era, turnsMs } = isNew ? book : noteRefusals(pace, book, report, nowMs);
  const { given, nextMs } = giveTurns(pace, report, nowMs, { share, isPressed });
  const isUnmet = given.length < report.wanted;
  const untilMs = (isUnmet ? Math.max(nowMs, nextMs) : nowMs) + COUNTED_MS;
  const own: Asking = { weight: report.weight, untilMs, isUnmet };
  const asking = Object.fromEntries(
    report.wanted > 0 ? [...others, [report.by, own] as const] : others,
  );
  const perSecond = pace.perSecond() ?? 0;
  const next: PaceBook = {
    pace: pace.state(),
    era,
    turnsMs: [...turnsMs, ...given].filter((turnMs) => turnMs > nowMs),
    asking,
  };
  return {
    state: JSON.stringify(next),
    isNews: isNew || era > book.era,
    result: {
      era,
      perSecond,
      portion: perSecond * share,
      pauseMs: Math.max(0, next.pace.pausedUntilMs - nowMs),
      turnsInMs: given.map((turnMs) => turnMs - nowMs),
      nextInMs: nextMs - nowMs,
      isPressed: Object.values(asking).some((one) => one.isUnmet),
    },
  };
};
