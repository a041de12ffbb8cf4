import type { Clock } from '../../async/clock.ts';
import type { Lane } from '../../model/lane.ts';
import type { SharedStates } from '../../ports/shared-states.ts';
import { createSingleFlight } from './single-flight.ts';
import { createHeldTurns } from './held-turns.ts';
import { AHEAD_MS, enterReport, type PaceAnswer, type PaceReport } from './pace-book.ts';
import { createPaceNews } from './pace-news.ts';
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
/** Longest wait for the database, and time between two tries while it is away. */
const ANSWER_MS = 1_000;
const AGAIN_MS = 1_000;
/** Least time between two asks for turns. */
const LEAST_MS = 20;
/** Wait after a refusal that names none, until the others' answer. */
const UNTOLD_MS = 1_000;

/** The pace of a process that goes on alone with its portion, in requests a second, of a shared one. */
const paceAlone = (portion: number | undefined, nowMs: number, pausedUntilMs: number): Pace =>
  createPace({
    ...newPaceState(),
    limit: portion ? { rate: portion, drop: 0, isMeasured: true } : undefined,
    countedMs: nowMs,
    sentMs: nowMs,
    pausedUntilMs,
  });

/**
 * Creates a pace that all processes on one database keep together, in a book that one of them at a time
 * changes: each reports what it sent and was refused, and is given turns ahead of need. While no limit is
 * known, nothing is asked. While the database is away, each goes on with its last portion.
 */
export const createSharedPace = (deps: SharedPaceDeps): SharedPace => {
  const { states, name, by, clock, random, changed } = deps;
  const { nowMs } = clock;
  const turns = createHeldTurns();
  const news = createPaceNews();
  /** Decides while no limit is known, and while the database is away. */
  let own = createPace();
  /** The last answer, while it decides. */
  let together: PaceAnswer | undefined;
  let era = 0;
  let isAway = false;
  let pausedUntilMs = -Infinity;
  let aheadAtMs = -Infinity;
  let nextTurnMs = -Infinity;
  let demand: PaceDemand = { count: 0, lane: 'interactive', reserve: 0 };

  const dropLate = (now: number): void => news.unused(turns.dropLate(now));

  const takeReport = (): PaceReport => {
    const now = nowMs();
    dropLate(now);
    return {
      by,
      nowMs: now,
      wanted: Math.max(0, demand.count - turns.count()),
      weight: WEIGHTS[demand.lane],
      reserve: demand.reserve,
      held: turns.count(),
      era,
      ...news.take(now),
      wasAway: isAway,
      own: own.state(),
    };
  };

  const goAlone = (): void => {
    isAway = true;
    asking.notBefore(nowMs() + AGAIN_MS);
    if (!together) return;
    own = paceAlone(together.portion, nowMs(), pausedUntilMs);
    together = undefined;
    turns.clear();
    changed();
  };

  const take = (answer: PaceAnswer, wanted: number): void => {
    const now = nowMs();
    const isLate = isAway;
    isAway = false;
    if (answer.era !== era) {
      era = answer.era;
      turns.clear();
      news.beginEra(now);
    }
    asking.notBefore(now);
    if (answer.perSecond === undefined) {
      if (together) own = createPace();
      together = undefined;
      return;
    }
    const isRefused = news.hasRefusals();
    // What was refused meanwhile is reported next.
    if (!isRefused) own = createPace();
    together = answer;
    pausedUntilMs = Math.max(now + answer.pauseMs, isRefused ? pausedUntilMs : 0);
    nextTurnMs = now + answer.nextInMs;
    const given = answer.turnsInMs.map((inMs) => now + inMs);
    if (isLate) news.unused(given.length);
    else turns.add(given);
    if (given.length >= wanted) return;
    const beforeMs = AHEAD_MS * (0.25 + random() / 2);
    asking.notBefore(Math.max(now + LEAST_MS, turns.middleMs() ?? nextTurnMs - beforeMs));
  };

  const asking = createSingleFlight({
    clock,
    askOnce: async () => {
      const report = takeReport();
      const cancelLate = clock.after(ANSWER_MS, goAlone);
      const change = states.change(name, (text, storeMs) => enterReport(text, storeMs, report));
      try {
        await change.then((answer) => take(answer, report.wanted), goAlone);
      } finally {
        cancelLate();
      }
    },
    asked: () => {
      changed();
      return !isAway;
    },
  });
  const isTurnWanted = (): boolean =>
    together ? demand.count > turns.count() : isAway && demand.count > 0;

  asking.ask();
  return {
    waitMs: (now, reserve = 0) => {
      if (!together) return own.waitMs(now, reserve);
      if (pausedUntilMs > now) return pausedUntilMs - now;
      dropLate(now);
      const turnMs = turns.firstMs();
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
      if (turns.use()) return;
      news.sentAhead();
      aheadAtMs = now + Math.max(AHEAD_MS, 1_000 / (together.perSecond ?? 1));
      asking.ask();
    },
    accepted: () => {
      own.accepted();
      news.accepted();
    },
    refused: (now, sentAtMs, toldMs) => {
      own.refused(now, sentAtMs, toldMs);
      pausedUntilMs = Math.max(pausedUntilMs, now + (toldMs ?? UNTOLD_MS));
      if (isAway) return;
      news.refused({ atMs: now, sentAtMs, toldMs });
      asking.ask();
    },
    wants: (wanted) => {
      const isUrgent = wanted.count > 0 && wanted.reserve < demand.reserve;
      demand = wanted.count > 0 ? wanted : { ...demand, count: 0 };
      if (isUrgent && !isAway) asking.notBefore(nowMs());
      asking.askInTime(isTurnWanted);
    },
    hear: asking.ask,
    perSecond: () => together?.portion ?? own.perSecond(),
  };
};
