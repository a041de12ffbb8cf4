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
import { createServiceKey, UnreadableKeyError, type ServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import { NO_SPACE } from '../../../src/model/service.ts';
import type { Space } from '../../../src/model/place.ts';
import type { Translator } from '../../../src/translation/translator.ts';

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
    const breaker = createBreaker({ nowMs: () => 0, probe: () => Promise.reject(refused) });
    await breaker.judge(0);
    expect(breaker.outage()).toBeUndefined();
  });
});

describe('an outage of a space’s own key', () => {
  const OWNER: Space = { platform: 'p', id: 'owner' };
  const OTHER: Space = { platform: 'p', id: 'other' };
  const LOCKED: Space = { platform: 'p', id: 'locked' };

  const OWN_KEY = createServiceKey('svck:own', { isOwn: true });
  const OPERATORS_KEY = createServiceKey('svck:operators');

  const createOutageWorld = () => {
    const world = {
      nowMs: 0,
      /** The keys of spaces, by id. */
      keys: new Map([[OWNER.id, OWN_KEY]]),
      refused: OWN_KEY,
      probed: [] as (readonly [Space, ServiceKey | undefined])[],
      logged: [] as unknown[],
    };
    const translator: Translator = {
      async *translate({ place, key }) {
        world.probed.push(['space' in place ? place.space : place, key]);
        if (key === world.refused) throw serviceError(401, undefined, '', world.refused);
        throw new AppError('bad-input', 'a refusal is an answer');
      },
    };
    const note = (about: unknown): void => void world.logged.push(about);
    const outages = createOutages({
      serviceKeyOf: async ({ id }) => {
        if (id === LOCKED.id) throw new UnreadableKeyError(new Error('locked'));
        return world.keys.get(id) ?? OPERATORS_KEY;
      },
      translator,
      log: { info: note, warn: note } as never,
      nowMs: () => world.nowMs,
    });
    return { world, outages };
  };

  it('holds up that space alone, and is probed with that key', async () => {
    const { world, outages } = createOutageWorld();
    const judge = async (space: Space) => (await outages.of('es', space)).judge(0);
    await expect(judge(OWNER)).rejects.toBeInstanceOf(OutageError);
    await judge(OTHER);
    expect(world.probed).toEqual([
      [OWNER, OWN_KEY],
      [NO_SPACE, OPERATORS_KEY],
    ]);
    expect(await outages.among(['es'], OWNER)).toMatchObject({
      reason: { key: 'service.bad-own-key' },
    });
    expect(await outages.among(['es'], OTHER)).toBeUndefined();
  });

  it('is probed with that key also where the space no longer has it', async () => {
    const { world, outages } = createOutageWorld();
    const breaker = await outages.of('es', OWNER);
    await expect(breaker.judge(0)).rejects.toBeInstanceOf(OutageError);
    world.keys.clear();
    world.nowMs += 60_000;
    await expect(breaker.ready()).rejects.toBeInstanceOf(OutageError);
    expect(world.probed.map(([, key]) => key)).toEqual([OWN_KEY, OWN_KEY]);
    expect(await outages.among(['es'], OWNER)).toBeUndefined();
  });

  it('is logged with its space, and one of the service without', async () => {
    const { world, outages } = createOutageWorld();
    await expect((await outages.of('es', OWNER)).judge(0)).rejects.toBeInstanceOf(OutageError);
    await expect((await outages.of('es', LOCKED)).judge(0)).rejects.toBeInstanceOf(OutageError);
    expect(world.logged).toMatchObject([{ space: OWNER }, { space: LOCKED }]);
    world.logged = [];
    world.refused = OPERATORS_KEY;
    await expect((await outages.of('es', OTHER)).judge(0)).rejects.toBeInstanceOf(OutageError);
    expect(world.logged).not.toMatchObject([{ space: OTHER }]);
  });

  it('of a key that cannot be decrypted costs no request', async () => {
    const { world, outages } = createOutageWorld();
    const breaker = await outages.of('es', LOCKED);
    await expect(breaker.judge(0)).rejects.toMatchObject({
      sentence: { key: 'service.unreadable-own-key' },
      retryAfterMs: 60_000,
    });
    expect(world.probed).toEqual([]);
  });
});
