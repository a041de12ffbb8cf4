import { expect, it } from 'vitest';
import type { Message, MessageRef } from '../../../src/model.ts';
import { authorsOf } from '../../../src/watch/authors.ts';
import { channel, createWatchedPlace, person } from '../../fakes/watched-place.ts';

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
