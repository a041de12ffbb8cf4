import type { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';

import {
  createHallucinationFilter,
  type Refusal,
  REFUSALS,
  type FilterContext,
  type FilterVerdict,
} from './hallucination-filter.ts';
import type { Recognised } from '../../ports/recogniser.ts';
import type { Utterance } from './utterance.ts';

/** What somebody said without a longer pause, as far as it was heard. */
export interface TranscriptEvent {
  /** One number an utterance: a line with the same number takes the place of the one before. */
  readonly id: number;
  readonly speakerId: string;
  /** Of the speech, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Empty and final: nothing was said after all, and what was shown of it goes. */
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  readonly isFinal: boolean;
}

/** What the one who listens in a room tells. */
export interface TranscriptListener {
  /** Somebody began to speak: a voice, and no noise. Told again when they go on for long. */
  readonly began: (speakerId: string) => void;
  readonly heard: (line: TranscriptEvent) => void;
  /** What is said cannot be written down, and why; undefined: it can again. */
  readonly trouble: (error: AppError | undefined) => void;
}

/** An utterance of which something is told. */
export interface Spoken {
  /** As much of it as is known. */
  utterance: Utterance;
  room: FilterContext;
  /** What was told of it before it had ended. */
  shown: Pick<Recognised, 'text' | 'language'> | undefined;
}

export interface TranscriptCounts {
  readonly lines: number;
  /** Lines that were not told, by why. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Utterances that could not be recognised in time, or at all. */
  readonly failed: number;
}

/** Tells a listener what passes the gate. */
export interface TranscriptEmitter {
  began(speakerId: string): void;
  /** What is sure of an utterance that goes on. */
  part(spoken: Spoken, heard: Recognised): void;
  /** All of one that has ended. */
  whole(spoken: Spoken, heard: Recognised): void;
  failed(spoken: Spoken, error: AppError): void;
  /** What is said cannot be recognised at this moment, though perhaps in time. */
  hindered(error: AppError): void;
  /** What was shown of it goes. */
  takeBack(spoken: Spoken): void;
  forget(speakerId: string): void;
  readonly counts: TranscriptCounts;
}

export const createTranscriptEmitter = (
  listener: TranscriptListener,
  log: Pick<Log, 'warn' | 'error'> | undefined,
): TranscriptEmitter => {
  const gate = createHallucinationFilter();
  const refused = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<
    Refusal,
    number
  >;
  let lines = 0;
  let failed = 0;
  let isTroubled = false;

  const tell = (telling: () => void): void => {
    try {
      telling();
    } catch (err) {
      log?.error({ err }, 'what was heard could not be told');
    }
  };

  const judge = (
    { utterance, room }: Spoken,
    heard: Recognised,
    isFinal: boolean,
  ): FilterVerdict => {
    const { speakerId, voiceMs, spanMs, endMs } = utterance;
    return gate.judge({ ...heard, speakerId, voiceMs, spanMs, endMs }, room, isFinal);
  };

  const tellLine = (
    { utterance }: Spoken,
    { text, language }: Pick<Recognised, 'text' | 'language'>,
    isFinal: boolean,
  ): void => {
    const { id, speakerId, startMs, endMs } = utterance;
    tell(() => listener.heard({ id, speakerId, startMs, endMs, text, language, isFinal }));
  };

  const takeBack = (spoken: Spoken): void => {
    if (spoken.shown) tellLine(spoken, { ...spoken.shown, text: '' }, true);
  };

  const hindered = (error: AppError): void => {
    if (isTroubled) return;
    isTroubled = true;
    log?.warn({ err: error }, 'what is said cannot be recognised');
    tell(() => listener.trouble(error));
  };

  return {
    began: (speakerId) => tell(() => listener.began(speakerId)),
    part: (spoken, heard) => {
      const { said } = judge(spoken, heard, false);
      if (said === undefined || said === spoken.shown?.text) return;
      spoken.shown = { text: said, language: heard.language };
      tellLine(spoken, spoken.shown, false);
    },
    whole: (spoken, heard) => {
      if (isTroubled) {
        isTroubled = false;
        tell(() => listener.trouble(undefined));
      }
      const { said, refusal } = judge(spoken, heard, true);
      if (refusal) {
        refused[refusal] += 1;
        takeBack(spoken);
        return;
      }
      lines += 1;
      tellLine(spoken, { text: said, language: heard.language }, true);
    },
    failed: (spoken, error) => {
      failed += 1;
      // What was sure of it is better than nothing.
      if (spoken.shown) tellLine(spoken, spoken.shown, true);
      hindered(error);
    },
    hindered,
    takeBack,
    forget: (speakerId) => gate.forget(speakerId),
    get counts() {
      return { lines, failed, refused: { ...refused } };
    },
  };
};
