import type { SpokenWord } from '../model/message.ts';
import type { Space } from '../model/place.ts';

/** An Opus packet (RFC 6716) of an utterance. */
export interface UtterancePacket {
  readonly data: Uint8Array;
  /** Number of the packet in the speaker's stream, unique there. */
  readonly sequence: number;
  /** Length of the packet in samples at 48 kHz. */
  readonly samples: number;
  /** Silence or lost packets between this packet and the one before, in samples at 48 kHz. */
  readonly gapSamples: number;
  readonly isVoice: boolean;
}

/** Speech of one person without a longer pause: Opus packets in the order in which they were sent. */
export interface Utterance {
  /** Id of the utterance; ids grow over all speakers. */
  readonly id: number;
  readonly speakerId: string;
  /** Beginning and end of the voice, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Packets of an earlier utterance: decoders need them, but their audio is not part of this one. */
  readonly preRoll: readonly UtterancePacket[];
  /** The audio of the utterance, with the moments before and after its voice. */
  readonly packets: readonly UtterancePacket[];
  /** Duration of the packets with voice. */
  readonly voiceMs: number;
  /** Duration of all packets, gaps included. */
  readonly spanMs: number;
  /** True when the utterance before was cut, because the speaker went on talking. */
  readonly isContinued: boolean;
}

/** The text recognised in an utterance. */
export interface RecognitionResult {
  readonly text: string;
  /** BCP 47 code; empty when the language is not known. */
  readonly language: string;
  /** Confidence from 0 to 1; undefined where none is known. */
  readonly confidence: number | undefined;
  /** Probability, from 0 to 1, that nobody speaks; undefined where it is not known. */
  readonly noSpeech?: number | undefined;
  /** The words of `text` with their times in the sound of the packets; undefined where these are not known. */
  readonly words?: readonly SpokenWord[] | undefined;
}

/** Words and languages a recogniser may expect. */
export interface RecognitionHints {
  readonly hotwords: readonly string[];
  /** BCP 47 code, when the spoken language is known better than it can be heard. */
  readonly language?: string | undefined;
  /** BCP 47 code of the language that is likely, for a recogniser that has to be told one. */
  readonly expected?: string | undefined;
}

export interface RecognitionRequest {
  /**
   * Resolves with the words and the language to expect in so much voice; infinite where its length is
   * not known yet. Never rejects.
   */
  readonly hints: (voiceMs: number) => Promise<RecognitionHints>;
  /** Aborted when the result is no longer useful: everything under way stops, and `finish` rejects. */
  readonly signal: AbortSignal;
  /** Receives the certain text of an utterance that has not ended; it only grows from call to call. */
  readonly partial: (recognised: RecognitionResult) => void;
  /**
   * Receives the final text of an utterance whose end the recogniser found itself: it covers the
   * packets up to this sequence number, and later ones become another utterance. Called at most
   * once, not after `finish`, and followed by no other call.
   */
  readonly final: (recognised: RecognitionResult, throughSequence: number) => void;
}

/** A single recognition of one utterance. */
export interface Recognition {
  /**
   * Takes all packets so far, the same ones and more from call to call; a late packet may be
   * inserted among earlier ones. The end of an utterance can still be cut off: `finish` then gets
   * fewer packets.
   */
  grow(utterance: Utterance): void;
  /**
   * Recognises the whole utterance. Called at most once, with or without `grow` before. Rejects
   * with an `AppError`; if that is retryable, another recognition of the same utterance may
   * succeed.
   *
   * @param deadlineMs time for which the result is useful
   * @param underWay called with false while the utterance waits for its turn, and with true when it is sent
   */
  finish(
    utterance: Utterance,
    deadlineMs: number,
    underWay?: (isSent: boolean) => void,
  ): Promise<RecognitionResult>;
}

/** Turns speech into text, by whole utterances or while somebody speaks. */
export interface Recogniser {
  /** Growth of an utterance, in ms of speech, between two calls of `grow`; 0: it is never called. */
  readonly growEveryMs: number;
  /** Starts a recognition; any number run side by side, including several of the same utterance. */
  start(request: RecognitionRequest): Recognition;
}

/**
 * Makes the recogniser of a room or a dictation in a space. Without `partials` nothing is shown before an utterance
 * has ended.
 */
export type RecogniserFactory = (options: {
  readonly partials: boolean;
  readonly space: Space;
}) => Recogniser;
