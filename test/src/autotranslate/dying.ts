import { expect } from 'vitest';
import { channel, createFakeFeed, lost, type FakeFeed } from '../../fakes/channel-feed.ts';
import { mirrorOf, openTestAutoTranslate, watchOf } from '../../fakes/autotranslate.ts';
import { casesOf } from '../../fakes/cases.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createTransact } from '../../../src/store/sqlite/dialect.ts';
import { createStoreWriter } from '../../../src/store/writer.ts';

/** A process that dies at one of its effects: what it awaits then never comes. */
interface Life {
  readonly store: Store;
  readonly platforms: readonly Platform[];
  readonly died: Promise<void>;
  /** Number of times so far at which it could have died. */
  effects(): number;
}

/** @param deathAt the effect before or after which it dies: even before, odd after it */
const createLife = (feeds: readonly FakeFeed[], store: Store, deathAt: number): Life => {
  const death = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let step = 0;
  let dead = false;
  const meetDeath = async (): Promise<void> => {
    if (!dead && step === deathAt) {
      dead = true;
      death.resolve();
    }
    step += 1;
    if (dead) await never;
  };
  const effect = async <T>(run: () => Promise<T>): Promise<T> => {
    await meetDeath();
    const result = await run();
    await meetDeath();
    return result;
  };
  const mortal = ({ platform, mirrors }: FakeFeed): Platform => {
    const dying: Mirrors = {
      ...mirrors,
      async *create(to, wanted, options) {
        for (const one of wanted) {
          const posted = await effect(async () => {
            for await (const where of mirrors.create(to, [one], options)) return where;
            throw new Error('nothing was posted');
          });
          yield posted;
        }
      },
      openThread: (...given) => effect(() => mirrors.openThread(...given)),
      pin: (...given) => effect(async () => mirrors.pin?.(...given)),
      react: (...given) => effect(async () => mirrors.react?.(...given)),
      changeThread: (...given) => effect(async () => mirrors.changeThread?.(...given)),
      update: (...given) => effect(() => mirrors.update(...given)),
      remove: (...given) => effect(() => mirrors.remove(...given)),
      removeOrphans: (...given) => effect(() => mirrors.removeOrphans(...given)),
    };
    const post: Platform['post'] = (...given) => effect(() => platform.post(...given));
    return { ...platform, post, mirrors: dying };
  };
  type Transaction = ReturnType<Store['transaction']>;
  const transaction = () => ({
    execute: (run: Parameters<Transaction['execute']>[0]) =>
      effect(() => store.transaction().execute(run)),
  });
  const writer = createStoreWriter(
    createTransact({ transaction } as Pick<Store, 'transaction'>),
    async () => undefined,
  );
  return {
    died: death.promise,
    effects: () => step,
    platforms: feeds.map(mortal),
    store: new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name in writer ? writer : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  };
};

/** One conversation, on one platform or over two. */
export interface World {
  readonly feeds: readonly FakeFeed[];
  readonly english: Channel;
  readonly spanish: Channel;
  readonly general: Channel;
}

/** A conversation on one platform. */
export const onOnePlatform = (): World => ({
  feeds: [createFakeFeed()],
  english: channel('english'),
  spanish: channel('spanish'),
  general: channel('general'),
});

/** A conversation whose linked channels are on two platforms. */
export const onTwoPlatforms = (): World => {
  const other: Space = { platform: 'other', id: 'workspace' };
  return {
    feeds: [createFakeFeed(), createFakeFeed(other)],
    english: channel('english'),
    spanish: channel('spanish', undefined, other),
    general: channel('general', undefined, other),
  };
};

/** With a group of which one channel fails at every other write, and waits for its next try. */
export const withLateChannel = (): World => {
  const made = onTwoPlatforms();
  let writes = 0;
  made.feeds[1]?.sick.set(made.spanish.id, async () => {
    writes += 1;
    if (writes % 2 === 1) throw lost();
  });
  return made;
};

/** A conversation with its store, which outlives processes. */
export interface Scene {
  readonly world: World;
  readonly store: Store;
}

/** The feed of a channel's platform. */
export const feedOf = ({ feeds }: World, { space }: Channel): FakeFeed =>
  feeds.find(({ platform }) => platform.name === space.platform) as FakeFeed;

