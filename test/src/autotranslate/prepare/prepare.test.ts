import { expect, test } from 'vitest';
import { createPrepare, type PrepareDeps } from '../../../../src/autotranslate/prepare/prepare.ts';
import type { Tenure } from '../../../../src/ports/leases.ts';
import type { Row } from '../../../../src/store/inbox/row.ts';
import { AppError } from '../../../../src/errors.ts';

const CHANNEL = { space: { platform: 'voices', id: 'space' }, id: 'general' };

/** Prepares a row of a channel with threads, whose message was deleted. */
const prepareDeleted = (isHeld: boolean) => {
  const asked: string[] = [];
  const thread = async (_: unknown, name: string) => {
    asked.push(name);
    return { channel: { ...CHANNEL, id: 'thread' } };
  };
  const { prepare } = createPrepare({
    services: { languages: { name: () => 'Spanish' } },
    watches: { of: () => ({ channel: CHANNEL, mode: 'thread', languages: ['es'] }) },
    threads: { of: async () => undefined, put: async () => undefined },
    platforms: { of: () => ({ mirrors: { thread } }) },
  } as unknown as PrepareDeps);
  const tenure = {
    assertHeld: () => {
      if (!isHeld) throw new AppError('cancelled', 'another process has the slot');
    },
  } as Tenure;
  const row = {
    ref: { channel: CHANNEL, id: '1' },
    purpose: 'watch',
    message: 'deleted',
    mayExist: true,
  } as unknown as Row;
  const { signal } = new AbortController();
  return { asked, prepared: prepare(row, { isLast: false, tenure }, signal) };
};

test('the thread of a language is looked for, and created, by the holder of the slot alone', async () => {
  const held = prepareDeleted(true);
  expect((await held.prepared).orphanTargets).toMatchObject([{ channel: { id: 'thread' } }]);
  expect(held.asked).toHaveLength(1);
  const lost = prepareDeleted(false);
  await expect(lost.prepared).rejects.toMatchObject({ code: 'cancelled' });
  expect(lost.asked).toEqual([]);
});
