import { expect, test } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { createStandingThreads } from '../../../../src/store/channels/standing-threads.ts';
import { fresh } from '../../../fakes/opened.ts';

const SPACE = { platform: 'test', id: 's' };
const CHANNEL = { space: SPACE, id: 'c' };
const OTHER = { space: SPACE, id: 'd' };
const asChannel = (id: string) => ({ channel: { space: SPACE, id, parentId: CHANNEL.id } });

const store = fresh(() => openStore('sqlite::memory:'));
const threads = fresh(() => createStandingThreads(store));

test.each([
  ['a channel of its own', asChannel('t')],
  ['a thread in its channel', { channel: CHANNEL, threadId: 't' }],
])('a thread that is %s is found as it was recorded', async (_, target) => {
  await threads.put(CHANNEL, 'es', target);
  expect(await threads.of(CHANNEL, 'es')).toEqual(target);
  expect(await threads.of(CHANNEL, 'ja')).toBeUndefined();
  expect(await threads.of(OTHER, 'es')).toBeUndefined();
});

test('the thread that was recorded last counts', async () => {
  await threads.put(CHANNEL, 'es', asChannel('first'));
  await threads.put(CHANNEL, 'es', asChannel('second'));
  expect(await threads.of(CHANNEL, 'es')).toEqual(asChannel('second'));
});

test('the threads of a channel that is gone are forgotten, those of others are not', async () => {
  await threads.put(CHANNEL, 'es', asChannel('t'));
  await threads.put(OTHER, 'es', asChannel('u'));
  await threads.remove(CHANNEL);
  expect(await threads.of(CHANNEL, 'es')).toBeUndefined();
  expect(await threads.of(OTHER, 'es')).toBeDefined();
});
