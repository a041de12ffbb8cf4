import { describe, expect, it } from 'vitest';
import {
  createWithheldLines,
  type LostLines,
} from '../../../../src/voice/captions/missing-lines.ts';
import type { Refusal } from '../../../../src/voice/stt/invented-text.ts';

const setUp = () => {
  const noted: string[] = [];
  const marked: LostLines[] = [];
  const lines = createWithheldLines({
    note: (speakerId) => void noted.push(speakerId),
    mark: (withheld) => void marked.push(withheld),
  });
  let nowMs = 0;
  const withhold = (speakerId: string, ...refusals: readonly Refusal[]): void => {
    for (const refusal of refusals) {
      nowMs += 1_000;
      lines.withheld({ speakerId, startMs: nowMs, endMs: nowMs + 500 }, refusal);
    }
  };
  return { noted, marked, lines, withhold };
};

describe('withheld lines', () => {
  it('are counted by reason, but not what has no words', () => {
    const { lines, withhold } = setUp();
    withhold('ann', 'foreign', 'unsure', 'noise');
    withhold('ben', 'repeat', 'no-words', 'loop', 'too-fast', 'echo', 'stock-phrase');
    expect(lines.counts).toEqual({
      noise: 1,
      invented: 4,
      repeated: 1,
      wordless: 0,
      unsure: 1,
      foreign: 1,
    });
  });

  it('are counted for each person, until that one is forgotten', () => {
    const { lines, withhold } = setUp();
    withhold('ann', 'foreign', 'unsure', 'unsure');
    withhold('ben', 'noise');
    lines.wordless('ben');
    expect(lines.countsOf('ann')).toMatchObject({ foreign: 1, unsure: 2, noise: 0 });
    expect(lines.countsOf('ben')).toMatchObject({ noise: 1, wordless: 1, unsure: 0 });
    lines.forget('ann');
    expect(lines.countsOf('ann')).toMatchObject({ foreign: 0, unsure: 0 });
    expect(lines.counts).toMatchObject({ foreign: 1, unsure: 2 });
  });

  it('are noted once for a person, when there are three in a row', () => {
    const { lines, noted, withhold } = setUp();
    withhold('ann', 'foreign', 'foreign');
    withhold('ben', 'foreign', 'foreign');
    lines.shown('ann');
    withhold('ann', 'foreign', 'foreign');
    expect(noted).toEqual([]);
    withhold('ann', 'unsure', 'unsure', 'unsure', 'unsure', 'unsure');
    expect(noted).toEqual(['ann']);
  });

  it('are not noted where they are what recognisers make of noise', () => {
    const { noted, withhold } = setUp();
    for (const refusal of ['noise', 'loop', 'too-fast', 'echo', 'stock-phrase'] as const)
      withhold('ann', refusal, refusal);
    expect(noted).toEqual([]);
  });

  it('are marked together between two lines that are shown, without noise', () => {
    const { lines, marked, withhold } = setUp();
    withhold('ann', 'unsure', 'noise', 'no-words');
    withhold('ben', 'loop', 'noise');
    expect(marked).toEqual([]);
    lines.shown('ann');
    expect(marked).toEqual([{ count: 2, startMs: 1_000, endMs: 4_500 }]);
    lines.shown('ann');
    lines.report();
    expect(marked).toHaveLength(1);
  });
});
