import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usageChart, usageSvg } from '../../../src/command/usage-chart.ts';
import type { UsageDay } from '../../../src/store/usage.ts';
import { casesOf } from '../../fakes/cases.ts';

const day = (part: Partial<UsageDay> = {}): UsageDay => ({
  day: '2026-03-01',
  characters: 0,
  audioMs: 0,
  chatTokens: 0,
  messages: 0,
  people: 0,
  ...part,
});

const barsOf = (svg: string, colour: string): { y: number; height: number }[] =>
  [
    ...svg.matchAll(
      /<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)" rx="2" fill="(#\w+)"/g,
    ),
  ]
    .filter((match) => match[3] === colour)
    .map(([, y, height]) => ({ y: Number(y), height: Number(height) }));

const CHARACTERS = '#4d86e8';

describe('the picture of the use', () => {
  it('has a bar for each day with use, as high as its share', () => {
    const svg = usageSvg([
      day({ characters: 50 }),
      day(),
      day({ characters: 100, audioMs: 60_000, chatTokens: 9, people: 3 }),
    ]);
    const [half, whole, ...rest] = barsOf(svg, CHARACTERS);
    expect(rest).toEqual([]);
    expect(whole?.height).toBe(170);
    expect(half?.height).toBe(85);
    expect(barsOf(svg, '#d0711b')).toHaveLength(1);
    expect(barsOf(svg, '#a573e0')).toHaveLength(1);
    expect(barsOf(svg, '#3a9a4a')).toHaveLength(1);
    expect(svg).toContain('>100<');
    expect(svg).toContain('>03-01<');
  });

  it('shows what is little beside the rest', () => {
    const svg = usageSvg([day({ characters: 1 }), day({ characters: 1_000_000 })]);
    expect(barsOf(svg, CHARACTERS)[0]?.height).toBe(2);
  });

  it('stays within its bounds whatever the numbers', () => {
    const amount = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(0));
    const days = fc.array(
      fc.record({
        characters: amount,
        audioMs: amount,
        chatTokens: amount,
        messages: amount,
        people: fc.nat(),
      }),
      { maxLength: 90 },
    );
    fc.assert(
      fc.property(days, (each) => {
        const svg = usageSvg(each.map((part) => day(part)));
        expect(svg).not.toMatch(/NaN|Infinity/);
        for (const { y, height } of barsOf(svg, CHARACTERS)) {
          expect(y).toBeGreaterThanOrEqual(24);
          expect(y + height).toBeCloseTo(194, 0);
        }
      }),
      { numRuns: casesOf(50) },
    );
  });

  it('is drawn as PNG, with a font of its own', async () => {
    const png = Buffer.from(await usageChart([day({ characters: 5 })]));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([960, 568]);
    const withoutDates = Buffer.from(await usageChart([day({ day: '', characters: 5 })]));
    expect(png.equals(withoutDates)).toBe(false);
  });
});
