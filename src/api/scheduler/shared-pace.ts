import type { Clock } from '../../async/clock.ts';
import type { Lane } from '../../model/lane.ts';
import type { SharedStates } from '../../ports/shared-states.ts';
import { AHEAD_MS, enterReport, type PaceAnswer, type PaceReport } from './pace-book.ts';
import { newPaceState } from './pace-state.ts';
import { createPace, type Pace } from './pace.ts';

/** Requests that wait for the pace: how many, and the most urgent lane, which leaves a share of a burst. */
export interface PaceDemand {
  readonly count: number;
  readonly lane: Lane;
  readonly reserve: number;
}

/** The pace as a scheduler uses it. */
export interface RequestPace extends Omit<Pace, 'state' | 'unsent' | 'forgetRefusals'> {
  /** Notes what waits, each time that this changes. */
  readonly wants?: (demand: PaceDemand) => void;
}

/** A pace that processes keep together. */
export interface SharedPace extends RequestPace {
  /** Another process has news of the pace. */
  readonly hear: () => void;
}

export interface SharedPaceDeps {
  readonly states: SharedStates;
  /** Name of the pace among the states, and of this process. */
  readonly name: string;
  readonly by: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called when more may be sent than was known. */
  readonly changed: () => void;
}

/** Weights of processes that want turns, by their most urgent lane. */
const WEIGHTS: Readonly<Record<Lane, number>> = { live: 8, interactive: 4, ambient: 2, batch: 1 };
/** Time for which a turn may be used after its moment. */
const LATE_MS = 250;
/** Longest wait for the database, and time between two tries while it is away. */
const ANSWER_MS = 1_000;
const AGAIN_MS = 1_000;
/** Least time between two asks for turns. */
const LEAST_MS = 20;
/** Wait after a refusal that names none, until the others' answer. */
const UNTOLD_MS = 1_000;
const MOST_REFUSALS = 64;

interface Refusal {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly toldMs: number | undefined;
}

/**
 * Creates a pace that all processes on one database keep together, in a book that one of them at a time
 * changes: each reports what it sent and was refused, and is given turns ahead of need. While no limit is
 * known, nothing is asked. While the database is away, each goes on with its last portion.
 */
