import { expect, it } from 'vitest';
import type { Clock } from '../../../../src/async/clock.ts';
import { AppError } from '../../../../src/errors.ts';
import { createSetups } from '../../../../src/autotranslate/setup/setups.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { createSetupStore } from '../../../../src/store/setups.ts';
import { createSpaceSettings } from '../../../../src/store/settings.ts';
import { createFakeBuilder, type FakeBuilder } from '../../../fakes/builder.ts';
import { createHastyClock } from '../../../fakes/clock.ts';

const SPACE = { platform: 'test', id: 'space' };
const CHOICES = {
  channels: ['1', '2'],
  from: 'en',
  languages: ['es', 'ja'],
  form: 'channels-roles',
} as const;
const ASKED = {
  by: { name: 'Ada', locale: 'en' },
  person: { platform: 'test', id: 'ada' },
  admit: async () => undefined,
  signal: new AbortController().signal,
};
/** A channel that is linked with one of another space. */
const SHARED: ChannelWatch = {
  channel: { space: SPACE, id: '1' },
  mode: 'mirror',
  languages: ['en'],
  group: 'g',
  transcribes: true,
  bots: false,
};
/** Roles for three languages, and two channels for each of two. */
const STEPS = 7;

/** Time that stands still, as for a process that was killed. */
const STANDING: Clock = { nowMs: () => 0, after: () => () => undefined };

/** A process of its own over what is stored and built. */
const startProcess = (
  store: Store,
  builder: FakeBuilder,
  watches: ChannelWatch[],
  atMs: number,
  clock: Clock = createHastyClock(),
) =>
  createSetups({
    stored: createSetupStore(store, () => atMs),
    builderOf: () => builder,
    watches: {
      list: () => watches,
      elsewhere: ({ group }) => (group === SHARED.group ? 1 : 0),
      missing: async () => [],
      set: async (asked) => void watches.push(...asked),
    },
    spaces: createSpaceSettings(store),
    languages: { name: (code) => code },
    now: () => atMs,
    clock,
  });

/** Begins a set-up in a process that ends at the n-th thing, before it is made or before the answer has come. */
const killAt = async (step: number, isMade: boolean) => {
  const store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const watches: ChannelWatch[] = [];
  const first = startProcess(store, builder, watches, 1_000, STANDING);
  const { id } = await first.begin(SPACE, CHOICES);
  const make = builder.make.bind(builder);
  const killed = Promise.withResolvers<void>();
  builder.make = async (space, thing) => {
    if (builder.calls + 1 < step) return make(space, thing);
    if (isMade) await make(space, thing);
    killed.resolve();
    return new Promise(() => {});
  };
  void first.make(SPACE, id, ASKED);
  await killed.promise;
  builder.make = make;
  return { store, builder, watches, id };
};

const KILLS = Array.from({ length: STEPS }, (_, at) => [at + 1, false] as const).flatMap(
  ([step]) => [
    [step, false],
    [step, true],
  ],
) as readonly [number, boolean][];

it.each(KILLS)(
  'a set-up whose process was killed at step %i (made: %s) is finished once, by whoever goes on',
  async (step, isMade) => {
    const { store, builder, watches, id } = await killAt(step, isMade);
    const soon = startProcess(store, builder, watches, 30_000);
    await expect(soon.make(SPACE, id, ASKED)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.wizard-busy' },
    });
    expect(watches).toEqual([]);
    const later = startProcess(store, builder, watches, 62_000);
    await later.make(SPACE, id, ASKED);
    expect(builder.built.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'role en',
      'role es',
      'role ja',
      'channel name1 es',
      'channel name1 ja',
      'channel name2 es',
      'channel name2 ja',
    ]);
    expect(watches).toHaveLength(6);
    expect(await later.unfinished(SPACE)).toEqual([]);
    await store.destroy();
  },
);

