import type { Clock } from '../../async/clock.ts';
import type { Lane } from '../../model/service.ts';
import type { SharedStates } from '../../ports/store.ts';
import { createPace, newPaceState, type Pace } from './pace.ts';
import { enterReport, type MetRefusal, type PaceAnswer, type PaceReport } from './pace-row.ts';
import { createHmac, randomUUID } from 'node:crypto';
import { createLru } from '../../async/lru.ts';
import type { Endpoint } from '../caller.ts';
import type { KeyIdentity } from '../keys.ts';

/** The pace as a scheduler uses it. */
export interface RequestPace extends Pick<
  Pace,
  'waitMs' | 'sent' | 'accepted' | 'refused' | 'perSecond'
> {
  /** Notes the most urgent lane that waits for the pace, each time that this changes. */
  readonly waits?: (lane: Lane | undefined) => void;
}

/** A pace that processes share. */
interface SharedPace extends RequestPace {
  /** Looks at the pace again, as another process has changed it. */
  readonly look: () => void;
}

interface SharedPaceDeps {
  readonly states: SharedStates;
  /** Name of the pace among the states, and of this process. */
  readonly name: string;
  readonly by: string;
  readonly clock: Clock;
  /** Random number from 0 to 1. */
  readonly random: () => number;
  /** Called when more may be sent than was known. */
  readonly changed: () => void;
}

/** Parts of the rate for a process whose speech that people hear now waits; any other has one. */
const LIVE_PARTS = 4;
/** Time between two reports of a process that sends. */
const REPORT_MS = 500;
/** Longest wait for the answer to the report of a refusal. */
const ANSWER_MS = 1_000;

/** Most refusals of one report. */
const MOST_REFUSALS = 64;

/** A refusal (429), by this process's clock. */
interface Refusal {
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly waitMs: number | undefined;
}

/**
 * Creates a pace that all processes on one database share. Each goes by its portion of the rate, reports
 * twice a second what it sent, at once what it was refused, and is given its next portion. While no limit
 * is known, nothing is reported. While the database is away, each goes on with its last portion.
 */