export const createSharedPace = (deps: SharedPaceDeps): SharedPace => {
  const { states, name, by, clock, random, changed } = deps;
  const { nowMs } = clock;
  /** Decides while no limit is known, and while the database is away. */
  let own = createPace();
  /** The last answer, while it decides. */
  let together: PaceAnswer | undefined;
  let era = 0;
  let eraSinceMs = -Infinity;
  /** Moments of the turns that this process has. */
  let turnsMs: number[] = [];
  let pausedUntilMs = -Infinity;
  let aheadAtMs = -Infinity;
  let nextTurnMs = -Infinity;
  let demand: PaceDemand = { count: 0, lane: 'interactive', reserve: 0 };

  let sentAhead = 0;
  let unused = 0;
  let isAccepted = false;
  let refusals: Refusal[] = [];

  let isAsking = false;
  let asksAgain = false;
  let isAway = false;
  let askAtMs = -Infinity;
  let cancelAsk: (() => void) | undefined;

  const dropLate = (now: number): void => {
    const kept = turnsMs.filter((turnMs) => turnMs >= now - LATE_MS);
    unused += turnsMs.length - kept.length;
    turnsMs = kept;
  };

  const takeReport = (): PaceReport => {
    const now = nowMs();
    dropLate(now);
    const report: PaceReport = {
      by,
      nowMs: now,
      wanted: Math.max(0, demand.count - turnsMs.length),
      weight: WEIGHTS[demand.lane],
      reserve: demand.reserve,
      held: turnsMs.length,
      era,
      sentAhead,
      unused,
      isAccepted,
      refusals: refusals.map(({ atMs, sentAtMs, toldMs }) => ({
        agoMs: now - atMs,
        sentAgoMs: now - sentAtMs,
        toldMs,
        isInformed: sentAtMs >= eraSinceMs,
      })),
      wasAway: isAway,
      own: own.state(),
    };
    sentAhead = 0;
    unused = 0;
    isAccepted = false;
    refusals = [];
    return report;
  };

  /** Goes on alone, with the last portion. */
  const part = (): void => {
    isAway = true;
    askAtMs = nowMs() + AGAIN_MS;
    if (!together) return;
    const { portion } = together;
    const limit = portion && { rate: portion, drop: 0, isMeasured: true };
    own = createPace({
      ...newPaceState(),
      limit: limit || undefined,
      countedMs: nowMs(),
      sentMs: nowMs(),
      pausedUntilMs,
    });
    together = undefined;
    turnsMs = [];
    changed();
  };

  const take = (answer: PaceAnswer, wanted: number): void => {
    const now = nowMs();
    const isLate = isAway;
    isAway = false;
    if (answer.era !== era) {
      era = answer.era;
      eraSinceMs = now;
      turnsMs = [];
      unused = 0;
    }
    askAtMs = now;
    if (answer.perSecond === undefined) {
      if (together) own = createPace();
      together = undefined;
      return;
    }
    // What was refused meanwhile is reported next.
    if (refusals.length === 0) own = createPace();
    together = answer;
    pausedUntilMs = Math.max(now + answer.pauseMs, refusals.length > 0 ? pausedUntilMs : 0);
    nextTurnMs = now + answer.nextInMs;
    const given = answer.turnsInMs.map((inMs) => now + inMs);
    if (isLate) unused += given.length;
    else turnsMs.push(...given);
    if (given.length >= wanted) return;
    const middleMs = turnsMs[turnsMs.length >> 1];
    const beforeMs = AHEAD_MS * (0.25 + random() / 2);
    askAtMs = Math.max(now + LEAST_MS, middleMs ?? nextTurnMs - beforeMs);
  };

  const ask = (): void => {
    if (isAsking) {
      asksAgain = true;
      return;
    }
    isAsking = true;
    asksAgain = false;
    const report = takeReport();
    const cancelLate = clock.after(ANSWER_MS, part);
    const end = (): void => {
      cancelLate();
      isAsking = false;
      changed();
      if (asksAgain && !isAway) ask();
    };
    states
      .change(name, (text, storeMs) => enterReport(text, storeMs, report))
      .then((answer) => take(answer, report.wanted), part)
      .then(end, end);
  };

  /** Asks for turns, now or when it is time. */
  const askInTime = (): void => {
    cancelAsk?.();
    cancelAsk = undefined;
    const isWanting = together ? demand.count > turnsMs.length : isAway && demand.count > 0;
    if (!isWanting || isAsking) return;
    const waitMs = askAtMs - nowMs();
    if (waitMs <= 0) ask();
    else cancelAsk = clock.after(Math.ceil(waitMs), askInTime);
  };

  ask();
  return {
    waitMs: (now, reserve = 0) => {
      if (!together) return own.waitMs(now, reserve);
      if (pausedUntilMs > now) return pausedUntilMs - now;
      dropLate(now);
      const [turnMs] = turnsMs;
      if (turnMs !== undefined) return Math.max(0, turnMs - now);
      // One request does not wait for the database; the others learn of it.
      const mayGoAhead = reserve === 0 && !together.isPressed && now >= aheadAtMs;
      return mayGoAhead && now >= nextTurnMs ? 0 : Math.max(LEAST_MS, nextTurnMs - now);
    },
    sent: (now, isPressed) => {
      if (!together) {
        own.sent(now, isPressed);
        return;
      }
      if (turnsMs.shift() !== undefined) return;
      sentAhead += 1;
      aheadAtMs = now + Math.max(AHEAD_MS, 1_000 / (together.perSecond ?? 1));
      ask();
    },
    accepted: () => {
      own.accepted();
      isAccepted = true;
    },
    refused: (now, sentAtMs, toldMs) => {
      own.refused(now, sentAtMs, toldMs);
      pausedUntilMs = Math.max(pausedUntilMs, now + (toldMs ?? UNTOLD_MS));
      if (isAway) return;
      if (refusals.length < MOST_REFUSALS) refusals.push({ atMs: now, sentAtMs, toldMs });
      ask();
    },
    wants: (wanted) => {
      const isUrgent = wanted.count > 0 && wanted.reserve < demand.reserve;
      demand = wanted.count > 0 ? wanted : { ...demand, count: 0 };
      if (isUrgent && !isAway) askAtMs = nowMs();
      askInTime();
    },
    hear: ask,
    perSecond: () => together?.portion ?? own.perSecond(),
  };
};
