import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createBreaker,
  nextState,
  OutageError,
  PROBE_EVERY_MS,
  type BreakerEvent,
  type BreakerState,
} from '../../../../src/autotranslate/outages/breaker.ts';
import { createServiceKey } from '../../../../src/api/keys.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { AppError } from '../../../../src/errors.ts';

const away = new AppError('unavailable', 'away', { retryable: true });
const refused = new AppError('missing', 'no such pair');

const anyEvent: fc.Arbitrary<BreakerEvent> = fc.oneof(
  fc.constantFrom<BreakerEvent>({ kind: 'answered' }, { kind: 'probing' }),
  fc.nat().map((atMs): BreakerEvent => ({ kind: 'probe-failed', error: away, atMs })),
);
const after = (events: readonly BreakerEvent[]): BreakerState =>
  events.reduce(nextState, { kind: 'closed' });

describe('the state of a breaker', () => {
  it('is closed after any answer, whatever was before', () => {
    fc.assert(
      fc.property(fc.array(anyEvent), (all) => {
        expect(after([...all, { kind: 'answered' }])).toEqual({ kind: 'closed' });
      }),
    );
  });

  it('is open only after a probe failed, and no answer came since it was sent', () => {
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const { kind } = after(events);
        const since = events.slice(events.findLastIndex((one) => one.kind === 'answered') + 1);
        const sent = since.findIndex((one) => one.kind === 'probing');
        const hasFailed = sent >= 0 && since.slice(sent).some((one) => one.kind === 'probe-failed');
        expect(kind === 'open' || kind === 'half-open').toBe(hasFailed);
      }),
    );
  });

  it('is probed again after a while, or when the service says', () => {
    const told = new AppError('rate-limited', 'busy', { retryable: true, retryAfterMs: 60_000 });
    const keyRefused = serviceError(401, undefined, '', createServiceKey('svck:any'));
    for (const [error, waitMs] of [
      [away, PROBE_EVERY_MS],
      [told, 60_000],
      [refused, 30_000],
      [keyRefused, 30_000],
    ] as const)
      expect(after([{ kind: 'probing' }, { kind: 'probe-failed', error, atMs: 7 }])).toMatchObject({
        kind: 'open',
        probeAtMs: 7 + waitMs,
      });
  });
});

/** A service that is up or down, and a breaker in front of it. */
const createWorld = () => {
  const world = { nowMs: 0, isUp: true, probes: 0, probing: 0, mostProbing: 0 };
  const breaker = createBreaker({
    nowMs: () => world.nowMs,
    probe: async () => {
      world.probes += 1;
      world.probing += 1;
      world.mostProbing = Math.max(world.mostProbing, world.probing);
      await Promise.resolve();
      world.probing -= 1;
      if (!world.isUp) throw away;
    },
  });
  /** Sends a message; resolves with how it ended. */
  const send = async (isPoisoned = false): Promise<'passed' | 'alone' | 'outage'> => {
    try {
      const before = breaker.mark();
      await breaker.ready();
      await Promise.resolve();
      if (world.isUp && !isPoisoned) {
        breaker.answered('en');
        return 'passed';
      }
      await breaker.judge(before);
      return 'alone';
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(OutageError);
      return 'outage';
    }
  };
  return { world, breaker, send };
};

describe('a breaker', () => {
  it('blames a poisoned message alone, and a service that is down for all, one probe at a time', async () => {
    const step = fc.record({
      isUp: fc.boolean(),
      waitMs: fc.integer({ min: 0, max: 2 * PROBE_EVERY_MS }),
      poisoned: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { world, breaker, send } = createWorld();
        for (const { isUp, waitMs, poisoned } of steps) {
          world.isUp = isUp;
          world.nowMs += waitMs;
          const wasOpen = breaker.outage() !== undefined;
          const ends = await Promise.all(poisoned.map(send));
          if (!isUp) expect(new Set(ends)).toEqual(new Set(['outage']));
          else if (!wasOpen || waitMs >= PROBE_EVERY_MS)
            expect(ends).toEqual(poisoned.map((one) => (one ? 'alone' : 'passed')));
          expect(breaker.outage() !== undefined).toBe(ends.includes('outage'));
        }
        expect(world.mostProbing).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('sends nothing during an outage but its probes', async () => {
    const { world, send } = createWorld();
    world.isUp = false;
    await send();
    expect(world.probes).toBe(1);
    for (let at = 0; at < 10; at += 1) await send();
    expect(world.probes).toBe(1);
    world.nowMs += PROBE_EVERY_MS;
    await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(world.probes).toBe(2);
  });

  it('asks for no probe where another message passed meanwhile', async () => {
    const { world, breaker, send } = createWorld();
    await Promise.all([send(), send(true)]);
    expect(world.probes).toBe(0);
    expect(breaker.outage()).toBeUndefined();
  });

  it('takes a refusal of its probe for an outage, and a fault of ours for none', async () => {
    const fault = { error: refused as Error };
    const breaker = createBreaker({ nowMs: () => 0, probe: () => Promise.reject(fault.error) });
    await expect(breaker.judge()).rejects.toMatchObject({ isRefusal: true, retryAfterMs: 30_000 });
    fault.error = new TypeError('ours');
    await breaker.tryAgain();
    expect(breaker.outage()).toBeUndefined();
  });

  it('blames no message that was sent during an outage which is over when it fails', async () => {
    const { world, breaker, send } = createWorld();
    const mark = breaker.mark();
    world.isUp = false;
    await send();
    world.isUp = true;
    await breaker.tryAgain();
    await expect(breaker.judge(mark)).rejects.toMatchObject({ retryAfterMs: 0 });
    await breaker.judge(breaker.mark());
  });

  it('is probed at once where somebody tries again, and not without an outage', async () => {
    const { world, breaker, send } = createWorld();
    await breaker.tryAgain();
    world.isUp = false;
    await send();
    world.isUp = true;
    await breaker.tryAgain();
    expect(world.probes).toBe(2);
    expect(await send()).toBe('passed');
  });
});
