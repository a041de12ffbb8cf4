import { describe, expect, it } from 'vitest';
import {
  nextRenewal,
  NO_ROUND,
  type RenewalsUnderWay,
} from '../../../../src/store/postgres/renewals.ts';

describe('the next step of renewing', () => {
  const stepAt = (
    nowMs: number,
    underWay: readonly ('session' | 'spare')[],
    { isHearing = true, warnedMs = -Infinity } = {},
  ) => {
    const given: RenewalsUnderWay = {
      onSession: underWay.includes('session'),
      onSpare: underWay.includes('spare'),
      isHearing,
    };
    const { rounds, ...step } = nextRenewal({ startMs: 0, warnedMs }, given, nowMs);
    return { ...step, startMs: rounds.startMs };
  };

  it('is a renewal at once before the first round', () => {
    const underWay = { onSession: false, onSpare: false, isHearing: true };
    const { send, wakeAtMs } = nextRenewal(NO_ROUND, underWay, 50);
    expect({ send, wakeAtMs }).toEqual({ send: 'session', wakeAtMs: 1_050 });
  });

  it('is a wait for a third of a lease once a renewal was answered', () => {
    expect(stepAt(100, [])).toEqual({ startMs: 0, wakeAtMs: 4_000 / 3, warn: false });
    const { send, startMs } = stepAt(1_400, []);
    expect({ send, startMs }).toEqual({ send: 'session', startMs: 1_400 });
  });

  it('is a renewal on the other connection, and a warning, where one takes a second', () => {
    expect(stepAt(500, ['session'])).toEqual({ startMs: 0, wakeAtMs: 1_000, warn: false });
    const late = { startMs: 1_000, wakeAtMs: 2_000, warn: true };
    expect(stepAt(1_000, ['session'])).toEqual({ ...late, send: 'spare' });
    expect(stepAt(1_000, ['spare'])).toEqual({ ...late, send: 'session' });
  });

  it('sends nothing on the spare connection for a process that hears nothing', () => {
    const step = stepAt(1_000, ['session'], { isHearing: false });
    expect(step).toEqual({ startMs: 1_000, wakeAtMs: 2_000, warn: true });
  });

  it('waits for either answer where both connections are slow', () => {
    const both = ['session', 'spare'] as const;
    expect(stepAt(500, both)).toEqual({ startMs: 0, wakeAtMs: 1_000, warn: false });
    expect(stepAt(1_000, both)).toEqual({ startMs: 0, wakeAtMs: 4_000 / 3, warn: true });
    expect(stepAt(1_400, both)).toEqual({ startMs: 1_400, wakeAtMs: 2_400, warn: true });
  });

  it('warns once in half a minute', () => {
    expect(stepAt(1_000, ['session'], { warnedMs: -28_000 }).warn).toBe(false);
    expect(stepAt(1_000, ['session'], { warnedMs: -29_000 }).warn).toBe(true);
  });
});
