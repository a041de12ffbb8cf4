import type { PaceReport } from './pace-book.ts';

/** Most refusals of one report. */
const MOST_REFUSALS = 64;

/** A refusal (429) by this process's clock. */
interface Refusal {
  readonly atMs: number;
  readonly sentAtMs: number;
  /** The wait that it named. */
  readonly toldMs: number | undefined;
}

/** The part of a report that tells what a process did since its last one. */
type PaceNews = Pick<PaceReport, 'sentAhead' | 'unused' | 'isAccepted' | 'refusals'>;

/** Collects what a process has to report. */
export const createPaceNews = () => {
  let eraSinceMs = -Infinity;
  let sentAhead = 0;
  let unused = 0;
  let isAccepted = false;
  let refusals: Refusal[] = [];
  return {
    sentAhead: (): void => {
      sentAhead += 1;
    },
    unused: (turns: number): void => {
      unused += turns;
    },
    accepted: (): void => {
      isAccepted = true;
    },
    refused: (refusal: Refusal): void => {
      if (refusals.length < MOST_REFUSALS) refusals.push(refusal);
    },
    hasRefusals: (): boolean => refusals.length > 0,
    /** Turns of an earlier era are void. */
    beginEra: (nowMs: number): void => {
      eraSinceMs = nowMs;
      unused = 0;
    },
    take: (nowMs: number): PaceNews => {
      const met = refusals.map(({ atMs, sentAtMs, toldMs }) => ({
        agoMs: nowMs - atMs,
        sentAgoMs: nowMs - sentAtMs,
        toldMs,
        isInformed: sentAtMs >= eraSinceMs,
      }));
      const news = { sentAhead, unused, isAccepted, refusals: met };
      sentAhead = 0;
      unused = 0;
      isAccepted = false;
      refusals = [];
      return news;
    },
  };
};
