import { expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import type { MessageRef, Posted } from '../../../src/model/place.ts';
import { createMirrorStore } from '../../../src/store/mirrors.ts';
import { openStore } from '../../../src/store/index.ts';
import { authorsOf } from '../../../src/autotranslate/authors.ts';
import { channel, createWatchedPlace, person } from '../../fakes/channel-feed.ts';

const HERE = channel('here');
const THERE = channel('there');

const setUp = () => {
  const place = createWatchedPlace();
  const copy: Message = {
    ...place.say(THERE, 'hola'),
    author: { id: 'dragoman', name: 'Ada', kind: 'ourselves' },
  };
  const made: MessageRef[] = [];
  const copies = {
    sourcesOf: async ({ id }: MessageRef) =>
      id === copy.ref.id ? made.map((ref) => ({ ref, purpose: 'watch' })) : [],
  };
  const say = (author: string): MessageRef => {
    const { ref } = place.say(HERE, 'hello', { author: person(author) });
    made.push(ref);
    return ref;
  };
  return {
    place,
    copy,
    say,
    of: async (message: Message) => authorsOf(message, copies, place.port),
  };
};

it('the words of a copy are those of all whose messages it was made of', async () => {
  const { copy, say, of } = setUp();
  expect(await of(copy)).toEqual(['dragoman']);
  say('ada');
  say('bob');
  expect(await of(copy)).toEqual(['ada', 'bob']);
});

it('what somebody wrote is their own', async () => {
  const { place, of } = setUp();
  const message = place.say(HERE, 'hello', { author: person('carol') });
  expect(await of(message)).toEqual(['carol']);
  expect(await authorsOf(message, { sourcesOf: async () => [] }, undefined)).toEqual(['carol']);
});

it('nobody is told to have written what is gone', async () => {
  const { place, copy, say, of } = setUp();
  place.remove(say('ada'));
  await expect(of(copy)).rejects.toMatchObject({ code: 'not-found' });
});

it('a message that holds several copies was made of all of their sources', async () => {
  await using store = await openStore('sqlite::memory:');
  const copies = createMirrorStore(store, () => 0);
  const place = createWatchedPlace();
  const shared = place.say(THERE, 'hola', {
    author: { id: 'dragoman', name: 'Dragoman', kind: 'ourselves' },
  });
  for (const author of ['ada', 'bob']) {
    const { ref } = place.say(HERE, 'hello', { author: person(author) });
    const posted: Posted = { channel: THERE, ids: [shared.ref.id] };
    const key = { ref, purpose: 'watch' };
    await store.write((db) =>
      copies.put(db, key, { target: THERE, posted, contentHash: 'x' }, true),
    );
  }
  expect((await authorsOf(shared, copies, place.port)).toSorted()).toEqual(['ada', 'bob']);
});
