import { expect, test } from 'vitest';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createChannelLog } from '../../../adapters/web/channel-log.ts';
import type { EventFor } from '../../../adapters/web/event-streams.ts';
import type { Profile } from '../../../adapters/web/profiles.ts';
import { createGrowingMessage } from '../../../adapters/web/invocations.ts';
import { OURSELVES, type Render } from '../../../adapters/web/platform.ts';

const plain: Render = async ({ text, tone = 'plain' }) => ({
  html: plainText(text),
  tone,
  files: [],
});

type Rest = Parameters<typeof createGrowingMessage>[3];

const setUp = (render: Render = plain, rest?: Rest) => {
  const events: EventFor[] = [];
  const channelLog = createChannelLog((event) => events.push(event));
  const { message } = channelLog.add({
    channel: 'playground',
    author: OURSELVES,
    html: '',
    tone: 'plain',
    files: [],
    working: true,
  });
  const growing = createGrowingMessage(channelLog, render, message.id, rest);
  const shown = () =>
    events.flatMap((event) => {
      const own = event({ id: 'anybody' } as Profile);
      return own?.type === 'message' ? own.message.html : [];
    });
  return { growing, shown, last: () => channelLog.find(message.id)?.message };
};

test('what comes faster than it is drawn is passed over, but never the last', async () => {
  const { growing, shown, last } = setUp();
  for (let length = 1; length <= 1_000; length += 1)
    await growing.show({ text: plainWords('x'.repeat(length)) });
  await growing.finish();
  expect(last()).toMatchObject({ html: 'x'.repeat(1_000), working: false });
  expect(shown().length).toBeLessThan(10);
});

test('draws again only after a rest, which is longer for a longer text', async () => {
  const rests: { ms: number; end: () => void }[] = [];
  const { growing, shown } = setUp(plain, (ms) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    rests.push({ ms, end: resolve });
    return promise;
  });
  const drawn = () => shown().map(({ length }) => length);
  const resting = (count: number) => expect.poll(() => rests.length).toBe(count);

  await growing.show({ text: plainWords('x') });
  await resting(1);
  await growing.show({ text: plainWords('xx') });
  await growing.show({ text: plainWords('x'.repeat(40_000)) });
  await new Promise((resolve) => setImmediate(resolve));
  expect(drawn()).toEqual([0, 1]);
  rests[0]?.end();
  await resting(2);
  expect(drawn()).toEqual([0, 1, 40_000]);
  await growing.show({ text: plainWords('x'.repeat(900_000)) });
  rests[1]?.end();
  await resting(3);
  expect(drawn()).toEqual([0, 1, 40_000, 900_000]);
  expect(rests.map(({ ms }) => ms)).toEqual([80, 200, 1_000]);
  rests[2]?.end();
  await growing.finish();
});

test('an answer of nothing ends all the same', async () => {
  const { growing, last } = setUp();
  await growing.finish();
  expect(last()).toMatchObject({ html: '', working: false });
});

test('what cannot be shown is told at the end, and the work is over', async () => {
  const { growing, last } = setUp(() => Promise.reject(new Error('the disk is full')));
  await growing.show({ text: plainWords('x') });
  await expect(growing.finish()).rejects.toThrow('the disk is full');
  expect(last()?.working).toBe(false);
});
