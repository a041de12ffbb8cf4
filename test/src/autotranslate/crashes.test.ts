import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createTransact } from '../../../src/store/sqlite/dialect.ts';
import { createStoreWriter } from '../../../src/store/writer.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import { casesOf } from '../../fakes/cases.ts';
import { channel, createFakeFeed, lost, type FakeFeed } from '../../fakes/channel-feed.ts';
import { mirrorOf, openTestAutoTranslate, watchOf } from '../../fakes/autotranslate.ts';

/** A process that dies at one of its effects: what it awaits then never comes. */
interface Life {
  readonly store: Store;
  readonly platforms: readonly Platform[];
  readonly died: Promise<void>;
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
      update: (...given) => effect(() => mirrors.update(...given)),
      remove: (...given) => effect(() => mirrors.remove(...given)),
      removeOrphans: (...given) => effect(() => mirrors.removeOrphans(...given)),
    };
    return { ...platform, mirrors: dying };
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
interface World {
  readonly feeds: readonly FakeFeed[];
  readonly english: Channel;
  readonly spanish: Channel;
  readonly general: Channel;
}

const onOnePlatform = (): World => ({
  feeds: [createFakeFeed()],
  english: channel('english'),
  spanish: channel('spanish'),
  general: channel('general'),
});

const onTwoPlatforms = (): World => {
  const other: Space = { platform: 'other', id: 'workspace' };
  return {
    feeds: [createFakeFeed(), createFakeFeed(other)],
    english: channel('english'),
    spanish: channel('spanish', undefined, other),
    general: channel('general', undefined, other),
  };
};

/** With a group of which one channel fails at every other write, and waits for its next try. */
const withLateChannel = (): World => {
  const made = onTwoPlatforms();
  let writes = 0;
  made.feeds[1]?.sick.set(made.spanish.id, async () => {
    writes += 1;
    if (writes % 2 === 1) throw lost();
  });
  return made;
};

let world: World;
let store: Store;

const feedOf = ({ space }: Channel): FakeFeed =>
  world.feeds.find(({ platform }) => platform.name === space.platform) as FakeFeed;

const live = async (life: Pick<Life, 'store' | 'platforms'>): Promise<AutoTranslate> => {
  const running = await openTestAutoTranslate(life.store);
  for (const platform of life.platforms) running.attach(platform);
  return running;
};

const begin = async (make: () => World, mode: 'reply' | 'compact' = 'reply'): Promise<void> => {
  world = make();
  store = await openStore('sqlite::memory:');
  const { feeds, english, spanish, general } = world;
  const { watches } = await live({ store, platforms: feeds.map(({ platform }) => platform) });
  await watches.set([...mirrorOf([english, 'en'], [spanish, 'es']), watchOf(general, { mode })]);
};

/** What people do: some write, one corrects herself, one takes it back; over two platforms one answers. */
const script = (): ((running: AutoTranslate | undefined) => Promise<void>)[] => {
  const said = new Map<string, Message>();
  const { english, general } = world;
  const say =
    (to: Channel, text: string, answered?: string) =>
    async (running: AutoTranslate | undefined): Promise<void> => {
      const replyTo = said.get(answered ?? '')?.ref;
      const message = feedOf(to).say(to, text, replyTo ? { replyTo } : {});
      said.set(text, message);
      await running?.listener.messageChanged(message);
    };
  return [
    say(english, 'one'),
    say(general, 'aside'),
    say(english, 'two'),
    say(english, 'three'),
    async (running) => {
      const ref = said.get('two')?.ref;
      const corrected = ref && feedOf(ref.channel).edit(ref, 'two, corrected');
      if (corrected) await running?.listener.messageChanged(corrected);
    },
    async (running) => {
      const ref = said.get('three')?.ref;
      if (!ref) return;
      feedOf(ref.channel).remove(ref);
      await running?.listener.messagesDeleted([ref]);
    },
    async (running) => {
      const thread = feedOf(english).startThread(english, 'plans');
      const message = feedOf(english).say(thread, 'within');
      await running?.listener.messageChanged(message);
    },
    say(english, 'four', world.feeds.length > 1 ? 'one' : undefined),
  ];
};

/** Quick messages of one person, of which one is corrected and one taken back. */
const quickScript = (): ReturnType<typeof script> => {
  const { general } = world;
  const said: Message[] = [];
  const say =
    (text: string) =>
    async (running: AutoTranslate | undefined): Promise<void> => {
      const message = feedOf(general).say(general, text);
      said.push(message);
      await running?.listener.messageChanged(message);
      await running?.idle();
    };
  return [
    say('one'),
    say('two'),
    say('three'),
    async (running) => {
      const corrected = said[1] && feedOf(general).edit(said[1].ref, 'second');
      if (corrected) await running?.listener.messageChanged(corrected);
    },
    async (running) => {
      const [first] = said;
      if (!first) return;
      feedOf(general).remove(first.ref);
      await running?.listener.messagesDeleted([first.ref]);
    },
  ];
};

