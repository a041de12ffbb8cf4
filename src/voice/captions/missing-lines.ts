import { createLru } from '../../async/lru.ts';
import type { Refusal } from '../stt/hallucination-filter.ts';

/** Lines that could not be transcribed or shown, with their time on the room's clock. */
export interface LostLines {
  readonly count: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Collects lost lines until they are reported together. */
export const createLostLines = (report: (lost: LostLines) => void) => {
  let lost: LostLines | undefined;
  return {
    add: ({ startMs, endMs }: Omit<LostLines, 'count'>): void => {
      lost = {
        count: (lost?.count ?? 0) + 1,
        startMs: Math.min(startMs, lost?.startMs ?? startMs),
        endMs: Math.max(endMs, lost?.endMs ?? endMs),
      };
    },
    /** Reports the lines that were lost since the last report, if there are any. */
    report: (): void => {
      if (lost) report(lost);
      lost = undefined;
    },
  };
};

/** Lines in a row after which a person's lines are withheld again and again. */
const NOTED_LINES = 3;
const MOST_SPEAKERS = 1_000;

/** Counts of lines that were withheld: in a language that nobody is known to speak, and others. */
export interface WithheldCounts {
  readonly foreign: number;
  readonly misheard: number;
}

/**
 * Counts the lines that the hallucination filter withholds. `note` is called once for each person whose
 * lines are withheld again and again.
 */
export const createWithheldLines = (note: (speakerId: string) => void) => {
  const counts = { foreign: 0, misheard: 0 };
  const inARow = createLru<string, number>(MOST_SPEAKERS);
  const noted = createLru<string, true>(MOST_SPEAKERS);
  return {
    withheld: (speakerId: string, refusal: Refusal): void => {
      // Noise is no line.
      if (refusal === 'no-words') return;
      counts[refusal === 'foreign' ? 'foreign' : 'misheard'] += 1;
      const times = (inARow.get(speakerId) ?? 0) + 1;
      inARow.set(speakerId, times);
      if (times < NOTED_LINES || noted.get(speakerId)) return;
      noted.set(speakerId, true);
      note(speakerId);
    },
    shown: (speakerId: string): void => inARow.delete(speakerId),
    forget: (speakerId: string): void => inARow.delete(speakerId),
    get counts(): WithheldCounts {
      return { ...counts };
    },
  };
};
