import { createFrameEncoder } from '../../audio/opus/encoder.ts';

const RATE_HZ = 48_000;
const FRAME_SAMPLES = RATE_HZ / 50;
/** A fifth upwards: E5, then B5. */
const TONES_HZ = [659.3, 987.8];
const TONE_FRAMES = 8;
/** The highest sample of quiet speech. */
const PEAK = 0.2;

/** A tone that begins and ends softly. */
const sampleAt = (at: number): number => {
  const toneSamples = TONE_FRAMES * FRAME_SAMPLES;
  const hz = TONES_HZ[Math.floor(at / toneSamples)] ?? 0;
  const within = (at % toneSamples) / toneSamples;
  return PEAK * Math.sin(Math.PI * within) * Math.sin((2 * Math.PI * hz * at) / RATE_HZ);
};

let made: readonly Uint8Array[] | undefined;

/**
 * The sound before a notice: two rising tones of a third of a second in all, as Opus packets of 20 ms.
 * Throws `AppError` `internal` if the codec fails.
 */
export const noticeSound = (): readonly Uint8Array[] => {
  if (made) return made;
  const encoder = createFrameEncoder(RATE_HZ);
  try {
    made = Array.from({ length: TONES_HZ.length * TONE_FRAMES }, (_, frame) =>
      encoder
        .encode(
          Float32Array.from({ length: FRAME_SAMPLES }, (__, at) =>
            sampleAt(frame * FRAME_SAMPLES + at),
          ),
        )
        .slice(),
    );
    return made;
  } finally {
    encoder.free();
  }
};
