import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createArrivals, createUnwrap } from '../../../../adapters/discord/voice/rtp.ts';

describe('a counter that wraps', () => {
  it('goes on where it wraps', () => {
    const unwrap = createUnwrap(16);
    expect([65_534, 65_535, 0, 1, 65_535].map(unwrap)).toEqual([
      65_534, 65_535, 65_536, 65_537, 65_535,
    ]);
  });

  it('follows any steps that are smaller than half its range', () => {
    const steps = fc.array(fc.integer({ min: -30_000, max: 30_000 }));
    fc.assert(
      fc.property(fc.nat(65_535), steps, (start, all) => {
        const unwrap = createUnwrap(16);
        let real = start;
        unwrap(start);
        for (const step of all) {
          real += step;
          expect(unwrap(((real % 65_536) + 65_536) % 65_536)).toBe(real);
        }
      }),
    );
  });
});

describe('packets that arrive', () => {
  it('leave as many missing as never came, whatever came twice or in another order', () => {
    const packets = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer(), packets, (start, offsets) => {
        const arrivals = createArrivals();
        const come = new Set<number>();
        let missing = 0;
        for (const offset of offsets) {
          const more = arrivals.note(start + offset, 0);
          expect(more === undefined).toBe(come.has(offset));
          come.add(offset);
          missing += more ?? 0;
        }
        const first = offsets[0]!;
        const sent = Math.max(...offsets) - first + 1;
        expect(missing).toBe(sent - [...come].filter((offset) => offset >= first).length);
      }),
    );
  });

  it('are of no use when they come two seconds late', () => {
    const arrivals = createArrivals();
    arrivals.note(0, 1);
    expect(arrivals.note(200, 202)).toBe(199);
    expect(arrivals.note(72, 73)).toBeUndefined();
    expect(arrivals.note(73, 74)).toBe(-1);
  });
});
