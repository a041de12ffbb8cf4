import { describe, expect, it } from 'vitest';
import { createWithheldLines } from '../../../../src/voice/captions/missing-lines.ts';

const setUp = () => {
  const noted: string[] = [];
  return { noted, lines: createWithheldLines((speakerId) => void noted.push(speakerId)) };
};

describe('withheld lines', () => {
  it('are counted, but not noise', () => {
    const { lines } = setUp();
    lines.withheld('ann', 'foreign');
    lines.withheld('ann', 'unsure');
    lines.withheld('ben', 'repeat');
    lines.withheld('ben', 'no-words');
    expect(lines.counts).toEqual({ foreign: 1, misheard: 2 });
  });

  it('are noted once for a person, when there are three in a row', () => {
    const { lines, noted } = setUp();
    for (let times = 0; times < 2; times += 1) lines.withheld('ann', 'foreign');
    for (let times = 0; times < 2; times += 1) lines.withheld('ben', 'foreign');
    lines.shown('ann');
    for (let times = 0; times < 2; times += 1) lines.withheld('ann', 'foreign');
    expect(noted).toEqual([]);
    for (let times = 0; times < 5; times += 1) lines.withheld('ann', 'unsure');
    expect(noted).toEqual(['ann']);
  });
});
