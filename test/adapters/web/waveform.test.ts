import { expect, test } from 'vitest';
import { barsPath, peaksOf } from '../../../adapters/web/page/icons.ts';

test('each bar is the loudest sample of its part, scaled to the loudest of all', () => {
  expect(peaksOf(Float32Array.of(0, 0.1, -0.5, 0.2, 0.25, 0), 3)).toEqual([
    expect.closeTo(0.2),
    1,
    0.5,
  ]);
});

test('silence and sounds shorter than the picture are drawn too', () => {
  expect(peaksOf(new Float32Array(10), 2)).toEqual([0, 0]);
  expect(peaksOf(Float32Array.of(1), 4)).toHaveLength(4);
  expect(barsPath([0, 1], 20)).toBe('M1.5 9.6v0.7M4.5 1.0v18.0');
});
