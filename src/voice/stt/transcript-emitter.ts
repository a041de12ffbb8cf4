import type { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { DictatedWords } from '../../model/message.ts';
import type { RecognitionResult, Utterance } from '../../ports/recogniser.ts';
import {
  createHallucinationFilter,
  type FilterContext,
  type FilterVerdict,
  type Refusal,
  REFUSALS,
} from './hallucination-filter.ts';

/**
 * The transcript of one utterance, partial or final: one with the same id replaces it. Where its text is empty and final, there was no speech, and the
 * partial transcript is removed.
 */
export interface TranscriptEvent
  extends DictatedWords, Pick<Utterance, 'speakerId' | 'startMs' | 'endMs'> {}

/** Receives the transcripts of a room. */
export interface TranscriptListener {
  /** Reports that speech began, not noise; again when somebody goes on for long. */
  readonly speechBegan?: (speakerId: string) => void;
  readonly transcript: (event: TranscriptEvent) => void;
  /** Reports that the final text of an utterance is not shown, and why. */
  readonly withheld?: (speakerId: string, refusal: Refusal) => void;
  /** Reports an utterance of which nothing could be recognised; its time is on the room's clock. */
  readonly lost?: (utterance: Pick<Utterance, 'startMs' | 'endMs'>) => void;
  /** Reports why speech cannot be recognised; undefined when it can again. */
  readonly trouble?: (error: AppError | undefined) => void;
  /** Reports by how much transcripts are late, from some seconds on; undefined when they no longer are. */
  readonly behind?: (delayMs: number | undefined) => void;
}

/** An utterance with the data for its transcript. */
export interface EmittedUtterance {
  utterance: Utterance;
  context: FilterContext;
  /** The partial transcript that was emitted last. */
  shown: Pick<RecognitionResult, 'text' | 'language'> | undefined;
}

/** Emits the transcripts that pass the hallucination filter. */
export const createTranscriptEmitter = (
  listener: TranscriptListener,
  log: Pick<Log, 'warn' | 'error'> | undefined,
) => {
  const filter = createHallucinationFilter();
  /** Transcripts that the filter refused, by the reason. */
  const refused = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<
    Refusal,
    number
  >;
  let transcripts = 0;
  /** Utterances that could not be recognised in time, or at all. */
  let failed = 0;
  let isTroubled = false;

  const call = (report: () => void): void => {
    try {
      report();
    } catch (err) {
      log?.error({ err }, 'a transcript listener failed');
    }
  };

  const judge = (
    { utterance, context }: EmittedUtterance,
    result: RecognitionResult,
    isFinal: boolean,
  ): FilterVerdict => {
    const { speakerId, voiceMs, spanMs, endMs } = utterance;
    return filter.judge({ ...result, speakerId, voiceMs, spanMs, endMs }, context, isFinal);
  };

  const emit = (
    { utterance }: EmittedUtterance,
    { text, language }: Pick<RecognitionResult, 'text' | 'language'>,
    isFinal: boolean,
  ): void => {
    const { id, speakerId, startMs, endMs } = utterance;
    call(() => listener.transcript({ id, speakerId, startMs, endMs, text, language, isFinal }));
  };

  const retract = (emitted: EmittedUtterance): void => {
    if (emitted.shown) emit(emitted, { ...emitted.shown, text: '' }, true);
  };

  const delayed = (error: AppError): void => {
    if (isTroubled) return;
    isTroubled = true;
    log?.warn({ err: error }, 'speech cannot be recognised');
    call(() => listener.trouble?.(error));
  };

  return {
    speechBegan: (speakerId: string) => call(() => listener.speechBegan?.(speakerId)),
    /** Emits the certain text of an utterance that has not ended. */
    partial: (emitted: EmittedUtterance, result: RecognitionResult): void => {
      const { accepted } = judge(emitted, result, false);
      if (accepted === undefined || accepted === emitted.shown?.text) return;
      emitted.shown = { text: accepted, language: result.language };
      emit(emitted, emitted.shown, false);
    },
    /** Emits the text of an utterance that has ended. */
    final: (emitted: EmittedUtterance, result: RecognitionResult): void => {
      if (isTroubled) {
        isTroubled = false;
        call(() => listener.trouble?.(undefined));
      }
      const { accepted, refusal } = judge(emitted, result, true);
      if (refusal) {
        refused[refusal] += 1;
        call(() => listener.withheld?.(emitted.utterance.speakerId, refusal));
        retract(emitted);
        return;
      }
      transcripts += 1;
      emit(emitted, { text: accepted, language: result.language }, true);
    },
    failed: (emitted: EmittedUtterance, error: AppError): void => {
      failed += 1;
      // The certain text is better than nothing.
      if (emitted.shown) emit(emitted, emitted.shown, true);
      else call(() => listener.lost?.(emitted.utterance));
      delayed(error);
    },
    /** Reports that speech cannot be recognised now; a later attempt may succeed. */
    delayed,
    behind: (delayMs: number | undefined): void => call(() => listener.behind?.(delayMs)),
    retract,
    forget: (speakerId: string) => filter.forget(speakerId),
    get counts() {
      return { transcripts, failed, refused: { ...refused } };
    },
  };
};
