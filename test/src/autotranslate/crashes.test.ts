import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { channelKey, type Channel } from '../../../src/model/place.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { WATCH } from '../../../src/store/inbox/row.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import {
  begin,
  dieAtEach,
  feedOf,
  onOnePlatform,
  onTwoPlatforms,
  threads,
  TOGETHER,
  withLateChannel,
  type Scene,
  type Step,
  type World,
} from './dying.ts';

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
