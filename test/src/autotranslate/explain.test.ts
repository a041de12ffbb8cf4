import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { channelKey, type Channel } from '../../../src/model/place.ts';
import { forgetCopies } from '../../fakes/forget-copies.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { THERE } from './links/support.ts';
import {
  ENGLISH,
  GENERAL,
  JAPANESE,
  linked,
  SPANISH,
  untilGivenUp,
  withScene,
  WORKSPACE,
} from './support.ts';

const scene = withScene();

const explained = async (message: Message) => {
  const [told, ...others] = await scene.inbox.explain(message);
  expect(others).toEqual([]);
  return told!;
};
const partsOf = async (message: Message) => (await explained(message)).parts;
const watchGeneral = async (): Promise<void> => scene.watches.set([watchOf(GENERAL)]);

describe('an explanation of a stored message', () => {
  it('names the channels that show it, and those where somebody deleted it', async () => {
    await scene.watches.set(linked());
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(await partsOf(message)).toMatchObject([
      {
        state: 'posted',
        isCopied: true,
        shownIn: [JAPANESE, SPANISH],
        missing: [],
        removedIn: [],
      },
    ]);
    scene.feed.remove(scene.feed.messages(SPANISH)[0]!.ref);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await scene.idle();
    expect(await partsOf(message)).toMatchObject([
      { state: 'posted', shownIn: [JAPANESE], removedIn: [SPANISH] },
    ]);
  });

  const edited = async (of: Channel): Promise<Message> => {
    await scene.watches.set(linked());
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.watches.pause(of, true);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await scene.idle();
    return message;
  };
  const waits = (...shownIn: Channel[]) => ({
    state: 'waiting',
    reason: { key: 'why.after-pause' },
    isCopied: true,
    shownIn,
  });

  it('names the channels that show what was there before an edit that waits for the end of a pause', async () => {
    expect(await partsOf(await edited(ENGLISH))).toMatchObject([waits(JAPANESE, SPANISH)]);
  });

  it('tells of those that show an edit, and of those where it waits for the end of a pause', async () => {
    const message = await edited(SPANISH);
    const posted = { state: 'posted', missing: [] };
    expect(await partsOf(message)).toMatchObject([waits(SPANISH), posted]);
    await scene.store.write((db) =>
      db.deleteFrom('inbox').where('state', '<>', 'waiting').execute(),
    );
    expect(await partsOf(message)).toMatchObject([waits(SPANISH)]);
  });

  const resume = async (of: Channel): Promise<void> => {
    scene.clock.aheadMs += 1_000;
    await scene.watches.pause(of, false);
    scene.listener.connected(SPACE.platform);
    await scene.later();
  };

  it.each([ENGLISH, SPANISH])(
    'tells once the pause is over that the copies have the edit: $id',
    async (of) => {
      const message = await edited(of);
      await resume(of);
      expect(scene.feed.texts(SPANISH)[0]).toContain('es(hello there)');
      const posted = { state: 'posted', isCopied: true, shownIn: [JAPANESE, SPANISH] };
      expect(await partsOf(message)).toMatchObject([posted]);
      expect(await partsOf(scene.feed.messages(SPANISH)[0]!)).toMatchObject([posted]);
    },
  );

  it('tells that a translation follows the edit once the pause of its channel is over', async () => {
    await watchGeneral();
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.watches.pause(GENERAL, true);
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'hello there'));
    await scene.idle();
    const [told, ...others] = await partsOf(message);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ state: 'waiting', reason: { key: 'why.after-pause' } });
    expect(told).toMatchObject({ shownIn: [GENERAL] });
    expect(told!.isCopied ?? false).toBe(false);
    await resume(GENERAL);
    expect(await partsOf(message)).toMatchObject([{ state: 'posted', shownIn: [GENERAL] }]);
  });

  it('tells on a copy elsewhere that its own edit waits for the end of a pause, and of no other one', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
    const { ref } = await scene.say(THERE, 'hello');
    await scene.idle();
    await scene.watches.pause(SPANISH, true);
    await scene.listener.messageChanged(scene.other.edit(ref, 'hello there'));
    await scene.idle();
    const copyIn = (of: Channel): Message => scene.feed.messages(of)[0]!;
    const isOfElsewhere = true;
    expect(await partsOf(copyIn(SPANISH))).toMatchObject([{ ...waits(SPANISH), isOfElsewhere }]);
    expect(await partsOf(copyIn(ENGLISH))).toMatchObject([{ state: 'posted', isOfElsewhere }]);
  });

  it.each(['🎉🎉', 'https://example.com/photos'])(
    'says of what has no words that it stands in linked channels as it was written: %s',
    async (words) => {
      await scene.watches.set(linked());
      const message = await scene.say(ENGLISH, words);
      await scene.idle();
      expect(await partsOf(message)).toMatchObject([
        { state: 'posted', isCopied: true, reason: { key: 'why.skipped.no-words' } },
      ]);
    },
  );

  describe('names the linked channels in which it never was, and what kept it out', () => {
    const key = (id: string): string => channelKey(channel(id));
    const PAUSE = { fromMs: 0 };
    const BABEL = { params: { server: 'Babel (Place)' } };
    beforeEach(() => scene.feed.nameSpace(SPACE, 'Babel'));
    it.each([
      ['paused-there', 'spanish', { pause: PAUSE }],
      ['muted-there', 'spanish', { muted: { [key('english')]: PAUSE } }],
      ['paused-there', 'japanese', { held: { [key('spanish')]: PAUSE } }],
    ])('%s by the choices of %s', async (way, of, choices) => {
      await scene.watches.set(
        linked().map((watch) => (watch.channel.id === of ? { ...watch, choices } : watch)),
      );
      const message = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      const reason = { key: `why.cut-off.${way}`, ...(way === 'muted-there' ? {} : BABEL) };
      expect(await partsOf(message)).toMatchObject([
        { state: 'posted', shownIn: [JAPANESE], missing: [{ channels: [SPANISH], reason }] },
      ]);
    });

    it.each([
      ['paused-there', 'spanish', { pause: PAUSE }],
      ['muted-there', 'spanish', { muted: { [key('english')]: PAUSE } }],
      ['held-here', 'spanish', { held: { [key('english')]: PAUSE } }],
    ])('all of them: %s', async (way, of, choices) => {
      const two = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']);
      await scene.watches.set(
        two.map((watch) => (watch.channel.id === of ? { ...watch, choices } : watch)),
      );
      const message = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      expect(await partsOf(message)).toMatchObject([
        {
          state: 'skipped',
          reason: { key: `why.cut-off.${way}`, ...(way === 'muted-there' ? {} : BABEL) },
        },
      ]);
    });

    it('the own pause of a channel, which is named as such', async () => {
      await scene.watches.set(
        mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']).map((watch) =>
          watch.channel.id === ENGLISH.id ? { ...watch, choices: { pause: PAUSE } } : watch,
        ),
      );
      const message = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      const reason = { key: 'why.skipped.paused' };
      expect(await partsOf(message)).toMatchObject([{ state: 'skipped', reason }]);
    });

    it('though nothing is stored of that, where the spaces of both have not agreed', async () => {
      const there = channel('there', undefined, WORKSPACE);
      const unagreed = { [`${SPACE.platform} ${SPACE.id}`]: PAUSE };
      await scene.watches.set(
        mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [there, 'ja']).map((watch) =>
          watch.channel.id === there.id ? { ...watch, choices: { unagreed } } : watch,
        ),
      );
      const message = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      await scene.store.deleteFrom('mirror').where('target_channel_id', '=', there.id).execute();
      const reason = { key: 'why.skipped.unagreed' };
      expect(await partsOf(message)).toMatchObject([
        { state: 'posted', shownIn: [SPANISH], missing: [{ channels: [there], reason }] },
      ]);
    });

    it('where it may not be posted now, too', async () => {
      await scene.watches.set(linked());
      const error = new AppError('forbidden', 'Missing Permissions');
      scene.feed.fail({ call: 'create', error, channel: SPANISH });
      const message = await scene.say(ENGLISH, 'hello');
      await untilGivenUp(scene);
      const [part] = await partsOf(message);
      expect(part).toMatchObject({ state: 'dead', missing: [{ channels: [SPANISH] }] });
      expect(part).not.toHaveProperty('shownIn');
    });
  });

  it('tells of a reply as one, though the channel was linked since', async () => {
    await watchGeneral();
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.clock.aheadMs += DAY_MS;
    await scene.watches.set(mirrorOf([GENERAL, 'en'], [SPANISH, 'es']));
    const [part] = await partsOf(message);
    expect(part).toMatchObject({ state: 'posted', shownIn: [GENERAL] });
    expect(part).not.toHaveProperty('isCopied');
  });

  it('tells of a copy as one, though the link has ended since or is another one', async () => {
    await scene.watches.set(linked());
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.clock.aheadMs += DAY_MS;
    await scene.watches.remove(ENGLISH);
    const shownIn = [JAPANESE, SPANISH];
    expect(await partsOf(message)).toMatchObject([{ isCopied: true, shownIn, missing: [] }]);
    await scene.watches.set(
      mirrorOf([ENGLISH, 'en'], [GENERAL, 'fr']).map((watch) => ({ ...watch, group: 'later' })),
    );
    const reason = { key: 'why.skipped.before-link' };
    expect(await partsOf(message)).toMatchObject([
      { isCopied: true, shownIn, missing: [{ channels: [GENERAL], reason }] },
    ]);
  });

  it('counts what stands in the thread of a linked channel as standing there', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    const message = await scene.say(thread, 'hello');
    await scene.idle();
    expect(await partsOf(message)).toMatchObject([
      { state: 'posted', isCopied: true, missing: [], shownIn: [{ parentId: SPANISH.id }] },
    ]);
  });

  it.each([
    ['linked channels', () => linked(), ENGLISH],
    ['replies', () => [{ ...watchOf(GENERAL), languages: ['es', 'ja'] }], GENERAL],
  ])('says in which language its words are already, with %s', async (_, watches, from) => {
    await scene.watches.set(watches());
    const message = await scene.say(from, 'es: Buenos días a todos, ¿cómo están ustedes hoy?');
    await scene.idle();
    const already = [{ state: 'posted', alreadyIn: 'es' }];
    expect(await partsOf(message)).toMatchObject(already);
    // Who reads a copy learns it, too.
    for (const copy of scene.feed.messages(SPANISH))
      expect(await partsOf({ ...copy, copied: true })).toMatchObject(already);
    const other = await scene.say(from, 'Guten Morgen zusammen, wie geht es euch heute?');
    await scene.idle();
    const copies = scene.feed.messages(SPANISH).slice(1);
    for (const each of [other, ...copies.map((copy) => ({ ...copy, copied: true as const }))])
      expect((await partsOf(each))[0]).not.toHaveProperty('alreadyIn');
  });

  it('is that of the source, with its author, for a mirror of it', async () => {
    await scene.watches.set(linked());
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [mirror] = scene.feed.messages(SPANISH);
    expect(await explained(mirror!)).toEqual(await explained(message));
    expect(await explained(mirror!)).toMatchObject({
      ref: message.ref,
      author: { platform: SPACE.platform, id: message.author.id },
    });
  });

  it('tells a copy of which nothing is known any more from what the bot says itself', async () => {
    const ours = { author: { id: 'us', name: 'Ada', kind: 'ourselves' } } as const;
    const reason = (key: string) => [{ state: 'unknown', reason: { key: `why.unknown.${key}` } }];
    const [copy, answer] = [{ ...ours, copied: true } as const, ours].map((part) =>
      scene.feed.say(SPANISH, 'hola', part),
    );
    expect(await partsOf(copy!)).toEqual(reason('copy'));
    expect(await partsOf(answer!)).toEqual(reason('own'));
  });

  it('is that of who wrote the source on another platform, for a flag under a copy that was forgotten', async () => {
    const there = channel('there', undefined, WORKSPACE);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [there, 'es']));
    const { author } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [copy] = scene.other.messages(there);
    await scene.listener.reactionChanged(copy!.ref, '🇫🇷', true);
    await scene.idle();
    await forgetCopies(scene.store, there.id);
    expect(await explained(copy!)).toMatchObject({
      author: { platform: SPACE.platform, id: author.id },
    });
  });

  it('tells of the source of a copy in another space neither its flags nor why it was not translated', async () => {
    const there = channel('there', undefined, WORKSPACE);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [there, 'es']));
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [copy] = scene.other.messages(there);
    await scene.spaces.change(SPACE, { flags: { on: true, languages: { '🎉': 'ja' } } });
    for (const flag of ['🎉', '🇦🇶']) await scene.listener.reactionChanged(message.ref, flag, true);
    await scene.idle();
    expect(await partsOf(message)).toHaveLength(3);
    const posted = [{ state: 'posted', isCopied: true, shownIn: [there] }];
    expect(await partsOf(copy!)).toMatchObject(posted);
    await scene.listener.reactionChanged(copy!.ref, '🇦🇶', true);
    expect(await partsOf(copy!)).toMatchObject([...posted, { emoji: '🇦🇶' }]);
    scene.poisoned.add('bad');
    await scene.listener.messageChanged(scene.feed.edit(message.ref, 'bad'));
    await scene.idle();
    const [waiting] = await partsOf(copy!);
    expect(waiting).toMatchObject({ state: 'waiting', isOfElsewhere: true });
    expect(waiting).not.toHaveProperty('reason');
    expect((await partsOf(message))[0]).toHaveProperty('reason');
  });

  it('is that its outcome is no longer stored, for a mirror that stands for longer', async () => {
    await scene.watches.set(linked());
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.store.deleteFrom('inbox').execute();
    const [mirror] = scene.feed.messages(SPANISH);
    expect(await partsOf(mirror!)).toMatchObject([{ reason: { key: 'why.unknown.cleared' } }]);
  });

  it('tells of a flag beside auto-translate', async () => {
    await watchGeneral();
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.listener.reactionChanged(message.ref, '🇯🇵', true);
    await scene.idle();
    const parts = await partsOf(message);
    expect(new Set(parts.map(({ flag }) => flag))).toEqual(new Set([undefined, 'ja']));
  });
});
