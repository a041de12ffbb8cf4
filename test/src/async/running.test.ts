import { expect, it } from 'vitest';
import { createRunning } from '../../../src/async/running.ts';

it('what is under way is waited for, whether it fails or not, and not what begins meanwhile', async () => {
  const running = createRunning();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended: string[] = [];
  const begun = [first, second].map(({ promise }, index) =>
    running.add(() => promise).catch(() => ended.push(`${index} failed`)),
  );
  const settled = running.settled().then(() => ended.push('settled'));
  void running.add(() => new Promise(() => undefined));
  first.resolve();
  await begun[0];
  expect(ended).toEqual([]);
  second.reject(new Error('no'));
  await settled;
  expect(ended).toEqual(['1 failed', 'settled']);
});

it('nothing under way is not waited for', async () => {
  await createRunning().settled();
});
