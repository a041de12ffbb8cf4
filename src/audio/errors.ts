import { AppError, toAppError } from '../errors.ts';

/** The error for a file without bytes, or a container without audio. */
export const emptyAudio = (): AppError =>
  new AppError('bad-input', 'the file holds no audio', { sentence: { key: 'errors.audio.empty' } });

/** The error for a file that is damaged before anything could be decoded; `what` names the place. */
export const damagedAudio = (what: string, cause?: unknown): AppError =>
  new AppError('bad-input', `damaged audio: ${what}`, {
    sentence: { key: 'errors.audio.damaged' },
    cause,
  });

/** The error for a known format that is not decoded here; `kind` names it for people: `WAV with GSM`. */
export const unsupportedAudio = (kind: string): AppError =>
  new AppError('unsupported', `${kind} is not supported`, {
    sentence: { key: 'errors.audio.unsupported', params: { kind } },
  });

/** The error for bytes that are no known format. */
export const unknownAudio = (): AppError =>
  new AppError('unsupported', 'no known audio format', {
    sentence: { key: 'errors.audio.unknown' },
  });

/** The error for a container that needs more memory than one file may take. */
export const oversizedAudio = (what: string): AppError =>
  new AppError('too-large', `too much memory needed: ${what}`, {
    sentence: { key: 'errors.audio.too-large' },
  });

/** Throws `cancelled`, or whatever the signal was aborted with, as an `AppError`. */
export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw toAppError(signal.reason);
};
