import { describe, expect, it } from 'vitest';

describe('samples that are compared', () => {
  const samples = Float32Array.of(0.5, -1, 0);

  it('are equal where their bytes are, wherever they stand', () => {
    expect(Float32Array.of(9, ...samples).subarray(1)).toEqual(samples);
    expect({ samples }).toEqual({ samples: samples.slice() });
  });

  it.each([
    ['value', Float32Array.of(0.5, -1, 1)],
    ['length', samples.subarray(1)],
    ['kind', new Uint8Array(samples.buffer)],
  ])('differ by their %s', (_, other) => {
    expect(other).not.toEqual(samples);
    expect({ samples: other }).not.toEqual({ samples });
  });

  it('are looked at once, however many files were set up before', async () => {
    const setUp = './set-up.ts?again';
    await import(setUp);
    let looked = 0;
    class Watched extends Float32Array<ArrayBuffer> {
      override get buffer(): ArrayBuffer {
        looked += 1;
        return super.buffer;
      }
    }
    expect(Watched.of(1)).not.toEqual(Watched.of(2));
    expect(looked).toBe(2);
  });
});
