import type { Voice } from '../api/contract.ts';
import type { AudioFormat } from '../model/file.ts';

/** A voice, format and manner in which synthesis is tried. */
export interface SynthesisAttempt {
  readonly voice: Voice;
  readonly format: AudioFormat;
  /** Streamed as it is made, or whole. */
  readonly stream: boolean;
}

export const attemptId = ({ voice, format, stream }: SynthesisAttempt): string =>
  `${voice.id} ${format} ${stream}`;

/**
 * Attempts in order of preference: each format streamed, where the voice says it can, then whole.
 */
export const attemptsOf = (
  voices: readonly Voice[],
  formats: readonly AudioFormat[],
): SynthesisAttempt[] =>
  voices.flatMap((voice) =>
    formats
      .filter((format) => voice.formats.includes(format))
      .flatMap((format) =>
        (voice.streaming ? [true, false] : [false]).map((stream) => ({ voice, format, stream })),
      ),
  );
