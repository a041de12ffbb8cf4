import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { Posted } from '../../../src/model/place.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { mirrorOf as linkedOf } from '../../fakes/autotranslate.ts';
import { channel, person, SPACE } from '../../fakes/channel-feed.ts';
import { withScene, WORKSPACE } from './support.ts';

const HERE = channel('here');
const THERE = channel('there');
const of = (id: string) => ({ platform: SPACE.platform, id });

describe('the words of a message', () => {
  const scene = withScene();
  /** A message of ours that mirrors what each of these has said. */
  const mirrorOf = async (...authors: readonly string[]): Promise<Message> => {
    const mirror = scene.feed.say(THERE, 'hola', {
      author: { id: 'dragoman', name: 'Ada', kind: 'ourselves' },
    });
    const stored = createMirrorStore(scene.store, Date.now);
    for (const author of authors) {
      const { ref } = scene.feed.say(HERE, 'hello', { author: person(author) });
      const posted: Posted = { channel: THERE, ids: [mirror.ref.id] };
      const kept = { target: { channel: THERE }, posted, contentHash: 'x' };
      await scene.store.write((db) => stored.put(db, { ref, purpose: 'watch' }, kept, true));
    }
    return mirror;
  };

  it('are of a mirror those of all whose messages it was made of', async () => {
    expect(await scene.authorsOf(await mirrorOf())).toEqual([]);
    expect(new Set(await scene.authorsOf(await mirrorOf('ada', 'bob')))).toEqual(
      new Set([of('ada'), of('bob')]),
    );
  });

  it('are of anybody else their own', async () => {
    const message = scene.feed.say(HERE, 'hello', { author: person('carol') });
    expect(await scene.authorsOf(message)).toEqual([of('carol')]);
    const elsewhere = channel('here', undefined, { platform: 'unknown', id: 'space' });
    const ref = { channel: elsewhere, id: message.ref.id };
    expect(await scene.authorsOf({ ...message, ref })).toEqual([
      { platform: 'unknown', id: 'carol' },
    ]);
  });

  it('are of a translation of a copy those of the person of another platform who wrote the source', async () => {
    const far = channel('far', undefined, WORKSPACE);
    await scene.watches.set(linkedOf([HERE, 'en'], [far, 'es']));
    await scene.say(HERE, 'hello', { author: person('ada') });
    await scene.idle();
    const [copy] = scene.other.messages(far) as [Message];
    await scene.listener.reactionChanged(copy.ref, '🇫🇷', true);
    await scene.idle();
    for (const each of scene.other.messages(far))
      expect(await scene.authorsOf(each)).toEqual([of('ada')]);
    expect(scene.other.messages(far)).toHaveLength(2);
  });

  it('are nobody’s of what is deleted', async () => {
    const mirror = await mirrorOf('ada');
    const [source] = scene.feed.messages(HERE);
    scene.feed.remove(source!.ref);
    await expect(scene.authorsOf(mirror)).rejects.toMatchObject({ code: 'not-found' });
  });
});
