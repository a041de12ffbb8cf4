import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPace, type Pace } from '../../../../src/api/scheduler/pace.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { createTokenBucket } from '../../../fakes/token-bucket.ts';

interface Service {
  readonly perSecond: number;
  readonly burst: number;
  readonly answerMs: number;
}

interface Sent {
  readonly sentMs: number;
  readonly endMs: number;
  /** Undefined for a request that was accepted. */
  readonly toldMs: number | undefined;
}

const STEP_MS = 5;
/** Requests under way at most, as the scheduler allows them at first. */
const AT_ONCE = 8;

/** Sends as much as the pace allows, for a time; returns what was accepted and refused. */
const saturate = (
  pace: Pace,
  { perSecond, burst, answerMs }: Service,
  { fromMs, forMs }: { readonly fromMs: number; readonly forMs: number },
) => {
  let nowMs = fromMs;
  const bucket = createTokenBucket(() => nowMs, { perSecond, burst });
  let underWay: Sent[] = [];
  let accepted = 0;
  let refused = 0;
  for (; nowMs < fromMs + forMs; nowMs += STEP_MS) {
    for (const { sentMs, endMs, toldMs } of underWay)
      if (endMs <= nowMs && toldMs === undefined) pace.accepted(nowMs);
      else if (endMs <= nowMs) pace.refused(nowMs, sentMs, toldMs);
    underWay = underWay.filter(({ endMs }) => endMs > nowMs);
    while (underWay.length < AT_ONCE * Math.max(1, answerMs / 100) && pace.waitMs(nowMs) === 0) {
      pace.sent(nowMs, true);
      const toldMs = bucket.take() || undefined;
      if (toldMs === undefined) accepted += 1;
      else refused += 1;
      underWay.push({ sentMs: nowMs, endMs: nowMs + (toldMs ? STEP_MS : answerMs), toldMs });
    }
  }
  return { used: accepted / bucket.allowed(), refused: refused / (accepted + refused), accepted };
};

const FIVE: Service = { perSecond: 5, burst: 8, answerMs: 20 };
const HALF_AN_HOUR = { fromMs: 0, forMs: 1_800_000 };

describe('the pace', () => {
  it('is no limit until the service refuses something', () => {
    const pace = createPace();
    for (let sent = 0; sent < 1_000; sent += 1) {
      expect(pace.waitMs(sent)).toBe(0);
      pace.sent(sent, false);
      pace.accepted(sent);
    }
    expect(pace.perSecond()).toBeUndefined();
  });

  it('uses what any token bucket allows, and is seldom refused', () => {
    const service = fc.record({
      perSecond: fc.integer({ min: 3, max: 50 }),
      burst: fc.integer({ min: 5, max: 40 }),
      answerMs: fc.constantFrom(5, 20, 100, 400),
    });
    const property = fc.property(service, (limits) => {
      const { used, refused } = saturate(createPace(), limits, HALF_AN_HOUR);
      expect(used).toBeGreaterThanOrEqual(0.95);
      expect(refused).toBeLessThanOrEqual(0.02);
    });
    fc.assert(property, { numRuns: casesOf(12, 6) });
  });

  it('finds a limit that was raised, and one that was lowered', () => {
    const pace = createPace();
    saturate(pace, FIVE, { fromMs: 0, forMs: 200_000 });
    saturate(pace, { ...FIVE, perSecond: 10 }, { fromMs: 200_000, forMs: 200_000 });
    const raised = saturate(pace, { ...FIVE, perSecond: 10 }, { fromMs: 400_000, forMs: 200_000 });
    expect(raised.used).toBeGreaterThanOrEqual(0.95);
    const lowered = saturate(pace, { ...FIVE, perSecond: 2 }, { fromMs: 600_000, forMs: 600_000 });
    expect(lowered.used).toBeGreaterThanOrEqual(0.95);
    expect(lowered.refused).toBeLessThanOrEqual(0.04);
  });

  it('is remembered over a time without requests, with what may be sent at once', () => {
    const pace = createPace();
    saturate(pace, FIVE, { fromMs: 0, forMs: 200_000 });
    const later = 200_000 + 3_600_000;
    expect(pace.waitMs(later)).toBe(0);
    expect(pace.perSecond()).toBeGreaterThan(4);
    let atOnce = 0;
    for (; pace.waitMs(later) === 0; atOnce += 1) pace.sent(later, false);
    expect(atOnce).toBeGreaterThanOrEqual(5);
    expect(atOnce).toBeLessThanOrEqual(8);
  });

  it('is not what the wait of the first refusal says, which is its end', () => {
    const pace = createPace();
    pace.sent(0, false);
    pace.accepted(0);
    pace.sent(5_000, false);
    pace.refused(5_010, 5_000, 30_000);
    expect(pace.waitMs(35_000)).toBe(10);
    expect(pace.waitMs(35_010)).toBe(0);
    pace.sent(35_010, true);
    pace.accepted(35_010);
    expect(pace.waitMs(35_020)).toBeLessThanOrEqual(1_000);
  });

  it('is forgotten where a single refusal stood for nothing', () => {
    const pace = createPace();
    pace.sent(0, false);
    pace.refused(10, 0, 1_000);
    expect(pace.perSecond()).toBeGreaterThan(0);
    expect(pace.waitMs(400_000)).toBe(0);
    expect(pace.perSecond()).toBeUndefined();
  });

  it('keeps a part of a burst in reserve for the more urgent', () => {
    const pace = createPace();
    saturate(pace, FIVE, { fromMs: 0, forMs: 60_000 });
    const later = 100_000;
    let atOnce = 0;
    for (; pace.waitMs(later, 0.5) === 0; atOnce += 1) pace.sent(later, false);
    expect(pace.waitMs(later)).toBe(0);
    expect(atOnce).toBeGreaterThan(0);
  });
});
