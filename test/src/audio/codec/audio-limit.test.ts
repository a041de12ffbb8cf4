import { describe, expect, it } from 'vitest';
import { createAudioLimit } from '../../../../src/audio/codec/audio-limit.ts';

const HOUR_S = 3_600;

describe('the limit of a file', () => {
  it('is four hours, however many its bytes', () => {
    const count = createAudioLimit();
    for (let hour = 0; hour < 4; hour += 1) count(HOUR_S, 1e9);
    expect(() => count(0.01, 1e9)).toThrow(expect.objectContaining({ code: 'too-large' }));
  });

  it('is a second for each 16 bytes, once it is longer than two minutes', () => {
    const honest = createAudioLimit();
    honest(120, 1);
    expect(() => honest(1, 121 * 16)).not.toThrow();
    expect(() => honest(1, 122 * 16 - 1)).toThrow(expect.objectContaining({ code: 'too-large' }));
  });

  it.each([Infinity, 1e300])('holds for lengths without measure: %d s', (seconds) => {
    expect(() => createAudioLimit()(seconds, 1e9)).toThrow(
      expect.objectContaining({ code: 'too-large' }),
    );
  });
});
