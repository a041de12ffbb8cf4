import { createLru } from '../../async/lru.ts';
import type { Refusal } from '../stt/invented-text.ts';

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

/** Reasons to withhold lines, as people are told of them, and in that order. */
export const WITHHELD_REASONS = [
  'noise',
  'invented',
  'repeated',
  'unsure',
  'foreign',
  'wordless',
] as const;

type WithheldReason = (typeof WITHHELD_REASONS)[number];

export type WithheldCounts = Readonly<Record<WithheldReason, number>>;

const NOTHING_WITHHELD: WithheldCounts = {
  noise: 0,
  invented: 0,
  repeated: 0,
  unsure: 0,
  foreign: 0,
  wordless: 0,
};

/** The reasons of the filter; a text without words is no line. */
const REASONS: Readonly<Record<Refusal, WithheldReason | undefined>> = {
  'no-words': undefined,
  noise: 'noise',
  loop: 'invented',
  'too-fast': 'invented',
  'stock-phrase': 'invented',
  echo: 'invented',
  repeat: 'repeated',
  unsure: 'unsure',
  foreign: 'foreign',
};

/** Reasons of lines that somebody probably said. */
const SAID: ReadonlySet<WithheldReason> = new Set(['repeated', 'unsure', 'foreign']);

/**
 * Counts the lines that the hallucination filter withholds. `note` is called once for each person of whom
 * lines are withheld again and again, `mark` for those between two lines that are shown.
 */
export const createWithheldLines = ({
  note,
  mark,
}: {
  readonly note: (speakerId: string) => void;
  readonly mark: (withheld: LostLines) => void;
}) => {
  const counts = { ...NOTHING_WITHHELD };
  const countsOf = createLru<string, WithheldCounts>(MOST_SPEAKERS);
  const count = (speakerId: string, reason: WithheldReason): void => {
    counts[reason] += 1;
    const its = countsOf.get(speakerId) ?? NOTHING_WITHHELD;
    countsOf.set(speakerId, { ...its, [reason]: its[reason] + 1 });
  };
  const inARow = createLru<string, number>(MOST_SPEAKERS);
  const noted = createLru<string, true>(MOST_SPEAKERS);
  const unmarked = createLostLines(mark);
  return {
    withheld: (
      line: Omit<LostLines, 'count'> & { readonly speakerId: string },
      refusal: Refusal,
    ): void => {
      const reason = REASONS[refusal];
      if (!reason) return;
      count(line.speakerId, reason);
      if (reason !== 'noise') unmarked.add(line);
      if (!SAID.has(reason)) return;
      const { speakerId } = line;
      const times = (inARow.get(speakerId) ?? 0) + 1;
      inARow.set(speakerId, times);
      if (times < NOTED_LINES || noted.get(speakerId)) return;
      noted.set(speakerId, true);
      note(speakerId);
    },
    /** Counts clear speech in which no words were found. */
    wordless: (speakerId: string): void => count(speakerId, 'wordless'),
    shown: (speakerId: string): void => {
      inARow.delete(speakerId);
      unmarked.report();
    },
    /** Marks the lines that were withheld since the last mark. */
    report: unmarked.report,
    forget: (speakerId: string): void => {
      inARow.delete(speakerId);
      countsOf.delete(speakerId);
    },
    /** Counts of the lines of one person. */
    countsOf: (speakerId: string): WithheldCounts => countsOf.get(speakerId) ?? NOTHING_WITHHELD,
    get counts(): WithheldCounts {
      return { ...counts };
    },
  };
};
