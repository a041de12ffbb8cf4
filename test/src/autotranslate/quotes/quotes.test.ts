import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { channel, SPACE } from '../../../fakes/channel-feed.ts';
import type { Channel, MessageRef } from '../../../../src/model/place.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, untilGivenUp, withScene } from '../support.ts';
import { answered, BY, MODERATOR } from './support.ts';

const BOB = { platform: SPACE.platform, id: 'bob' };
const ANSWERS = [
  [
    'ada: es(secret) [🌐 inglés]',
    '> Dragoman: ada: es(secret) [🌐 inglés]\nbob: es(really) [🌐 inglés]',
  ],
  ['bob: es(really) [🌐 inglés]'],
];

describe('the quote of a message', () => {
  const scene = withScene(linked());
  const remove = async ({ ref }: Awaited<ReturnType<typeof answered>>): Promise<void> => {
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
  };

  const edit = (ref: MessageRef, words: string): Promise<void> =>
    scene.listener.messageChanged(scene.feed.edit(ref, words));

  const revisionOf = async ({ id }: MessageRef) => {
    const rows = scene.store.selectFrom('inbox').select(['revision', 'state']);
    const row = await rows.where('message_id', '=', id).executeTakeFirst();
    return [row?.revision, row?.state];
  };

  it('goes from the copies of its answer when it is deleted', async () => {
    const known = await answered(scene);
    expect(scene.feed.texts(SPANISH)).toEqual(ANSWERS[0]);
    await remove(known);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(ANSWERS[1]);
    expect(scene.feed.texts(JAPANESE)).toEqual(['bob: ja(really) [🌐 英語]']);
  });

  it('goes though its answer was given to a copy', async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    const [copy] = scene.feed.messages(SPANISH);
    await scene.say(SPANISH, 'es:vaya', { ...BY, ...(copy ? { replyTo: copy.ref } : {}) });
    await scene.idle();
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('secret');
    await remove({ ref, answer: ref });
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toEqual(['bob: en(es:vaya) [🌐 English]']);
  });

  it('has the words of the copy that is answered where its source is not copied any more', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [copy] = scene.feed.messages(SPANISH);
    for (const { ref: there } of scene.feed.messages(JAPANESE)) scene.feed.remove(there);
    await scene.store.deleteFrom('mirror').where('target_channel_id', '=', JAPANESE.id).execute();
    await scene.watches.remove(ENGLISH);
    scene.feed.edit(ref, 'secret');
    await scene.say(SPANISH, 'es:vaya', { ...BY, ...(copy ? { replyTo: copy.ref } : {}) });
    await scene.idle();
    expect(scene.feed.texts(JAPANESE).at(-1)).toMatch(/^> .*es\(hello\)/);
    expect(scene.feed.texts(JAPANESE).join()).not.toContain('secret');
  });

  it('goes from copies whose rows were cleared, and brings none into a channel that was linked since', async () => {
    const known = await answered(scene);
    await scene.store.deleteFrom('inbox').execute();
    const later = channel('later');
    await scene.watches.set(
      mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja'], [later, 'fr']),
    );
    await remove(known);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(ANSWERS[1]);
    expect(scene.feed.texts(later)).toEqual([]);
  });

  it('goes when it is deleted while the answer is posted', async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    scene.feed.during('create', () => remove({ ref, answer: ref }));
    await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
    await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual(ANSWERS[1]);
    expect(scene.feed.texts(JAPANESE)).toEqual(['bob: ja(really) [🌐 英語]']);
  });

  it('follows no edit in a paused channel, whose copy of the answer stays, until the pause is over', async () => {
    const { ref } = await answered(scene);
    await scene.watches.pause(SPANISH, true, MODERATOR);
    await edit(ref, 'secrets');
    await scene.later();
    expect(scene.feed.texts(SPANISH)[1]).toBe(ANSWERS[0]?.[1]);
    expect(scene.feed.texts(JAPANESE)[1]).toContain('ja(secrets)');
    await scene.watches.pause(SPANISH, false, MODERATOR);
    // What comes in the millisecond of its end is of the pause.
    scene.clock.aheadMs += 1;
    await edit(ref, 'a public matter');
    await scene.later();
    expect(scene.feed.texts(SPANISH)[1]).toContain('es(a public matter)');
  });

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'its daily limit is used up',
      async () => scene.spaces.change(SPACE, { dailyCharacters: 1 }),
      async () => scene.spaces.change(SPACE, { dailyCharacters: 10_000 }),
    ],
    [
      'its author opted out',
      async () => scene.privacy.setOptedOut(BOB, true),
      async () => scene.privacy.setOptedOut(BOB, false),
    ],
    [
      'a rule leaves it out',
      async () => scene.spaces.change(SPACE, { rules: { words: { of: ['really'] } } }),
      async () => scene.spaces.change(SPACE, { rules: {} }),
    ],
    ['it fails for ever', async () => scene.broken.add('really'), async () => scene.broken.clear()],
    [
      'the service fails at it for ever',
      async () => scene.poisoned.add('really'),
      async () => scene.poisoned.clear(),
    ],
  ])(
    'goes with an edit, and comes with the next, where an answer is not translated anew, as %s',
    async (_, act, end) => {
      const { ref } = await answered(scene);
      await act();
      await edit(ref, 'a public matter');
      await untilGivenUp(scene);
      expect(scene.feed.texts(SPANISH)[1]).toBe(ANSWERS[1]?.[0]);
      await end();
      await edit(ref, 'a private matter');
      await scene.later();
      expect(scene.feed.texts(SPANISH)[1]).toContain('es(a private matter)');
    },
  );

  it('leaves the copies of an answer alone that is deleted itself', async () => {
    const { ref, answer } = await answered(scene);
    for (const one of [answer, ref]) scene.feed.remove(one);
    await scene.listener.messagesDeleted([answer, ref]);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual([]);
  });

  it('finds with an edit that an answer was deleted, where nobody had reported it', async () => {
    const { ref, answer } = await answered(scene);
    scene.feed.remove(answer);
    await edit(ref, 'a public matter');
    await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual([expect.stringContaining('es(a public matter)')]);
  });

  it('finds so, too, where what was stored of the answer was cleared', async () => {
    const { ref, answer } = await answered(scene);
    await scene.store.deleteFrom('inbox').where('message_id', '=', answer.id).execute();
    scene.feed.remove(answer);
    for (const words of ['a secret matter', 'a public matter']) await edit(ref, words);
    await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual([expect.stringContaining('es(a public matter)')]);
  });

  it.each<[string, (edited: MessageRef) => unknown]>([
    ['auto-translate was turned off in its channel', async () => scene.watches.remove(SPANISH)],
    [
      'its channel was deleted, or the app is in it no more',
      () =>
        Object.assign(scene.feed.feed, { isGone: async ({ id }: Channel) => id === SPANISH.id }),
    ],
    [
      'it is so old that its platform hides it',
      async (edited) => {
        Object.assign(scene.feed.feed, { hidesOld: true });
        await scene.store.deleteFrom('inbox').execute();
        await edit(edited, 'a secret matter');
        await scene.later();
      },
    ],
  ])('goes with an edit from copies of an answer that cannot be read, as %s', async (_, act) => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    const [copy] = scene.feed.messages(SPANISH);
    const answer = await scene.say(SPANISH, 'es:vaya', { ...BY, replyTo: copy!.ref });
    await scene.idle();
    await act(ref);
    scene.feed.remove(answer.ref);
    await edit(ref, 'a public matter');
    await scene.later();
    expect(scene.feed.texts(ENGLISH)).toContain('bob: en(es:vaya) [🌐 English]');
    expect(scene.feed.texts(JAPANESE).join()).toContain(',bob: ja(es:vaya) [🌐 ');
    await scene.listener.messagesDeleted([answer.ref]);
    await scene.idle();
    expect(scene.feed.texts(JAPANESE).join()).not.toContain('bob');
  });

  it('follows the message when it is edited, once for quick edits', async () => {
    const { ref } = await answered(scene);
    scene.feed.calls.length = 0;
    for (const words of ['secrets', 'a public matter']) await edit(ref, words);
    await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual([
      'ada: es(a public matter) [🌐 inglés]',
      '> Dragoman: ada: es(a public matter) [🌐 inglés]\nbob: es(really) [🌐 inglés]',
    ]);
    const updates = scene.feed.calls.filter((call) => call === 'update');
    expect(updates.length).toBeLessThanOrEqual(2 * 2 + 2);
  });

  it('follows an edit while the answer is posted', async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    scene.feed.during('create', async () => {
      await edit(ref, 'a public matter');
      await eventually(async () => expect(await revisionOf(ref)).toEqual([2, 'posted']));
    });
    await scene.say(SPANISH, 'es:vaya', { ...BY, replyTo: ref });
    await scene.later();
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('a public matter');
  });

  it('follows in the newest answers alone where a message has many, at no cost for those who wrote them', async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    for (let at = 0; at < 22; at += 1) {
      await scene.say(ENGLISH, `answer ${at}`, { ...BY, replyTo: ref });
      await scene.idle();
    }
    const used = async (memberId: string) => scene.usage.todayOf(ENGLISH.space, memberId);
    const before = await used('bob');
    await edit(ref, 'a public matter');
    await scene.later();
    const quotes = scene.feed.texts(SPANISH).slice(1);
    expect(quotes.map((text) => text.includes('a public matter'))).toEqual(
      quotes.map((_, at) => at > 1),
    );
    expect(await used('bob')).toEqual(before);
  });

  it.each([
    ['a rule leaves out', { rules: { words: { of: ['secret'] } } }, {}],
    ['a bot wrote', {}, { author: { id: 'bot', name: 'bot', kind: 'bot' } as const }],
    ['is of a quiet channel', { quietChannels: [ENGLISH.id] }, {}],
  ])('has nothing of what %s, also once that is over', async (_, choices, part) => {
    await scene.spaces.change(SPACE, choices);
    const { ref } = await scene.say(ENGLISH, 'secret', part);
    await scene.idle();
    const shown = async (): Promise<string> => {
      await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
      await scene.idle();
      return [...scene.feed.texts(SPANISH), ...scene.feed.texts(JAPANESE)].join('\n');
    };
    await scene.spaces.change(SPACE, { quietChannels: [] });
    expect(await shown()).not.toContain('secret');
    await scene.spaces.change(SPACE, { rules: {} });
    expect(await shown()).not.toContain('secret');
    await scene.store.deleteFrom('inbox').execute();
    expect(await shown()).not.toContain('secret');
  });

  it('has nothing of what was removed from the channel of its readers', async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    for (const copy of scene.feed.messages(SPANISH)) scene.feed.remove(copy.ref);
    await edit(ref, 'secrets');
    await scene.idle();
    await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['bob: es(really) [🌐 inglés]']);
    expect(scene.feed.texts(JAPANESE).at(-1)).toContain('secrets');
  });
});
