import type { Voice } from '../api/contract.ts';
import type { AudioFormat } from '../model/file.ts';

/** A combination of voice, format and streaming with which synthesis is attempted. */
export interface SynthesisAttempt {
  readonly voice: Voice;
  readonly format: AudioFormat;
  /** True to stream the audio while it is made; otherwise it comes whole. */
  readonly stream: boolean;
}

export const attemptId = ({ voice, format, stream }: SynthesisAttempt): string =>
  `${voice.id} ${format} ${stream}`;

/**
 * Attempts in order of preference: each format streamed, if the voice supports that, then whole.
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
