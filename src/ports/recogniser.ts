/** An Opus packet (RFC 6716) of an utterance. */
export interface UtterancePacket {
  readonly data: Uint8Array;
  /** Number of the packet in the speaker's stream; each packet has another one. */
  readonly sequence: number;
  /** Length of the packet, at 48 kHz. */
  readonly samples: number;
  /** Silence or lost packets between it and the packet before, at 48 kHz. */
  readonly gapSamples: number;
}

/** Speech of one person without a longer pause: Opus packets in the order in which they were sent. */
export interface Utterance {
  /** Grows from one utterance to the next, over all speakers. */
  readonly id: number;
  readonly speakerId: string;
  /** Beginning and end of its voice, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Packets of an earlier utterance: a decoder needs them, nobody is to hear them again. */
  readonly preRoll: readonly UtterancePacket[];
  /** The sound of the utterance, with the moments before and after its voice. */
  readonly packets: readonly UtterancePacket[];
  /** Duration of the packets with voice. */
  readonly voiceMs: number;
  /** Duration of all packets, gaps included. */
  readonly spanMs: number;
  /** True when the speaker went on talking: the utterance before was cut. */
  readonly isContinued: boolean;
}

/** The text recognised in an utterance. */
export interface RecognitionResult {
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Words and languages a recogniser may expect. */
export interface RecognitionHints {
  readonly hotwords: readonly string[];
  /** BCP 47, where the spoken language is certain. */
  readonly language?: string;
}

export interface RecognitionRequest {
  /** Never rejects. */
  readonly hints: Promise<RecognitionHints>;
  /** Aborted when the result is of no use any more: everything under way stops, and `finish` rejects. */
  readonly signal: AbortSignal;
  /** Receives the certain text of an utterance that goes on; from one call to the next it only grows. */
  readonly partial: (recognised: RecognitionResult) => void;
  /**
   * Receives the final text of an utterance whose end the recogniser found itself: it covers the packets
   * up to this sequence number, and those behind it become another utterance. Called at most once, and
   * neither after `finish` nor followed by anything else.
   */
  readonly final: (recognised: RecognitionResult, throughSequence: number) => void;
}

/** A single recognition of one utterance. */
export interface Recognition {
  /**
   * Takes all packets that came so far, the same ones and more from call to call; a late packet may stand
   * among earlier ones. The end of an utterance can still be cut off: `finish` then gets fewer packets.
   */
  grow(utterance: Utterance): void;
  /**
   * Recognises the whole utterance. Called at most once, with or without `grow` before. Rejects with an
   * `AppError`; another recognition of the same utterance may succeed where that is retryable.
   *
   * @param deadlineMs how long the result is of use
   */
  finish(utterance: Utterance, deadlineMs: number): Promise<RecognitionResult>;
}

/** Turns speech into text: by whole utterances, or while somebody speaks. */
export interface Recogniser {
  /** Growth of an utterance, in ms of speech, between two calls of `grow`; 0: it is never called. */
  readonly growEveryMs: number;
  /** Any number of recognitions run side by side, several of the same utterance included. */
  start(request: RecognitionRequest): Recognition;
}

/** Makes the recogniser of a room. Without `partials` nothing is shown before an utterance has ended. */
export type RecogniserFactory = (options: { readonly partials: boolean }) => Recogniser;
