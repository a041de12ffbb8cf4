import { describe, expect, it } from 'vitest';
import { LevelVad } from '../../../../../src/voice/stt/vad/speaker-vad.ts';

const FRAME = 320;
const FRAME_SAMPLES = 960;

/** Judges packets of frames of 20 ms, each as loud as its byte. */
const judging = () => {
  const judge = new LevelVad({
    decode: (data: Uint8Array) =>
      Float32Array.from(
        { length: data.length * FRAME },
        (_, at) => data[Math.floor(at / FRAME)]! / 256,
      ),
    free: () => undefined,
  });
  return (...levels: number[]): boolean =>
    judge.isVoice(Uint8Array.from(levels), levels.length * FRAME_SAMPLES);
};

describe('loudness', () => {
  it('tells nothing in the first second: all of it counts as voice', () => {
    const judge = judging();
    for (let packet = 0; packet < 50; packet += 1) expect(judge(1)).toBe(true);
    expect(judge(1)).toBe(false);
  });

  it('makes a packet voice of which any part is loud', () => {
    const judge = judging();
    for (let packet = 0; packet < 20; packet += 1) judge(1, 1, 1);
    expect(judge(1, 100, 1)).toBe(true);
    expect(judge(1, 1, 1)).toBe(false);
    expect(judge(1, 1, 100)).toBe(true);
  });
});
