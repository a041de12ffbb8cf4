import { describe, expect, it } from 'vitest';
import { OutageError } from '../../../../src/autotranslate/outages/breaker.ts';
import { createOutages } from '../../../../src/autotranslate/outages/outage.ts';
import { createServiceKey, UnreadableKeyError, type ServiceKey } from '../../../../src/api/keys.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { AppError } from '../../../../src/errors.ts';
import { NO_SPACE } from '../../../../src/model/service.ts';
import type { Space } from '../../../../src/model/place.ts';
import type { Translator } from '../../../../src/translation/translator.ts';

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
      async *translate({ text, from = 'en', to, place, key }) {
        world.probed.push(['space' in place ? place.space : place, key]);
        if (key === world.refused) throw serviceError(401, undefined, '', world.refused);
        return { text, from, to, outcome: 'translated' };
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
      ended: () => undefined,
    });
    return { world, outages };
  };

  it('holds up that space alone, and is probed with that key', async () => {
    const { world, outages } = createOutageWorld();
    const judge = async (space: Space) => (await outages.of('es', space)).judge();
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
    await expect(breaker.judge()).rejects.toBeInstanceOf(OutageError);
    world.keys.clear();
    world.nowMs += 30_000;
    await expect(breaker.ready()).rejects.toBeInstanceOf(OutageError);
    expect(world.probed.map(([, key]) => key)).toEqual([OWN_KEY, OWN_KEY]);
    expect(await outages.among(['es'], OWNER)).toBeUndefined();
  });

  it('is logged with its space, and one of the service without', async () => {
    const { world, outages } = createOutageWorld();
    await expect((await outages.of('es', OWNER)).judge()).rejects.toBeInstanceOf(OutageError);
    await expect((await outages.of('es', LOCKED)).judge()).rejects.toBeInstanceOf(OutageError);
    expect(world.logged).toMatchObject([{ space: OWNER }, { space: LOCKED }]);
    world.logged = [];
    world.refused = OPERATORS_KEY;
    await expect((await outages.of('es', OTHER)).judge()).rejects.toBeInstanceOf(OutageError);
    expect(world.logged).not.toMatchObject([{ space: OTHER }]);
  });

  it('of a key that cannot be decrypted costs no request', async () => {
    const { world, outages } = createOutageWorld();
    const breaker = await outages.of('es', LOCKED);
    await expect(breaker.judge()).rejects.toMatchObject({
      sentence: { key: 'service.unreadable-own-key' },
      retryAfterMs: 30_000,
    });
    expect(world.probed).toEqual([]);
  });
});

describe('a probe of a language', () => {
  const PLACE: Space = { platform: 'p', id: 'place' };
  const KEY = createServiceKey('svck:operators');
  const noPair = serviceError(404, undefined, '', KEY);

  /** Judges a failure where this fault is met but in the languages that are served. */
  const judge = async (
    fault: AppError,
    { to, served, worked }: { to: string; served: readonly string[]; worked?: string },
  ): Promise<{ readonly isOutage: boolean; readonly probed: readonly string[] }> => {
    const probed: string[] = [];
    const outages = createOutages({
      serviceKeyOf: async () => KEY,
      translator: {
        async *translate({ text, from = '', to: into }) {
          probed.push(from);
          if (!served.includes(from)) throw fault;
          return { text, from, to: into, outcome: 'translated' };
        },
      },
      log: { info: () => undefined, warn: () => undefined } as never,
      nowMs: () => 0,
      ended: () => undefined,
    });
    const breaker = await outages.of(to, PLACE);
    if (worked !== undefined) breaker.answered(worked);
    const mark = breaker.mark();
    const isOutage = await breaker.judge(mark).then(
      () => false,
      () => true,
    );
    return { isOutage, probed };
  };
  const missing = new AppError('missing', 'no pair', {
    sentence: { key: 'service.no-translation' },
  });

  it('goes on in other languages where one is refused, and ends with what is served', async () => {
    expect(await judge(missing, { to: 'ja', served: ['de'] })).toEqual({
      isOutage: false,
      probed: ['en', 'es', 'de'],
    });
  });

  it('begins with the language that was translated last', async () => {
    expect(await judge(missing, { to: 'fr', served: ['br'], worked: 'br' })).toEqual({
      isOutage: false,
      probed: ['br'],
    });
  });

  it('says nothing where pairs of languages are missing, of which none was ever translated', async () => {
    expect(await judge(missing, { to: 'fr', served: ['br'] })).toMatchObject({ isOutage: false });
    expect(await judge(missing, { to: 'fr', served: [], worked: 'br' })).toMatchObject({
      isOutage: true,
    });
    expect(await judge(noPair, { to: 'fr', served: [] })).toMatchObject({ isOutage: true });
  });

  it('is sent once where every language meets the same', async () => {
    const away = serviceError(503, undefined, '', KEY);
    for (const fault of [away, serviceError(403, undefined, '', KEY)])
      expect(await judge(fault, { to: 'ja', served: [] })).toEqual({
        isOutage: true,
        probed: ['en'],
      });
  });
});
