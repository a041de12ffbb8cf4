import { describe, expect, it } from 'vitest';
import { RECOGNITION_RATE_HZ } from '../../../../service/engine.ts';
import { decodeInPieces } from '../../../../service/engines/sherpa-onnx/pieces.ts';

describe('a sound that is longer than a model takes', () => {
  it('is heard in pieces that are cut in pauses, whole and in order', async () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
    const sound = Float32Array.from({ length: seconds.length * RECOGNITION_RATE_HZ }, (_, at) => {
      const second = at / RECOGNITION_RATE_HZ;
      return second % 1 < 0.6 ? (Math.floor(second) + 1) / 100 : 0;
    });
    const longest = 5.5 * RECOGNITION_RATE_HZ;
    const lengths: number[] = [];
    const { text } = await decodeInPieces(sound, longest, async (piece) => {
      lengths.push(piece.length);
      const heard = new Set([...piece].map((sample) => Math.round(sample * 100)).filter(Boolean));
      return { text: [...heard].map((word) => `w${word}`).join(' ') };
    });
    expect(text).toBe(seconds.map((word) => `w${word}`).join(' '));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(longest);
  });
});