const live = async (life: Pick<Life, 'store' | 'platforms'>): Promise<AutoTranslate> => {
  const running = await openTestAutoTranslate(life.store);
  for (const platform of life.platforms) running.attach(platform);
  return running;
};

/** Begins a conversation with linked channels, and one with translations below its messages. */
export const begin = async (
  make: () => World,
  mode: 'reply' | 'compact' = 'reply',
): Promise<Scene> => {
  const world = make();
  const store = await openStore('sqlite::memory:');
  const { english, spanish, general } = world;
  const watches = await openWatchStore(store, Date.now);
  await watches.set([...mirrorOf([english, 'en'], [spanish, 'es']), watchOf(general, { mode })]);
  return { world, store };
};

/** One thing that people do, in the process that runs; undefined once it has died. */
export type Step = (running: AutoTranslate | undefined) => Promise<void>;

/** The threads that people began. */
export const threads = (world: World): Channel[] =>
  [...feedOf(world, world.english).threads.keys()]
    .filter((id) => id.startsWith(`${world.english.id}/`))
    .map((id) => channel(id, world.english.id));

/** Runs a script in a life that ends at an effect, and what is left of it in the next one. */
const liveTwice = async (
  { world, store }: Scene,
  deathAt: number,
  steps: readonly Step[],
): Promise<{
  readonly died: boolean;
  readonly effects: number;
  readonly second: AutoTranslate;
}> => {
  const life = createLife(world.feeds, store, deathAt);
  let died = false;
  const end = (async (): Promise<void> => {
    await life.died;
    died = true;
  })();
  const first = live(life);
  for (const step of steps) {
    const running = died ? undefined : await Promise.race([first, end.then(() => undefined)]);
    await Promise.race([step(running), end]);
  }
  if (!died) await Promise.race([first.then((running) => running.idle()), end]);
  const effects = life.effects();
  for (const { sick } of world.feeds) sick.clear();
  const second = await live({ store, platforms: world.feeds.map(({ platform }) => platform) });
  for (const { platform } of world.feeds)
    second.listener.messagesMissed(
      [world.english, world.spanish, world.general, ...threads(world)]
        .filter(({ space }) => space.platform === platform.name)
        .map((one) => ({
          channel: one,
          newest: feedOf(world, one).messages(one).at(-1)?.position,
        })),
    );
  await second.idle();
  const waiting = store.selectFrom('inbox').select('due_ms').where('state', '=', 'waiting');
  await expect.poll(() => waiting.execute()).toEqual([]);
  await second.idle();
  return { died, effects, second };
};

/** Of so many effects one is tried, another one in each run, where not all cases are asked for. */
const EVERY = 3;
/** Lives that are tried together: most of each is waiting. */
export const TOGETHER = 24;

/**
 * Ends a life at one effect after the other, until one comes to its end; there have to be as many effects at least.
 *
 * @param most the effects that are tried, all of them. Default: all or some of those that there are
 */
export const dieAtEach = async (
  least: number,
  make: () => Promise<Scene>,
  stepsOf: (scene: Scene) => readonly Step[],
  check: (scene: Scene, second: AutoTranslate) => Promise<void>,
  most = Infinity,
): Promise<void> => {
  const every = casesOf(EVERY) < EVERY && most === Infinity ? EVERY : 1;
  const runOne = async (deathAt: number) => {
    const scene = await make();
    const { died, effects, second } = await liveTwice(scene, deathAt, stepsOf(scene));
    await check(scene, second).catch((fault: unknown) => {
      throw new Error(`after death at effect ${deathAt}`, { cause: fault });
    });
    await scene.store.destroy();
    return { died, effects };
  };
  const { effects } = await runOne(Infinity);
  expect(effects).toBeGreaterThan(least);
  let next = Math.floor(Math.random() * every);
  for (let isOver = false; !isOver;) {
    // Of other lives, some may have more effects.
    const left = Math.ceil((Math.min(effects, most) - next) / every);
    const length = Math.min(TOGETHER, Math.max(1, left));
    const some = await Promise.all(Array.from({ length }, (_, at) => runOne(next + at * every)));
    next += length * every;
    isOver = next >= most || some.some(({ died }) => !died);
  }
};