it.each(KILLS)(
  'a set-up whose process was killed at step %i (made: %s) leaves nothing where it is undone',
  async (step, isMade) => {
    const { store, builder, watches, id } = await killAt(step, isMade);
    const later = startProcess(store, builder, watches, 62_000);
    await later.undo(SPACE, id, ASKED);
    expect(builder.built).toEqual([]);
    expect(watches).toEqual([]);
    expect(await later.unfinished(SPACE)).toEqual([]);
    await store.destroy();
  },
);

it.each(['before it is undone', 'once more'])(
  'what was found without an answer, and may be somebody else’s, is left and named: %s',
  async (when) => {
    const { store, builder, watches, id } = await killAt(4, true);
    builder.doubtful = true;
    const later = startProcess(store, builder, watches, 62_000);
    if (when === 'once more') {
      builder.faults.set(builder.calls + 1, new AppError('forbidden', 'refused'));
      await expect(later.make(SPACE, id, ASKED)).rejects.toMatchObject({ code: 'forbidden' });
    }
    const found = builder.built.find(({ kind }) => kind === 'channel')?.id;
    const left = await later.undo(SPACE, id, ASKED);
    expect(left).toEqual([{ kind: 'channel', id: found, name: 'name1 es' }]);
    expect(builder.built.map((built) => built.id)).toEqual([found]);
    await store.destroy();
  },
);

it('of two set-ups with one channel that are made at once, one is made', async () => {
  await using store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const watches: ChannelWatch[] = [];
  const setups = startProcess(store, builder, watches, 1_000);
  const both = await Promise.all([
    setups.begin(SPACE, { ...CHOICES, channels: ['1', '2'] }),
    setups.begin(SPACE, { ...CHOICES, channels: ['2', '3'] }),
  ]);
  const done = await Promise.allSettled(both.map(({ id }) => setups.make(SPACE, id, ASKED)));
  expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(watches).toHaveLength(6);
  expect(await setups.unfinished(SPACE)).toEqual([]);
});

