import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { channelKey, type Channel, type Space } from '../../../src/model/place.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { WATCH } from '../../../src/store/inbox/row.ts';
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

/** A conversation with its store, which outlives processes. */
interface Scene {
  readonly world: World;
  readonly store: Store;
}

const feedOf = ({ feeds }: World, { space }: Channel): FakeFeed =>
  feeds.find(({ platform }) => platform.name === space.platform) as FakeFeed;

const live = async (life: Pick<Life, 'store' | 'platforms'>): Promise<AutoTranslate> => {
  const running = await openTestAutoTranslate(life.store);
  for (const platform of life.platforms) running.attach(platform);
  return running;
};

const begin = async (make: () => World, mode: 'reply' | 'compact' = 'reply'): Promise<Scene> => {
  const world = make();
  const store = await openStore('sqlite::memory:');
  const { english, spanish, general } = world;
  const watches = await openWatchStore(store, Date.now);
  await watches.set([...mirrorOf([english, 'en'], [spanish, 'es']), watchOf(general, { mode })]);
  return { world, store };
};

type Step = (running: AutoTranslate | undefined) => Promise<void>;

/** What people do: some write, one corrects herself, one takes it back; over two platforms one answers. */
const script = (world: World): Step[] => {
  const said = new Map<string, Message>();
  const { english, general } = world;
  const say =
    (to: Channel, text: string, answered?: string) =>
    async (running: AutoTranslate | undefined): Promise<void> => {
      const replyTo = said.get(answered ?? '')?.ref;
      const message = feedOf(world, to).say(to, text, replyTo ? { replyTo } : {});
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
      const corrected = ref && feedOf(world, ref.channel).edit(ref, 'two, corrected');
      if (corrected) await running?.listener.messageChanged(corrected);
    },
    async (running) => {
      const ref = said.get('three')?.ref;
      if (!ref) return;
      feedOf(world, ref.channel).remove(ref);
      await running?.listener.messagesDeleted([ref]);
    },
    async (running) => {
      const thread = feedOf(world, english).startThread(english, 'plans');
      const message = feedOf(world, english).say(thread, 'within');
      await running?.listener.messageChanged(message);
    },
    say(english, 'four', world.feeds.length > 1 ? 'one' : undefined),
  ];
};

/** Quick messages of one person, of which one is corrected and one taken back. */
const quickScript = (world: World): Step[] => {
  const { general } = world;
  const said: Message[] = [];
  const say =
    (text: string) =>
    async (running: AutoTranslate | undefined): Promise<void> => {
      const message = feedOf(world, general).say(general, text);
      said.push(message);
      await running?.listener.messageChanged(message);
      await running?.idle();
    };
  return [
    say('one'),
    say('two'),
    say('three'),
    async (running) => {
      const corrected = said[1] && feedOf(world, general).edit(said[1].ref, 'second');
      if (corrected) await running?.listener.messageChanged(corrected);
    },
    async (running) => {
      const [first] = said;
      if (!first) return;
      feedOf(world, general).remove(first.ref);
      await running?.listener.messagesDeleted([first.ref]);
    },
  ];
};

/** The threads that people began. */
const threads = (world: World): Channel[] =>
  [...feedOf(world, world.english).threads.keys()]
    .filter((id) => id.startsWith(`${world.english.id}/`))
    .map((id) => channel(id, world.english.id));

const expectEverythingOnce = async ({ world, store }: Scene): Promise<void> => {
  const { spanish, general } = world;
  const copies = [...feedOf(world, spanish).threads.keys()].filter((id) =>
    id.startsWith(spanish.id),
  );
  expect(copies.map((id) => feedOf(world, spanish).texts({ ...spanish, id }))).toEqual([
    ['ada: es(within) [🌐 inglés]'],
  ]);
  const shown = feedOf(world, spanish).texts(spanish);
  const opening = '🧵 es(plans)';
  expect(shown.filter((text) => text === opening)).toHaveLength(1);
  expect(shown.filter((text) => text !== opening)).toEqual([
    'ada: es(one) [🌐 inglés]',
    'ada: es(two, corrected) [🌐 inglés]',
    world.feeds.length > 1
      ? expect.stringMatching(/^> Dragoman: .*es\(one\).*\nada: es\(four\) \[🌐 inglés\]$/)
      : 'ada: es(four) [🌐 inglés]',
  ]);
  expect(feedOf(world, general).texts(general)).toEqual(['aside', '🇪🇸 es(aside)']);
  const rows = await store.selectFrom('inbox').select(['state', 'message']).execute();
  expect(rows.filter(({ message }) => message !== null)).toEqual([]);
  expect(rows.map(({ state }) => state).toSorted()).toEqual(
    expect.arrayContaining(['posted', 'posted', 'posted', 'posted']),
  );
  expect(rows.filter(({ state }) => state === 'waiting')).toEqual([]);
};

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
const TOGETHER = 24;

/**
 * Ends a life at one effect after the other, until one comes to its end; there have to be as many effects at least.
 *
 * @param most the effects that are tried, all of them. Default: all or some of those that there are
 */
