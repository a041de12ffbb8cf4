import { expect, test } from 'vitest';
import type { Entry } from '../../../adapters/web/channel-log.ts';
import { createLineQueue, type LineJob } from '../../../adapters/web/lounge.ts';

const jobOf = (id: string, isNew = true): LineJob => {
  const author = { id: 'ada', name: 'Ada', ours: false };
  return { entry: { message: { id, author } } as Entry, languages: ['es'], isNew };
};

const setUp = () => {
  const gone = new Set<string>();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = createLineQueue({
    isGone: ({ message }) => gone.has(message.id),
    run: ({ entry }) => {
      begun.push(entry.message.id);
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  const endOne = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, gone, begun, endOne };
};

test('works on four lines at once, in order, and passes over those that are gone', async () => {
  const { queue, gone, begun, endOne } = setUp();
  for (const id of ['1', '2', '3', '4', '5', '6', '7']) queue.add(jobOf(id));
  expect(begun).toEqual(['1', '2', '3', '4']);
  gone.add('5').add('6');
  await endOne();
  expect(begun).toEqual(['1', '2', '3', '4', '7']);
});

test('lets two hundred wait; lines that are gone make room', () => {
  const { queue, gone } = setUp();
  for (let line = 0; line < 204; line += 1) expect(queue.add(jobOf(`${line}`))).toBe(true);
  expect(queue.add(jobOf('one more'))).toBe(false);
  gone.add('100');
  expect(queue.add(jobOf('one more'))).toBe(true);
  expect(queue.add(jobOf('and another'))).toBe(false);
});

test('counts the new lines of a member until they are done', async () => {
  const { queue, endOne } = setUp();
  for (const id of ['1', '2', '3']) queue.add(jobOf(id));
  queue.add(jobOf('an old one', false));
  expect(queue.of('ada')).toBe(3);
  expect(queue.of('ken')).toBe(0);
  await endOne();
  expect(queue.of('ada')).toBe(2);
});
