import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { createLooks, type Look } from '../../../../src/autotranslate/reactions/looks.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { GENERAL } from '../support.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const looksOf = (look: (one: Look, signal: AbortSignal) => Promise<boolean>) =>
  createLooks({ look, log: silentLog, nowMs: () => 0 });
const lookAt = (id: string, group: string): Look => ({
  ref: { channel: GENERAL, id },
  emoji: '👍',
  group,
});
const never = () => new Promise<never>(() => undefined);

it('looks at reactions are made one after the other in each group, and at once in others', async () => {
  const underWay: string[] = [];
  const seen: string[][] = [];
  const looks = looksOf(async ({ group }) => {
    seen.push([...underWay, group]);
    underWay.push(group);
    await setImmediate();
    underWay.splice(underWay.indexOf(group), 1);
    return true;
  });
  for (const [at, group] of ['a', 'a', 'b'].entries()) looks.add(lookAt(`${at}`, group));
  await looks.idle();
  expect(seen).toHaveLength(3);
  expect(seen).toContainEqual(['a', 'b']);
  expect(seen.filter((groups) => new Set(groups).size < groups.length)).toEqual([]);
});

it('a look that hangs is left and made again, and others of its group wait for it no longer than a moment', async () => {
  const seen: string[] = [];
  const left: AbortSignal[] = [];
  const looks = looksOf(async ({ ref: { id } }, signal) => {
    seen.push(id);
    if (id !== 'hangs') return true;
    left.push(signal);
    return seen.filter((one) => one === id).length === 1 ? never() : true;
  });
  for (const id of ['hangs', 'other']) looks.add(lookAt(id, 'group'));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(seen).toEqual(['hangs', 'other']);
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(seen).toEqual(['hangs', 'other', 'hangs']);
  expect(left.map(({ aborted }) => aborted)).toEqual([true, false]);
});

it('looks at the same reaction wait for each other, and the end waits for none that hangs', async () => {
  const seen: string[] = [];
  const looks = looksOf(async ({ ref: { id } }) => {
    seen.push(id);
    return never();
  });
  looks.add(lookAt('hangs', 'group'));
  await vi.advanceTimersByTimeAsync(0);
  looks.add(lookAt('hangs', 'group'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual(['hangs']);
  await looks[Symbol.asyncDispose]();
});
