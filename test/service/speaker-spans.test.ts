import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpeakerTurn } from '../../service/engine.ts';
import { cutAtSpeakers, divideAmongSpeakers } from '../../service/speaker-spans.ts';

const turn = (startMs: number, endMs: number, speaker: number): SpeakerTurn => ({
  startMs,
  endMs,
  speaker,
});

describe('a recording', () => {
  it('belongs to its speakers, with each pause between two divided in its middle', () => {
    expect(
      divideAmongSpeakers(
        [turn(500, 2_000, 1), turn(3_000, 5_000, 2), turn(5_500, 6_000, 2)],
        9_000,
      ),
    ).toEqual([
      { startMs: 0, endMs: 2_500, speaker: 1 },
      { startMs: 2_500, endMs: 9_000, speaker: 2 },
    ]);
  });

  it('belongs to the one who began last where two speak at once, but for a word in between', () => {
    expect(
      divideAmongSpeakers([turn(0, 5_000, 1), turn(2_000, 2_500, 2), turn(4_000, 8_000, 3)], 8_000),
    ).toEqual([
      { startMs: 0, endMs: 4_000, speaker: 1 },
      { startMs: 4_000, endMs: 8_000, speaker: 3 },
    ]);
  });

  it('is given back to who goes on behind a longer turn of somebody else', () => {
    expect(
      divideAmongSpeakers(
        [turn(0, 9_000, 1), turn(2_000, 4_000, 2), turn(6_000, 7_000, 3), turn(9_500, 9_900, 2)],
        10_000,
      ),
    ).toEqual([
      { startMs: 0, endMs: 2_000, speaker: 1 },
      { startMs: 2_000, endMs: 4_000, speaker: 2 },
      { startMs: 4_000, endMs: 6_000, speaker: 1 },
      { startMs: 6_000, endMs: 7_000, speaker: 3 },
      { startMs: 7_000, endMs: 9_250, speaker: 1 },
      { startMs: 9_250, endMs: 10_000, speaker: 2 },
    ]);
  });

  it('is divided without a gap, and cut into no more than it was', () => {
    const turns = fc
      .array(
        fc.record({
          startMs: fc.nat(20_000),
          lengthMs: fc.integer({ min: 1, max: 9_000 }),
          speaker: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 1, maxLength: 30 },
      )
      .map((all) =>
        all
          .map(({ startMs, lengthMs, speaker }) => turn(startMs, startMs + lengthMs, speaker))
          .toSorted((a, b) => a.startMs - b.startMs),
      );
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 25_000 }), (all, lengthMs) => {
        const speakers = divideAmongSpeakers(all, lengthMs);
        expect([0, ...speakers.map(({ endMs }) => endMs)]).toEqual([
          ...speakers.map(({ startMs }) => startMs),
          lengthMs,
        ]);
        const span = { startMs: lengthMs / 4, endMs: lengthMs / 2 };
        const parts = cutAtSpeakers([span], speakers);
        expect([parts[0]?.startMs, parts.at(-1)?.endMs]).toEqual([span.startMs, span.endMs]);
      }),
    );
  });

  it('stays as it is where nobody is told apart', () => {
    const spans = [{ startMs: 0, endMs: 100 }];
    expect(divideAmongSpeakers([], 100)).toEqual([]);
    expect(cutAtSpeakers(spans, [])).toBe(spans);
  });
});
