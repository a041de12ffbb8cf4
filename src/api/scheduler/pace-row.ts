import type { StateChange } from '../../ports/store.ts';
import { createPace, shiftPaceState, type Pace, type PaceState } from './pace.ts';

/** Time after which a process that reported waiting requests has no portion any more. */
const COUNTED_MS = 1_250;
/** Time in which each process has learnt of a refusal. */
const KNOWN_MS = 50;
/** Least time in which several begin again after it. */
const ROUND_MS = 500;
/** Share of a second's portion that a process leaves out at once for what others sent. */
const MOST_OWED = 0.5;

/** A refusal (429) that a process met. */
export interface MetRefusal {
  /** Time since the refused request was sent, and since its refusal. */
  readonly sentAgoMs: number;
  readonly agoMs: number;
  /** Wait that the service named. */
  readonly waitMs: number | undefined;
}

/** A process's report of what it has done since the last one. Times are by its own clock. */
export interface PaceReport {
  readonly by: string;
  readonly nowMs: number;
  /** Parts of the rate that it gets, and whether requests wait for the pace. */
  readonly parts: number;
  readonly isWaiting: boolean;
  readonly sent: number;
  /** True when the service accepted a request. */
  readonly isAccepted: boolean;
  readonly refusals: readonly MetRefusal[];
  /** True when an earlier report did not reach the database. */
  readonly wasAway: boolean;
  /** The pace that the process learnt by itself, before it knew of a shared one. */
  readonly own: PaceState | undefined;
}

/** The portion that a process gets, and what it has to respect. */
export interface PaceAnswer {
  /** Number of the refusals that were news. */
  readonly era: number;
  /** Requests a second of all processes, the burst of all, and the share of this one. */
  readonly perSecond: number;
  readonly depth: number;
  readonly share: number;
  /** Number of processes that begin before this one after a pause. */
  readonly place: number;
  /** Time for which nothing may be sent. */
  readonly pauseMs: number;
  /** True while the service takes nothing: an answer is news. */
  readonly isAway: boolean;
  /** Requests to leave out, since processes without a portion sent as many. */
  readonly owed: number;
}

/** A process whose requests wait. */
interface Waiting {
  readonly parts: number;
  /** Share of the rate that it was given. */
  readonly share: number;
  /** Time of its last report. */
  readonly sinceMs: number;
  /** Requests since then that are counted already, as far as they could be estimated. */
  readonly counted: number;
}

/** The row of one endpoint with one key: the knowledge of all processes. Times are by the database’s clock. */
interface PaceRow {
  readonly pace: PaceState;
  readonly era: number;
  /** The processes that have a portion, by name. */
  readonly waiting: Readonly<Record<string, Waiting>>;
  /** Requests by which all have sent more than the rate, as shares were given at different times; less: negative. */
  readonly owed: number;
  readonly changedMs: number;
}

/** The processes that wait, without the one that reports. */
type Others = readonly (readonly [name: string, Waiting])[];

/** The sum of the parts that processes get. */
const partsOf = (others: Others): number => others.reduce((sum, [, { parts }]) => sum + parts, 0);

const read = (text: string): PaceRow => {
  const row = JSON.parse(text) as PaceRow;
  // JSON has no infinity.
  return { ...row, pace: { ...row.pace, promisedMs: row.pace.promisedMs ?? Infinity } };
};

/** Requests that are owed, as the shares that were given at different times are not 1 in sum. */
const owedBy = ({ owed, waiting, changedMs, pace }: PaceRow, perSecond: number, nowMs: number) => {
  const shares = Object.values(waiting).map(({ share }) => share);
  if (shares.length === 0) return owed;
  const passedMs = Math.max(0, nowMs - Math.max(changedMs, pace.pausedUntilMs));
  const more = shares.reduce((sum, share) => sum + share, -1);
  return owed + (more * perSecond * passedMs) / 1_000;
};

/** Counts what the others are likely to have sent since their last reports, as the measure needs it at a refusal. */
const countAhead = (pace: Pace, others: Others, allParts: number, nowMs: number): Others =>
  others.map(([name, other]) => {
    const fromMs = Math.max(other.sinceMs, pace.state().pausedUntilMs);
    const perMs = ((other.parts / allParts) * (pace.perSecond() ?? 0)) / 1_000;
    const more = Math.max(0, nowMs - fromMs) * perMs;
    return [name, { ...other, sinceMs: nowMs, counted: other.counted + more }];
  });

