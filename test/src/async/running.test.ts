import { expect, it } from 'vitest';
import { createRunning } from '../../../src/async/running.ts';

it('what is under way is waited for, with what begins meanwhile, whether it fails or not', async () => {
  const running = createRunning();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended: string[] = [];
  const begun = running.add(async () => {
    await first.promise;
    void running.add(() => second.promise).catch(() => ended.push('failed'));
  });
  const idle = running.idle().then(() => ended.push('idle'));
  first.resolve();
  await begun;
  expect(ended).toEqual([]);
  second.reject(new Error('no'));
  await idle;
  expect(ended).toEqual(['failed', 'idle']);
  await running.idle();
});
