import { describe, expect, it } from 'vitest';
import { createConfidenceScale } from '../../../../src/voice/stt/confidence-scale.ts';

const learn = (confidences: readonly number[]) => {
  const scale = createConfidenceScale();
  for (const confidence of confidences) scale.learn(confidence);
  return scale;
};

describe('the scale of confidence', () => {
  it('is assumed until there are a few long lines', () => {
    expect(learn([]).of(0.75)).toBeCloseTo(0.8);
    expect(learn([0.4, 0.4, 0.4, 0.4]).of(0.75)).toBeCloseTo(0.8);
  });

  it('is that of the median of the long lines, whatever the recogniser calls it', () => {
    for (const usual of [0.55, 0.68, 0.95]) {
      const scale = learn([0.1, usual, usual, usual, 1]);
      expect(scale.of(usual)).toBeCloseTo(0.8);
      expect(scale.of(usual / 2)).toBeCloseTo(0.4);
    }
    expect(learn([0.5, 0.5, 0.5, 0.5, 0.5]).of(0.9)).toBe(1);
    expect(learn([0, 0, 0, 0, 0]).of(0)).toBe(1);
  });

  it('follows a recogniser that is exchanged', () => {
    const scale = learn(Array.from({ length: 100 }, () => 0.9));
    for (let line = 0; line < 41; line += 1) scale.learn(0.6);
    expect(scale.of(0.6)).toBeCloseTo(0.8);
  });
});