it('of two set-ups with one channel, the one is made that begins first, however slow the look before it', async () => {
  await using store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const watches: ChannelWatch[] = [];
  const earlier = startProcess(store, builder, watches, 1_000, STANDING);
  const later = startProcess(store, builder, watches, 2_000);
  const slow = await earlier.begin(SPACE, CHOICES);
  const fast = await later.begin(SPACE, { ...CHOICES, channels: ['2'] });
  const [looking, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const survey = builder.survey.bind(builder);
  builder.survey = async (...asked) => {
    builder.survey = survey;
    looking.resolve();
    await looked.promise;
    return survey(...asked);
  };
  const refused = expect(earlier.make(SPACE, slow.id, ASKED)).rejects.toMatchObject({
    code: 'rate-limited',
  });
  await looking.promise;
  const told = async (): Promise<void> => {
    looked.resolve();
    await refused;
  };
  expect(await later.make(SPACE, fast.id, { ...ASKED, told })).toHaveLength(3);
  expect(watches).toHaveLength(3);
});

it('only what the person may do is made, and to the end where they look away', async () => {
  await using store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const watches: ChannelWatch[] = [];
  const setups = startProcess(store, builder, watches, 1_000);
  const { id } = await setups.begin(SPACE, CHOICES);
  const swapped = setups.make(SPACE, id, {
    ...ASKED,
    admit: async () => void (await setups.choose(SPACE, id, { channels: ['3'] })),
  });
  await expect(swapped).rejects.toMatchObject({ code: 'bad-input' });
  expect(builder.built).toEqual([]);
  const told = async () => Promise.reject(new Error('the answer is closed'));
  expect(await setups.make(SPACE, id, { ...ASKED, told })).toHaveLength(3);
});

it('what was only chosen can be dropped, and nothing is made of it', async () => {
  await using store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const setups = startProcess(store, builder, [], 1_000);
  const { id } = await setups.begin(SPACE, CHOICES);
  await setups.undo(SPACE, id, ASKED);
  await expect(setups.make(SPACE, id, ASKED)).rejects.toMatchObject({ code: 'not-found' });
  expect(builder.built).toEqual([]);
});

it('a channel that was linked with another space meanwhile is linked with nothing more', async () => {
  const { store, builder, watches, id } = await killAt(STEPS, false);
  watches.push(SHARED);
  const later = startProcess(store, builder, watches, 62_000);
  await expect(later.make(SPACE, id, ASKED)).rejects.toMatchObject({
    sentence: { key: 'autotranslate.join-elsewhere' },
  });
  expect(watches).toEqual([SHARED]);
  await store.destroy();
});

it('groups that other spaces have channels in do not grow without their yes', async () => {
  await using store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const setups = startProcess(store, builder, [SHARED], 0);
  const { id } = await setups.begin(SPACE, CHOICES);
  await expect(setups.make(SPACE, id, ASKED)).rejects.toMatchObject({
    sentence: { key: 'autotranslate.join-elsewhere' },
  });
  expect(builder.built).toEqual([]);
});

/** Begins a set-up while a method of the platform does not answer; `late` has its time run out, `answer` has it answer. */
const hangAt = async (method: 'demand' | 'survey' | 'make' | 'standing' | 'remove') => {
  const store = await openStore('sqlite::memory:');
  const builder = createFakeBuilder();
  const watches: ChannelWatch[] = [];
  const waits = new Set<() => void>();
  const clock: Clock = {
    nowMs: () => 0,
    after: (_, run) => {
      waits.add(run);
      return () => waits.delete(run);
    },
  };
  const setups = startProcess(store, builder, watches, 1_000, clock);
  const { id } = await setups.begin(SPACE, CHOICES);
  const sound = { ...builder };
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const hang = (): void => {
    const run = sound[method] as (...given: unknown[]) => Promise<unknown>;
    Object.assign(builder, {
      [method]: async (...given: unknown[]) => {
        asked.resolve();
        await answered.promise;
        return run(...given);
      },
    });
  };
  return {
    builder,
    watches,
    setups,
    id,
    hang,
    asked: asked.promise,
    heal: () => Object.assign(builder, { [method]: sound[method] }),
    late: () => {
      for (const run of waits) run();
    },
    answer: answered.resolve,
    [Symbol.asyncDispose]: () => store.destroy(),
  };
};

it.each(['demand', 'survey', 'make'] as const)(
  'who makes a set-up is told that the platform does not answer (%s), goes on or undoes it, and nobody else waits',
  async (method) => {
    for (const isUndone of [false, true]) {
      await using hung = await hangAt(method);
      const { setups, builder, watches, id } = hung;
      hung.hang();
      const making = setups.make(SPACE, id, ASKED);
      await hung.asked;
      hung.heal();
      const other = await setups.begin(SPACE, { ...CHOICES, channels: ['3'], form: 'channels' });
      await setups.make(SPACE, other.id, ASKED);
      const others = builder.built.length;
      expect(others).toBe(2);
      hung.late();
      await expect(making).rejects.toMatchObject({ code: 'timeout' });
      hung.answer();
      await expect.poll(() => builder.built.length).toBe(others + (method === 'make' ? 1 : 0));
      expect(watches).toHaveLength(3);
      if (isUndone) await setups.undo(SPACE, id, ASKED);
      else await setups.make(SPACE, id, ASKED);
      expect(builder.built).toHaveLength(others + (isUndone ? 0 : STEPS));
      expect(await setups.unfinished(SPACE)).toEqual([]);
    }
  },
);

it.each(['standing', 'remove'] as const)(
  'who undoes a set-up is told that the platform does not answer (%s), and undoes it later',
  async (method) => {
    await using hung = await hangAt(method);
    const { setups, builder, id } = hung;
    builder.faults.set(3, new AppError('forbidden', 'refused'));
    await expect(setups.make(SPACE, id, ASKED)).rejects.toMatchObject({ code: 'forbidden' });
    hung.hang();
    const undoing = setups.undo(SPACE, id, ASKED);
    await hung.asked;
    hung.late();
    await expect(undoing).rejects.toMatchObject({ code: 'timeout' });
    hung.heal();
    await setups.undo(SPACE, id, ASKED);
    expect(builder.built).toEqual([]);
    expect(await setups.unfinished(SPACE)).toEqual([]);
  },
);