/** Notes what was refused; returns the others with what was counted ahead where a refusal is news. */
const noteRefusals = (
  pace: Pace,
  others: Others,
  { refusals, parts }: PaceReport,
  nowMs: number,
): { readonly others: Others; readonly isNews: boolean } => {
  // While each begins again, another refusal says nothing new.
  const roundMs = Math.max(ROUND_MS, ((others.length + 1) * 1_000) / (pace.perSecond() ?? 1));
  const settledMs = pace.state().refusedMs + (others.length > 0 ? roundMs : KNOWN_MS);
  const isNews = refusals.some(({ sentAgoMs }) => nowMs - sentAgoMs >= settledMs);
  const ahead = isNews ? countAhead(pace, others, partsOf(others) + parts, nowMs) : others;
  const more = ahead.reduce((sum, [, { counted }]) => sum + counted, 0);
  if (isNews) pace.sent(nowMs, true, more, 0);
  for (const [index, { waitMs, agoMs, sentAgoMs }] of refusals.entries()) {
    const leftMs = waitMs === undefined ? undefined : Math.max(0, waitMs - agoMs);
    pace.refused(nowMs, nowMs - sentAgoMs - KNOWN_MS, leftMs, isNews && index === 0);
  }
  // The next probe is sent in turn.
  return { others: ahead, isNews: isNews || (refusals.length > 0 && pace.isAway()) };
};

/** Notes what a process did. */
const noteReport = (
  pace: Pace,
  row: PaceRow,
  others: Others,
  report: PaceReport,
  nowMs: number,
) => {
  // Nobody knows how much was accepted since.
  if (report.wasAway) pace.forgetRefusals();
  const sent = report.sent - (row.waiting[report.by]?.counted ?? 0);
  const isPressed = report.isWaiting || others.length > 0;
  if (sent !== 0 || report.sent > 0) pace.sent(nowMs, isPressed, sent, report.sent);
  if (report.isAccepted) pace.accepted(nowMs);
  return noteRefusals(pace, others, report, nowMs);
};

const answerFor = (
  pace: Pace,
  {
    row,
    others,
    isNews,
    isBack = false,
  }: {
    readonly row: PaceRow;
    readonly others: Others;
    readonly isNews: boolean;
    readonly isBack?: boolean;
  },
  { by, parts, isWaiting, sent }: PaceReport,
  nowMs: number,
): StateChange<PaceAnswer> => {
  const share = parts / (partsOf(others) + parts);
  const perSecond = pace.perSecond() ?? 0;
  const isPressed = isWaiting || others.length > 0;
  const unsettled = isNews ? 0 : owedBy(row, perSecond, nowMs) + (isWaiting ? 0 : sent);
  const most = perSecond * share * MOST_OWED;
  const owed = isWaiting ? Math.max(-most, Math.min(most, unsettled)) : 0;
  const state = pace.state();
  const own: Waiting = { parts, share, sinceMs: nowMs, counted: 0 };
  const next: PaceRow = {
    pace: state,
    era: isNews ? row.era + 1 : row.era,
    waiting: Object.fromEntries(isWaiting ? [...others, [by, own] as const] : others),
    owed: isPressed ? unsettled - owed : 0,
    changedMs: nowMs,
  };
  const place = others.filter(([name]) => !isWaiting || name < by).length;
  const pauseMs = Math.max(0, state.pausedUntilMs - nowMs);
  return {
    state: JSON.stringify(next),
    isNews: isNews || isBack,
    result: {
      era: next.era,
      perSecond,
      depth: state.depth,
      share,
      place,
      pauseMs,
      isAway: pace.isAway(),
      owed,
    },
  };
};

/**
 * Enters a process's report into a row; the result is undefined while no limit is known.
 *
 * @param text the row as it was; undefined: none is stored
 */
export const enterReport = (
  text: string | undefined,
  nowMs: number,
  report: PaceReport,
): StateChange<PaceAnswer | undefined> => {
  const known = text === undefined ? undefined : read(text);
  const pace = createPace(known?.pace);
  // This forgets a limit that stood for nothing.
  pace.waitMs(nowMs);
  if (known && pace.perSecond() !== undefined) {
    const others = Object.entries(known.waiting).filter(
      ([name, { sinceMs }]) => sinceMs + COUNTED_MS > nowMs && name !== report.by,
    );
    const wasAway = pace.isAway();
    const noted = noteReport(pace, known, others, report, nowMs);
    const isBack = wasAway && !pace.isAway();
    const isKnown = pace.perSecond() !== undefined;
    return isKnown
      ? answerFor(pace, { row: known, ...noted, isBack }, report, nowMs)
      : {
          state: JSON.stringify({ ...known, pace: pace.state() }),
          isNews: isBack,
          result: undefined,
        };
  }
  const learnt = report.own && createPace(shiftPaceState(report.own, nowMs - report.nowMs));
  if (learnt?.perSecond() === undefined) return { result: undefined };
  const era = known?.era ?? 0;
  const row = { pace: learnt.state(), era, waiting: {}, owed: 0, changedMs: nowMs };
  return answerFor(learnt, { row, others: [], isNews: true }, report, nowMs);
};
