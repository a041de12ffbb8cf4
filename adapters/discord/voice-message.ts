import type { OutgoingFile } from '../../src/model/file.ts';

/** Points of a waveform ("Attachment Object", `waveform`), each one byte. */
const POINTS = 256;
const LOUDEST = 255;

/** True for a file that Discord shows as a voice message: Ogg alone ("Voice Messages"). */
export const isVoiceMessage = ({
  voice,
  mediaType,
}: Pick<OutgoingFile, 'voice' | 'mediaType'>): boolean =>
  voice !== undefined && /^audio\/ogg\b/i.test(mediaType);

/** The loudness that a waveform of Discord stands for. */
export const loudnessOf = (waveform: string): readonly number[] =>
  Array.from(Buffer.from(waveform, 'base64'), (point) => point / LOUDEST);

/** A loudness as a waveform of Discord; flat where it is not known. */
export const waveformOf = (loudness: readonly number[]): string => {
  const step = Math.max(1, loudness.length / POINTS);
  const points = Array.from({ length: Math.min(POINTS, loudness.length) }, (_, index) =>
    Math.round(Math.min(1, Math.max(0, loudness[Math.floor(index * step)] ?? 0)) * LOUDEST),
  );
  return Buffer.from(points.length > 0 ? points : [0]).toString('base64');
};
