import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, person } from '../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene } from './support.ts';

const BY = { author: person('bob') };
const ANSWERS = [
  [
    'ada: es(secret) [🌐 inglés]',
    '> Dragoman: ada: es(secret) [🌐 inglés]\nbob: es(really) [🌐 inglés]',
  ],
  ['bob: es(really) [🌐 inglés]'],
];

describe('the quote of a message', () => {
  const scene = withScene(linked());
  const told = async () => {
    const { ref } = await scene.say(ENGLISH, 'secret');
    await scene.idle();
    const answer = await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
    return { ref, answer: answer.ref };
  };
  const remove = async ({ ref }: Awaited<ReturnType<typeof told>>): Promise<void> => {
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
  };

  it('goes from the copies of its answer when it is deleted', async () => {
    const known = await told();
    await scene.idle();
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

  it('goes from copies whose rows were cleared, and brings none into a channel that was linked since', async () => {
    const known = await told();
    await scene.idle();
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

  it('leaves the copies of an answer alone that is deleted itself', async () => {
    const { ref, answer } = await told();
    await scene.idle();
    for (const one of [answer, ref]) scene.feed.remove(one);
    await scene.listener.messagesDeleted([answer, ref]);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual([]);
  });
});
