import type { Utterance } from '../voice/stt/utterance.ts';

/** What was recognised of an utterance. */
export interface Recognised {
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** What a recogniser may listen for. */
export interface RecognitionHints {
  readonly hotwords: readonly string[];
  /** BCP 47, where it is certain what is spoken. */
  readonly language?: string;
}

export interface RecognitionRequest {
  /** Never rejects. */
  readonly hints: Promise<RecognitionHints>;
  /** Aborted when nobody wants to know any more: everything that is under way stops, and `end` rejects. */
  readonly signal: AbortSignal;
  /** What is sure of it before it has ended; from one call to the next its text only grows. */
  partial(recognised: Recognised): void;
}

/** The recognition of one utterance, from its first words to its end. */
export interface Recognition {
  /** All of it that came so far. It may yet be cut: its end is then told with fewer packets. */
  grow(utterance: Utterance): void;
  /**
   * All that there is of it. Nothing is told of parts afterwards. Rejects with an `AppError`; `deadlineMs`
   * is how long the result is of use. After a retryable one it may be asked again.
   */
  end(utterance: Utterance, deadlineMs: number): Promise<Recognised>;
}

/** Writes down what is said: by whole utterances, or while it is being said. */
export interface Recogniser {
  /** How often it wants to know of a growing utterance; 0: only when it has ended. */
  readonly growEveryMs: number;
  begin(request: RecognitionRequest): Recognition;
}
