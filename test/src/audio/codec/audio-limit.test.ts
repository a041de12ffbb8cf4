import { describe, expect, it } from 'vitest';
import { createAudioLimit } from '../../../../src/audio/codec/audio-limit.ts';

const HOUR_S = 3_600;
const MANY = 1e12;

/** The check of a file of this rate, by seconds. */
const limitAt = (sampleRateHz: number) => {
  const count = createAudioLimit();
  return (seconds: number, readBytes = MANY): void =>
    count({ samples: seconds * sampleRateHz, sampleRateHz, readBytes });
};

const refusedFor = (key: 'too-long' | 'too-large') =>
  expect.objectContaining({
    code: 'too-large',
    sentence: expect.objectContaining({ key: `errors.audio.${key}` }),
  });

describe('the limit of a file', () => {
  it.each([1, 8_000, 48_000, 96_000])(
    'is four hours, however many its bytes: %d Hz',
    (sampleRateHz) => {
      const hear = limitAt(sampleRateHz);
      for (let hour = 0; hour < 4; hour += 1) hear(HOUR_S);
      expect(() => hear(1)).toThrow(refusedFor('too-long'));
    },
  );

  it('is as many samples as four hours of 96 kHz have', () => {
    const hear = limitAt(384_000);
    hear(HOUR_S);
    expect(() => hear(1)).toThrow(refusedFor('too-large'));
  });

  it.each([
    [8_000, 16],
    [48_000, 16],
    [96_000, 32],
    [384_000, 128],
  ])('at %d Hz is a second for each %d bytes, once it is long', (sampleRateHz, bytes) => {
    const hear = limitAt(sampleRateHz);
    hear((120 * 16) / bytes, 1);
    const seconds = (120 * 16) / bytes + 1;
    expect(() => hear(1, seconds * bytes)).not.toThrow();
    expect(() => hear(1, (seconds + 1) * bytes - 1)).toThrow(refusedFor('too-long'));
  });

  it('holds where a part has no rate', () => {
    const part = { samples: 1, sampleRateHz: 0, readBytes: MANY };
    expect(() => createAudioLimit()(part)).toThrow(refusedFor('too-long'));
  });
});
