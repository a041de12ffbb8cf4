import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createStoreWriter } from '../../../src/store/writer.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import type { WatchPort } from '../../../src/ports/channel-feed.ts';
import { channel, createWatchedPlace, type WatchedPlace } from '../../fakes/channel-feed.ts';
import { mirrorOf, openTestWatching, watchOf } from '../../fakes/autotranslate.ts';

const ENGLISH = channel('english');
const SPANISH = channel('spanish');
const GENERAL = channel('general');

/** A process that dies at one of its effects: what it awaits then never comes. */
interface Life {
  readonly store: Store;
  readonly platform: Platform;
  readonly died: Promise<void>;
}

/** @param deathAt the effect before or after which it dies: even before, odd after it */
const createLife = (place: WatchedPlace, store: Store, deathAt: number): Life => {
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
  const { port } = place;
  const watch: WatchPort = {
    ...port,
    async *copy(to, copies, options) {
      for (const one of copies) {
        const posted = await effect(async () => {
          for await (const where of port.copy(to, [one], options)) return where;
          throw new Error('nothing was posted');
        });
        yield posted;
      }
    },
    recopy: (posted, copy) => effect(() => port.recopy(posted, copy)),
    uncopy: (posted, source) => effect(() => port.uncopy(posted, source)),
    sweep: (from, source) => effect(() => port.sweep(from, source)),
  };
  type Transaction = ReturnType<Store['transaction']>;
  const transaction = () => ({
    execute: (run: Parameters<Transaction['execute']>[0]) =>
      effect(() => store.transaction().execute(run)),
  });
  const writer = createStoreWriter(
    { transaction } as Pick<Store, 'transaction'>,
    async () => undefined,
  );
  return {
    died: death.promise,
    platform: { ...place.platform, watch },
    store: new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name in writer ? writer : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  };
};

let place: WatchedPlace;
let store: Store;
const lives: AutoTranslate[] = [];

const live = async (life: Pick<Life, 'store' | 'platform'>): Promise<AutoTranslate> => {
  const watching = await openTestWatching(life.store);
  lives.push(watching);
  watching.attach(life.platform);
  return watching;
};

beforeEach(async () => {
  place = createWatchedPlace();
  store = await openStore('sqlite::memory:');
  const { watches } = await live({ store, platform: place.platform });
  await watches.set([...mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']), watchOf(GENERAL)]);
});

afterEach(async () => {
  lives.length = 0;
  await store.destroy();
});

/** What people do: some write, one corrects herself, one takes it back. */
const script = (): ((watching: AutoTranslate | undefined) => Promise<void>)[] => {
  const said = new Map<string, Message>();
  const say =
    (to: typeof ENGLISH, text: string) =>
    async (watching: AutoTranslate | undefined): Promise<void> => {
      const message = place.say(to, text);
      said.set(text, message);
      await watching?.watcher.seen(message);
    };
  return [
    say(ENGLISH, 'one'),
    say(GENERAL, 'aside'),
    say(ENGLISH, 'two'),
    say(ENGLISH, 'three'),
    async (watching) => {
      const ref = said.get('two')?.ref;
      const corrected = ref && place.edit(ref, 'two, corrected');
      if (corrected) await watching?.watcher.seen(corrected);
    },
    async (watching) => {
      const ref = said.get('three')?.ref;
      if (!ref) return;
      place.remove(ref);
      await watching?.watcher.gone([ref]);
    },
    say(ENGLISH, 'four'),
  ];
};

const expectEverythingOnce = async (): Promise<void> => {
  expect(place.texts(SPANISH)).toEqual([
    'ada: es(one) [🌐 inglés]',
    'ada: es(two, corrected) [🌐 inglés]',
    'ada: es(four) [🌐 inglés]',
  ]);
  expect(place.texts(GENERAL)).toEqual(['aside', '🇪🇸 es(aside)']);
  const rows = await store.selectFrom('inbox').select(['state', 'message']).execute();
  expect(rows.filter(({ message }) => message !== null)).toEqual([]);
  expect(rows.map(({ state }) => state).toSorted()).toEqual(
    expect.arrayContaining(['posted', 'posted', 'posted', 'posted']),
  );
  expect(rows.filter(({ state }) => state === 'waiting' || state === 'working')).toEqual([]);
};

/** Runs the script in a life that ends at an effect, and what is left of it in the next one. */
const liveTwice = async (deathAt: number): Promise<{ readonly died: boolean }> => {
  const life = createLife(place, store, deathAt);
  let died = false;
  const end = (async (): Promise<void> => {
    await life.died;
    died = true;
  })();
  const steps = script();
  const first = live(life);
  for (const step of steps) {
    const watching = died ? undefined : await Promise.race([first, end.then(() => undefined)]);
    await Promise.race([step(watching), end]);
  }
  if (!died) await Promise.race([first.then((watching) => watching.idle()), end]);
  const second = await live({ store, platform: place.platform });
  second.watcher.missed(
    [ENGLISH, SPANISH, GENERAL].map((one) => ({
      channel: one,
      newest: place.messages(one).at(-1)?.position,
    })),
  );
  await second.idle();
  return { died };
};

describe('a process that dies', () => {
  it('leaves nothing undone and does nothing twice, whichever of its effects was the last', async () => {
    let deaths = 0;
    for (let deathAt = 0; ; deathAt += 1) {
      place = createWatchedPlace();
      await store.destroy();
      store = await openStore('sqlite::memory:');
      const { watches } = await live({ store, platform: place.platform });
      await watches.set([...mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']), watchOf(GENERAL)]);
      const { died } = await liveTwice(deathAt);
      await expectEverythingOnce().catch((fault: unknown) => {
        throw new Error(`after death at effect ${deathAt}`, { cause: fault });
      });
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(20);
  });
});