const dieAtEach = async (
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

describe('a process that dies', () => {
  it('leaves each line of a compact reply once, whichever of its effects was the last', async () => {
    await dieAtEach(
      20,
      async () => begin(onOnePlatform, 'compact'),
      ({ world }) => quickScript(world),
      async ({ world: { feeds, general } }) => {
        const shown = feeds[0]
          ?.texts(general)
          .join('\n')
          .match(/es\(\w+\)/g);
        expect(shown).toEqual(['es(second)', 'es(three)']);
      },
    );
  });

  it.each([
    ['on one platform', onOnePlatform],
    ['with a group over two platforms', onTwoPlatforms],
    ['while one of linked channels is late', withLateChannel],
  ])(
    'leaves nothing undone and does nothing twice, whichever of its effects was the last, %s',
    async (_, make) => {
      await dieAtEach(
        20,
        async () => begin(make),
        ({ world }) => script(world),
        expectEverythingOnce,
      );
    },
  );

  it('leaves reactions and the names of threads as people gave them', async () => {
    const copyOf = ({ world: { feeds, spanish } }: Scene) =>
      feeds[1]?.messages(spanish).find(({ text }) => plainText(text).includes('es(one)'))?.ref;
    await dieAtEach(
      20,
      async () => begin(onTwoPlatforms),
      ({ world, world: { english } }) => [
        ...script(world).slice(0, 1),
        async (running) => {
          const thread = feedOf(world, english).startThread(english, 'plans');
          const message = feedOf(world, english).say(thread, 'within');
          await running?.listener.messageChanged(message);
          await running?.idle();
        },
        async (running) => {
          const [message] = feedOf(world, english).messages(english);
          if (!message) return;
          feedOf(world, english).react(message.ref, '👍', 1);
          await running?.listener.reactionChanged(message.ref, '👍', true);
          await running?.idle();
        },
        async (running) => {
          const [thread] = threads(world);
          if (!thread) return;
          Object.assign(feedOf(world, english).threads.get(thread.id) ?? {}, { name: 'summer' });
          await running?.listener.threadChanged(thread, { name: 'summer' });
        },
      ],
      async (scene, second) => {
        const { world, store } = scene;
        const { english, spanish } = world;
        const copy = copyOf(scene);
        const ref = feedOf(world, english).messages(english)[0]?.ref;
        if (!copy || !ref) throw new Error('there is no copy');
        const shown = () => feedOf(world, spanish).reacted(copy);
        const rows = await store.selectFrom('copied_reaction').select('shown').execute();
        expect(shown()).toHaveLength(rows.length);
        expect(rows.map((row) => row.shown)).toEqual(shown().map(() => 1));
        // Whoever joins, or is the last to take theirs back, has it seen.
        for (const people of [2, 0]) {
          feedOf(world, english).react(ref, '👍', people);
          await second.listener.reactionChanged(ref, '👍', people > 0);
          await expect.poll(shown).toEqual(people > 0 ? [expect.stringContaining('👍')] : []);
        }
        const names = () =>
          [...feedOf(world, spanish).threads].flatMap(([id, { name }]) =>
            id.startsWith(spanish.id) ? name : [],
          );
        await expect.poll(names).toEqual(['es(summer)']);
        expect(
          threads(world).map(({ id }) => feedOf(world, english).threads.get(id)?.name),
        ).toEqual(['summer']);
      },
    );
  });

  it('leaves a pause for the group, and a link that is undone, whole or not at all', async () => {
    await dieAtEach(
      6,
      async () => begin(onTwoPlatforms),
      ({ world: { english, spanish } }) => [
        async (running) => running?.watches.hold(english, channelKey(spanish), true),
        async (running) => {
          if (!running) return;
          const before = [english, spanish].flatMap((one) => running.watches.of(one) ?? []);
          await running.watches.remove(english);
          await running.watches.set(before);
        },
      ],
      async ({ world, world: { english, spanish } }, second) => {
        const both = [english, spanish].map((one) => second.watches.of(one));
        const [here, there] = both;
        expect(here?.group).toBe(there?.group);
        const isHeld = here?.choices?.held?.[channelKey(spanish)] !== undefined;
        for (const [from, to] of [
          [english, spanish],
          [spanish, english],
        ] as const) {
          await second.listener.messageChanged(feedOf(world, from).say(from, 'afterwards'));
          await second.idle();
          const isCopied = feedOf(world, to)
            .texts(to)
            .some((text) => text.includes('(afterwards)'));
          expect(isCopied).toBe(here !== undefined && !isHeld);
        }
      },
    );
  });

  it('leaves no quote of a deleted message, however many answers it has', async () => {
    const quoted = ({ english }: World) => ({ channel: english, id: '1' });
    await dieAtEach(
      6,
      async () => {
        const scene = await begin(onOnePlatform);
        const { english, spanish } = scene.world;
        const mirrors = createMirrorStore(scene.store, Date.now);
        await scene.store.write(async (db) => {
          for (let at = 0; at < 20; at += 1) {
            const ref = { channel: english, id: String(at + 2) };
            const mirror = { target: { channel: spanish }, contentHash: 'shown' };
            const posted = { channel: spanish, ids: [`copy ${at}`] } as const;
            const quote = { ref: quoted(scene.world), readMs: Date.now() };
            const key = { ref, purpose: WATCH };
            await mirrors.put(db, key, { ...mirror, posted, quoted: quote }, true);
          }
        });
        return scene;
      },
      ({ world }) => [
        async (running) => running?.listener.messagesDeleted([quoted(world)]),
        async (running) => running?.idle(),
      ],
      async ({ store, world }, second) => {
        const isKnown = await store
          .selectFrom('inbox')
          .select('message_id')
          .where('content_hash', '=', '')
          .execute();
        // What died before the report was stored is reported again, or found in the history.
        if (isKnown.length === 0) await second.listener.messagesDeleted([quoted(world)]);
        const left = () =>
          store.selectFrom('mirror').select('source_id').where('quoted', '<>', '').execute();
        await expect.poll(left).toEqual([]);
      },
      TOGETHER,
    );
  });
});
