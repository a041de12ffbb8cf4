import { createLru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { SpeechSpan } from '../../audio/vad.ts';
import type { DictatedWords } from '../../model/message.ts';
import type { RecognitionResult, Utterance } from '../../ports/recogniser.ts';
import { divideWords, lettersOf, timesIn } from '../../text/spoken-times.ts';
import { joinTexts } from '../../text/local-agreement.ts';
import { NO_SPEECH } from './gated-recogniser.ts';
import { createHallucinationFilter, type FilterContext } from './hallucination-filter.ts';
import { type HeardUtterance, type Refusal, REFUSALS } from './invented-text.ts';
import { createRefusals, createUnheard } from './unheard.ts';
import { voiceIn } from './utterance.ts';
import {
  type Begun,
  begunBefore,
  dividedAtEnd,
  isEnded,
  withCapital,
  type Words,
} from './turn-text.ts';

/**
 * The transcript of one utterance, partial or final: one with the same id replaces it. Where its text is empty and final, there was no speech, and the
 * partial transcript is removed.
 */
export interface TranscriptEvent
  extends DictatedWords, Pick<Utterance, 'speakerId' | 'startMs' | 'endMs'>, Pick<Words, 'words'> {
  /** True of words that stand in the channel of the captions already: they are in the transcript alone. */
  readonly isOnlyRecorded?: boolean;
}

/** Times of speech, on the room's clock. */
export type SpeechTimes = Pick<Utterance, 'startMs' | 'endMs'>;

/** Receives the transcripts of a room. */
export interface TranscriptListener {
  /** Reports that speech began, not noise; again when somebody goes on for long. */
  readonly speechBegan?: (speakerId: string) => void;
  readonly transcript: (event: TranscriptEvent) => void;
  /** Reports that the final text of an utterance is not shown, and why. */
  readonly withheld?: (utterance: SpeechTimes & { speakerId: string }, refusal: Refusal) => void;
  /** Reports an utterance of which nothing could be recognised. */
  readonly lost?: (utterance: SpeechTimes) => void;
  /** Reports that the recogniser refuses what one person says, and nobody else's speech; again where it goes on. */
  readonly refused?: (speakerId: string) => void;
  /** Reports clear speech in which the recogniser found no words. */
  readonly unheard?: (speakerId: string) => void;
  /** Reports why speech cannot be recognised; undefined when it can again. */
  readonly trouble?: (error: AppError | undefined) => void;
  /** Reports by how much transcripts are late, from some seconds on, and whose; undefined when they no longer are. */
  readonly behind?: (delayMs: number | undefined, speakerIds: readonly string[]) => void;
}

/** An utterance with the data for its transcript. */
export interface EmittedUtterance {
  utterance: Utterance;
  context: FilterContext;
  /** The partial transcript that was emitted last. */
  shown: Words | undefined;
  /** The sentence that the utterance before left unfinished, and its beginning. */
  begun?: (Begun & Pick<Utterance, 'startMs'>) | undefined;
  /** The utterance that goes on with this one, which was cut. */
  next?: EmittedUtterance | undefined;
  isOver?: boolean;
}

const MOST_SPEAKERS = 100;

const shifted = <Span extends SpeechSpan>(spans: readonly Span[], ms: number): readonly Span[] =>
  spans.map((span) => ({ ...span, startMs: span.startMs + ms, endMs: span.endMs + ms }));

const heardOf = ({ utterance }: EmittedUtterance, result: RecognitionResult): HeardUtterance => {
  const { speakerId, voiceMs, spanMs, startMs, endMs, packets } = utterance;
  const heard = { ...result, speakerId, voiceMs, spanMs, startMs, endMs };
  if (!result.words) return heard;
  const voice = voiceIn(packets);
  const zeroMs = startMs - (voice[0]?.startMs ?? 0);
  return { ...heard, words: shifted(result.words, zeroMs), voice: shifted(voice, zeroMs) };
};

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
  /** Speakers whose latest line ended as a sentence does. */
  const ended = createLru<string, true>(MOST_SPEAKERS);
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

  const lose = (utterance: SpeechTimes): void => {
    failed += 1;
    call(() => listener.lost?.(utterance));
  };
  const delayed = (error: AppError): void => {
    if (isTroubled) return;
    isTroubled = true;
    log?.warn({ err: error }, 'speech cannot be recognised');
    call(() => listener.trouble?.(error));
  };
  const recovered = (): void => {
    if (!isTroubled) return;
    isTroubled = false;
    call(() => listener.trouble?.(undefined));
  };
  const unheard = createUnheard({ lose, delayed });
  const refusals = createRefusals({
    ofAll: delayed,
    ofOne: (speakerId) => call(() => listener.refused?.(speakerId)),
  });

  /** The words of an utterance behind those that were begun before it. */
  const wordsOf = (
    { utterance, begun, isOver = false }: EmittedUtterance,
    { text, language }: Words,
  ): string => {
    const words = joinTexts([begun ? begunBefore(begun, text, isOver) : '', text]);
    return ended.get(utterance.speakerId) ? withCapital({ text: words, language }) : words;
  };
  const emitPartial = (emitted: EmittedUtterance, words: Words): void => {
    const { id, speakerId, startMs, endMs } = emitted.utterance;
    const text = wordsOf(emitted, words);
    const { language } = words;
    const beginMs = emitted.begun?.startMs ?? startMs;
    call(() =>
      listener.transcript({
        id,
        speakerId,
        startMs: beginMs,
        endMs,
        text,
        language,
        isFinal: false,
      }),
    );
  };

  /** Emits the last words of an utterance; leaves an unfinished sentence to `next`. */
  const conclude = (emitted: EmittedUtterance, words: Words): void => {
    const { begun, utterance } = emitted;
    emitted.isOver = true;
    const next = emitted.next?.isOver ? undefined : emitted.next;
    const { id, speakerId } = utterance;
    const language = words.text === '' && begun ? begun.language : words.language;
    const whole = wordsOf(emitted, { text: words.text, language });
    const { done, rest, stop } = next ? dividedAtEnd(whole) : { done: whole, rest: '', stop: '' };
    const startMs = begun?.startMs ?? utterance.startMs;
    const before = begun ? begun.words : [];
    const all = before && words.words && [...before, ...words.words];
    const times = timesIn({ startMs, endMs: utterance.endMs, text: whole, words: all });
    const letters = lettersOf(done);
    const [own, left] = all ? divideWords(all, letters) : [];
    const endMs = rest === '' ? utterance.endMs : times.end(letters);
    const event = { id, speakerId, startMs, endMs, text: done, words: own, language };
    call(() => listener.transcript({ ...event, isFinal: true }));
    if (rest !== '' || isEnded(done)) ended.set(speakerId, true);
    else if (done !== '') ended.delete(speakerId);
    if (!next || rest === '') return;
    next.begun = { text: rest, stop, language, startMs: times.begin(letters), words: left };
    emitPartial(next, next.shown ?? { text: '', language });
  };

  const retract = (emitted: EmittedUtterance): void => {
    emitted.isOver = true;
    const { shown, begun } = emitted;
    if (shown || begun) conclude(emitted, { text: '', language: shown?.language ?? '', words: [] });
  };

  return {
    speechBegan: (speakerId: string) => call(() => listener.speechBegan?.(speakerId)),
    chosenBy: filter.chosenBy,
    expectedOf: filter.expectedOf,
    /** The language in which an utterance is to be recognised once more; undefined where that is not needed. */
    otherLanguage: (emitted: EmittedUtterance, result: RecognitionResult): string | undefined =>
      filter.otherLanguage(heardOf(emitted, result), emitted.context),
    /** The surer one of two recognitions of an utterance. */
    surest: (emitted: EmittedUtterance, first: RecognitionResult, second: RecognitionResult) =>
      filter.surest(heardOf(emitted, first), second),
    /** Emits the certain text of an utterance that has not ended. */
    partial: (emitted: EmittedUtterance, result: RecognitionResult): void => {
      const { accepted, words } = filter.judge(heardOf(emitted, result), emitted.context, false);
      if (accepted === undefined || accepted === emitted.shown?.text) return;
      emitted.shown = { text: accepted, language: result.language, words };
      emitPartial(emitted, emitted.shown);
    },
    /** Emits the text of an utterance that has ended. */
    final: (emitted: EmittedUtterance, result: RecognitionResult): void => {
      const { utterance, context } = emitted;
      if (result === NO_SPEECH) {
        // No recogniser was asked: it tells nothing of one.
        refused.noise += 1;
        call(() => listener.withheld?.(utterance, 'noise'));
        return retract(emitted);
      }
      const { accepted, words, refusal } = filter.judge(heardOf(emitted, result), context, true);
      if (unheard.takes(utterance, result.text, refusal)) {
        refused[refusal!] += 1;
        call(() => listener.unheard?.(utterance.speakerId));
        return retract(emitted);
      }
      recovered();
      refusals.answered(utterance.speakerId);
      if (refusal) {
        refused[refusal] += 1;
        call(() => listener.withheld?.(utterance, refusal));
        return retract(emitted);
      }
      transcripts += 1;
      conclude(emitted, { text: accepted, language: result.language, words });
    },
    failed: (emitted: EmittedUtterance, error: AppError): void => {
      const { shown, utterance } = emitted;
      if (shown) failed += 1;
      else lose(utterance);
      // The certain text is better than nothing.
      if (shown) conclude(emitted, shown);
      else retract(emitted);
      if (!refusals.takes(utterance.speakerId, error)) delayed(error);
    },
    /** Reports that speech cannot be recognised now; a later attempt may succeed. */
    delayed,
    behind: (delayMs: number | undefined, speakerIds: readonly string[]): void =>
      call(() => listener.behind?.(delayMs, speakerIds)),
    retract,
    forget: (speakerId: string): void => {
      filter.forget(speakerId);
      ended.delete(speakerId);
      refusals.forget(speakerId);
    },
    get counts() {
      return { transcripts, failed, refused: { ...refused } };
    },
  };
};
