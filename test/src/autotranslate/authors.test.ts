import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { Posted } from '../../../src/model/place.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { channel, person } from '../../fakes/channel-feed.ts';
import { withScene } from './support.ts';

const HERE = channel('here');
const THERE = channel('there');

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
    expect(await scene.authorsOf(await mirrorOf())).toEqual(['dragoman']);
    expect((await scene.authorsOf(await mirrorOf('ada', 'bob'))).toSorted()).toEqual([
      'ada',
      'bob',
    ]);
  });

  it('are of anybody else their own', async () => {
    const message = scene.feed.say(HERE, 'hello', { author: person('carol') });
    expect(await scene.authorsOf(message)).toEqual(['carol']);
    const elsewhere = channel('here', undefined, { platform: 'unknown', id: 'space' });
    const ref = { channel: elsewhere, id: message.ref.id };
    expect(await scene.authorsOf({ ...message, ref })).toEqual(['carol']);
  });

  it('are nobody’s of what is deleted', async () => {
    const mirror = await mirrorOf('ada');
    const [source] = scene.feed.messages(HERE);
    scene.feed.remove(source!.ref);
    await expect(scene.authorsOf(mirror)).rejects.toMatchObject({ code: 'not-found' });
  });
});