/** The threads that people began. */
const threads = (): Channel[] =>
  [...feedOf(world.english).threads.keys()]
    .filter((id) => id.startsWith(`${world.english.id}/`))
    .map((id) => channel(id, world.english.id));

const expectEverythingOnce = async (): Promise<void> => {
  const { spanish, general } = world;
  const copies = [...feedOf(spanish).threads.keys()].filter((id) => id.startsWith(spanish.id));
  expect(copies.map((id) => feedOf(spanish).texts({ ...spanish, id }))).toEqual([
    ['ada: es(within) [🌐 inglés]'],
  ]);
  const shown = feedOf(spanish).texts(spanish);
  const opening = '🧵 es(plans)';
  expect(shown.filter((text) => text === opening)).toHaveLength(1);
  expect(shown.filter((text) => text !== opening)).toEqual([
    'ada: es(one) [🌐 inglés]',
    'ada: es(two, corrected) [🌐 inglés]',
    world.feeds.length > 1
      ? expect.stringMatching(/^> Dragoman: .*es\(one\).*\nada: es\(four\) \[🌐 inglés\]$/)
      : 'ada: es(four) [🌐 inglés]',
  ]);
  expect(feedOf(general).texts(general)).toEqual(['aside', '🇪🇸 es(aside)']);
  const rows = await store.selectFrom('inbox').select(['state', 'message']).execute();
  expect(rows.filter(({ message }) => message !== null)).toEqual([]);
  expect(rows.map(({ state }) => state).toSorted()).toEqual(
    expect.arrayContaining(['posted', 'posted', 'posted', 'posted']),
  );
  expect(rows.filter(({ state }) => state === 'waiting')).toEqual([]);
};

/** Runs the script in a life that ends at an effect, and what is left of it in the next one. */
const liveTwice = async (
  deathAt: number,
  steps = script(),
): Promise<{ readonly died: boolean }> => {
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
  for (const { sick } of world.feeds) sick.clear();
  const second = await live({ store, platforms: world.feeds.map(({ platform }) => platform) });
  for (const { platform } of world.feeds)
    second.listener.messagesMissed(
      [world.english, world.spanish, world.general, ...threads()]
        .filter(({ space }) => space.platform === platform.name)
        .map((one) => ({ channel: one, newest: feedOf(one).messages(one).at(-1)?.position })),
    );
  await second.idle();
  const waiting = store.selectFrom('inbox').select('due_ms').where('state', '=', 'waiting');
  await expect.poll(() => waiting.execute()).toEqual([]);
  await second.idle();
  return { died };
};

/** Of so many effects one is tried, another one in each run, where not all cases are asked for. */
const EVERY = 3;

describe('a process that dies', () => {
  it('leaves each line of a compact reply once, whichever of its effects was the last', async () => {
    const every = casesOf(EVERY) < EVERY ? EVERY : 1;
    let effects = 0;
    for (let deathAt = Math.floor(Math.random() * every); ; deathAt += every) {
      await begin(onOnePlatform, 'compact');
      const { died } = await liveTwice(deathAt, quickScript());
      const { general } = world;
      const shown = feedOf(general)
        .texts(general)
        .join('\n')
        .match(/es\(\w+\)/g);
      expect(shown, `after death at effect ${deathAt}`).toEqual(['es(second)', 'es(three)']);
      await store.destroy();
      if (!died) break;
      effects += every;
    }
    expect(effects).toBeGreaterThan(20);
  });

  it.each([
    ['on one platform', onOnePlatform],
    ['with a group over two platforms', onTwoPlatforms],
    ['while one of linked channels is late', withLateChannel],
  ])(
    'leaves nothing undone and does nothing twice, whichever of its effects was the last, %s',
    async (_, make) => {
      const every = casesOf(EVERY) < EVERY ? EVERY : 1;
      let effects = 0;
      for (let deathAt = Math.floor(Math.random() * every); ; deathAt += every) {
        await begin(make);
        const { died } = await liveTwice(deathAt);
        await expectEverythingOnce().catch((fault: unknown) => {
          throw new Error(`after death at effect ${deathAt}`, { cause: fault });
        });
        await store.destroy();
        if (!died) break;
        effects += every;
      }
      expect(effects).toBeGreaterThan(20);
    },
  );
});
