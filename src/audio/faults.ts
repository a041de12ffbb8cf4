import { AppError, toAppError } from '../errors.ts';

/** Nothing to hear: no bytes, or a container without audio. */
export const emptyAudio = (): AppError =>
  new AppError('bad-input', 'the file holds no audio', { sentence: { key: 'errors.audio.empty' } });

/** What a format promises was broken before anything could be heard; `what` names the place. */
export const damagedAudio = (what: string, cause?: unknown): AppError =>
  new AppError('bad-input', `damaged audio: ${what}`, {
    sentence: { key: 'errors.audio.damaged' },
    cause,
  });

/** `kind` is what the file seems to be, as people call it: `Ogg Vorbis`, `WAV with ADPCM`. */
export const unsupportedAudio = (kind: string): AppError =>
  new AppError('unsupported', `${kind} is not decoded here; an installed ffmpeg may read it`, {
    sentence: { key: 'errors.audio.unsupported', params: { kind } },
  });

export const unknownAudio = (): AppError =>
  new AppError('unsupported', 'no format that is known here; an installed ffmpeg may read it', {
    sentence: { key: 'errors.audio.unknown' },
  });

/** The container needs more memory than one file may take. */
export const bulkyAudio = (what: string): AppError =>
  new AppError('too-large', `too much memory needed: ${what}`, {
    sentence: { key: 'errors.audio.too-large' },
  });

/** Throws `cancelled`, or whatever the signal was aborted with, as an `AppError`. */
export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw toAppError(signal.reason);
};