export const createSharedPace = (deps: SharedPaceDeps): SharedPace => {
  const { states, name, by, clock, random, changed } = deps;
  const { nowMs } = clock;
  let own = createPace();
  let portion: number | undefined;
  let era = 0;
  let waiting: Lane | undefined;
  let parts = 1;
  let sent = 0;
  let isAccepted = false;
  /** Time of the last refusal that was news, and whether nothing was sent since. */
  let eraMs = -Infinity;
  let isFirst = false;
  /** True while the service takes nothing: an answer is news. */
  let isAway = false;
  let refusals: Refusal[] = [];
  /** Time until which nothing is sent after a refusal, unless the answer comes before. */
  let settledMs = -Infinity;
  let wasAway = false;
  let reportedMs = -Infinity;
  let isReporting = false;
  let isDue = false;
  let cancelNext: (() => void) | undefined;

  const metRefusal = ({ atMs, sentAtMs, waitMs }: Refusal, now: number): MetRefusal => ({
    agoMs: now - atMs,
    sentAgoMs: now - sentAtMs,
    waitMs,
  });

  const takeReport = (now: number): PaceReport => {
    const taken: PaceReport = {
      by,
      nowMs: now,
      parts,
      isWaiting: waiting !== undefined,
      sent,
      isAccepted,
      refusals: refusals.map((refusal) => metRefusal(refusal, now)),
      wasAway,
      own: portion === undefined ? own.state() : undefined,
    };
    [sent, isAccepted, refusals] = [0, false, []];
    return taken;
  };

  const forget = (): void => {
    if (portion !== undefined) own = createPace();
    portion = undefined;
    isAway = false;
  };

  const take = (answer: PaceAnswer): void => {
    const now = nowMs();
    own.waitMs(now);
    const its = own.state();
    const isNewEra = answer.era !== era;
    era = answer.era;
    const rate = answer.perSecond * answer.share;
    portion = rate;
    isAway = answer.isAway;
    if (isNewEra) [isFirst, eraMs] = [true, now];
    const { pauseMs } = answer;
    // After a pause, the processes begin one after the other.
    const tokens = isNewEra
      ? 1 - answer.place * answer.share - (pauseMs * rate) / 1_000
      : its.tokens - answer.owed;
    own = createPace({
      ...newPaceState(),
      limit: { rate, drop: 0, isMeasured: true },
      depth: Math.max(1, answer.depth * answer.share),
      tokens,
      countedMs: now,
      sentMs: now,
      // What was refused meanwhile is reported next.
      pausedUntilMs: Math.max(now + pauseMs, refusals.length > 0 ? its.pausedUntilMs : -Infinity),
    });
  };

  /** Reports at once, or again after what is being reported. */
  async function report(): Promise<void> {
    cancelNext?.();
    cancelNext = undefined;
    isDue = isReporting;
    if (isReporting) return;
    isReporting = true;
    reportedMs = nowMs();
    const news = takeReport(reportedMs);
    try {
      const answer = await states.change(name, (text, atMs) => enterReport(text, atMs, news));
      wasAway = false;
      if (answer) take(answer);
      else forget();
    } catch {
      wasAway = true;
    }
    isReporting = false;
    if (!isDue || wasAway) settledMs = -Infinity;
    if (isDue && !wasAway) void report();
    else plan();
    changed();
  }

  /** Plans the next report of a process that sends. */
  function plan(): void {
    if (portion === undefined && !wasAway) return;
    if (cancelNext || isReporting || (waiting === undefined && sent === 0)) return;
    const leftMs = reportedMs + REPORT_MS * (0.75 + random() / 2) - nowMs();
    cancelNext = clock.after(Math.max(0, Math.ceil(leftMs)), () => void report());
  }

  void report();
  return {
    waitMs: (now, reserve) => Math.max(settledMs - now, own.waitMs(now, reserve)),
    sent: (now, isPressed) => {
      own.sent(now, isPressed);
      if (portion === undefined) return;
      sent += 1;
      // What another is refused meanwhile is judged by it.
      if (isFirst) void report();
      else plan();
      isFirst = false;
    },
    accepted: (sentAtMs) => {
      own.accepted(sentAtMs);
      if (sentAtMs < eraMs) return;
      isAccepted = true;
      if (isAway) void report();
      isAway = false;
    },
    refused: (now, sentAtMs, waitMs) => {
      own.refused(now, sentAtMs, waitMs);
      if (refusals.length < MOST_REFUSALS) refusals.push({ atMs: now, sentAtMs, waitMs });
      settledMs = now + ANSWER_MS;
      if (!wasAway) void report();
    },
    waits: (lane) => {
      waiting = lane;
      const before = parts;
      if (lane !== undefined) parts = lane === 'live' ? LIVE_PARTS : 1;
      if (parts > before && portion !== undefined && !wasAway) void report();
      else plan();
    },
    look: () => void report(),
    perSecond: () => portion ?? own.perSecond(),
  };
};

/** Paces that are told of news. */
const MOST_PACES = 3_000;

/** The means by which the processes on one database share the paces of keys. */
export interface PaceSharing {
  readonly states: SharedStates;
  /** Secret of the digests by which keys are named: the first `ENCRYPTION_KEY`. */
  readonly secret: Uint8Array | undefined;
  readonly service: string;
}

interface SharedPacesDeps extends PaceSharing {
  readonly clock: Clock;
  readonly random: () => number;
}

/** The paces that all processes on one database keep together, one for each key and endpoint. */
export type SharedPaces = ReturnType<typeof createSharedPaces>;

export const createSharedPaces = (deps: SharedPacesDeps) => {
  const { states, secret = '', service, clock, random } = deps;
  const by = randomUUID();
  const hearers = createLru<string, () => void>(MOST_PACES);
  states.watch((name) => hearers.get(name)?.());
  return {
    /** @param changed called when more may be sent than was known */
    of: ({ id }: Pick<KeyIdentity, 'id'>, endpoint: Endpoint, changed: () => void): RequestPace => {
      const digest = createHmac('sha256', secret)
        .update(`pace of ${id} at ${service}`)
        .digest('hex');
      const name = `pace ${digest} ${endpoint}`;
      const pace = createSharedPace({ states, name, by, clock, random, changed });
      hearers.set(name, pace.look);
      return pace;
    },
  };
};
