import { expect, test } from 'vitest';
import { createBoard } from '../../../adapters/web/board.ts';
import type { EventFor } from '../../../adapters/web/hub.ts';
import type { Profile } from '../../../adapters/web/members.ts';
import { createGrowingMessage } from '../../../adapters/web/growing-message.ts';
import { OURSELVES, type Render } from '../../../adapters/web/platform.ts';

const plain: Render = async ({ text, tone = 'plain' }) => ({ html: text, tone, files: [] });

const setUp = (render: Render = plain) => {
  const events: EventFor[] = [];
  const board = createBoard((event) => events.push(event));
  const { message } = board.add({
    channel: 'playground',
    author: OURSELVES,
    html: '',
    tone: 'plain',
    files: [],
    working: true,
  });
  const growing = createGrowingMessage(board, render, message.id);
  const shown = () =>
    events.flatMap((event) => {
      const own = event({ id: 'anybody' } as Profile);
      return own?.type === 'message' ? own.message.html : [];
    });
  return { growing, shown, last: () => board.find(message.id)?.message };
};

test('what comes faster than it is drawn is passed over, but never the last', async () => {
  const { growing, shown, last } = setUp();
  for (let length = 1; length <= 1_000; length += 1)
    await growing.show({ text: 'x'.repeat(length) });
  await growing.finish();
  expect(last()).toMatchObject({ html: 'x'.repeat(1_000), working: false });
  expect(shown().length).toBeLessThan(10);
});

test('an answer of nothing ends all the same', async () => {
  const { growing, last } = setUp();
  await growing.finish();
  expect(last()).toMatchObject({ html: '', working: false });
});

test('what cannot be shown is told at the end, and the work is over', async () => {
  const { growing, last } = setUp(() => Promise.reject(new Error('the disk is full')));
  await growing.show({ text: 'x' });
  await expect(growing.finish()).rejects.toThrow('the disk is full');
  expect(last()?.working).toBe(false);
});
