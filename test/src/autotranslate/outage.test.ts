import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createBreaker,
  createOutages,
  nextState,
  OutageError,
  PROBE_EVERY_MS,
  type BreakerEvent,
  type BreakerState,
} from '../../../src/autotranslate/outage.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { NO_SPACE } from '../../../src/model/lane.ts';
import type { Space } from '../../../src/model/place.ts';
import type { Translator } from '../../../src/translation/translator.ts';

const away = new AppError('unavailable', 'away', { retryable: true });
const refused = new AppError('missing', 'no such pair');

const anyEvent: fc.Arbitrary<BreakerEvent> = fc.oneof(
  fc.constantFrom<BreakerEvent>(
    { kind: 'answered' },
    { kind: 'probing' },
    { kind: 'probe-answered' },
  ),
  fc.nat().map((atMs): BreakerEvent => ({ kind: 'probe-failed', error: away, atMs })),
);
const after = (events: readonly BreakerEvent[]): BreakerState =>
  events.reduce(nextState, { kind: 'closed' });

describe('the state of a breaker', () => {
  it('is closed after any answer, whatever was before', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent),
        fc.constantFrom('answered', 'probe-answered'),
        (all, kind) => {
          expect(after([...all, { kind }])).toEqual({ kind: 'closed' });
        },
      ),
    );
  });

  it('is open only after a probe failed, and no answer came since it was sent', () => {
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        const { kind } = after(events);
        const since = events.slice(
          events.findLastIndex((one) => one.kind === 'answered' || one.kind === 'probe-answered') +
            1,
        );
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
      [keyRefused, 60_000],
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
    now: () => world.nowMs,
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
      const before = breaker.answers();
      await breaker.ready();
      await Promise.resolve();
      if (world.isUp && !isPoisoned) {
        breaker.answered();
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

  it('takes a refusal of its probe for an answer', async () => {
    const breaker = createBreaker({ now: () => 0, probe: () => Promise.reject(refused) });
    await breaker.judge(0);
    expect(breaker.outage()).toBeUndefined();
  });
});

describe('an outage of a space’s own key', () => {
  const OWNER: Space = { platform: 'p', id: 'owner' };
  const OTHER: Space = { platform: 'p', id: 'other' };

  it('holds up that space alone, and is probed with that key', async () => {
    const probed: Space[] = [];
    const translator: Translator = {
      // eslint-disable-next-line require-yield
      async *translate({ place }) {
        const space = 'space' in place ? place.space : place;
        probed.push(space);
        if (space === OWNER)
          throw serviceError(401, undefined, '', createServiceKey('svck:own', { isOwn: true }));
        throw new AppError('bad-input', 'a refusal is an answer');
      },
    };
    const outages = createOutages({
      accountOf: async (space) => ({ id: space.id, isOwn: space === OWNER }),
      translator,
      log: createLog('silent'),
      now: () => 0,
    });
    const judge = async (space: Space) => (await outages.of('es', space)).judge(0);
    await expect(judge(OWNER)).rejects.toBeInstanceOf(OutageError);
    await judge(OTHER);
    expect(probed).toEqual([OWNER, NO_SPACE]);
    expect(await outages.among(['es'], OWNER)).toMatchObject({
      reason: { key: 'service.bad-own-key' },
    });
    expect(await outages.among(['es'], OTHER)).toBeUndefined();
  });
});
