import { describe, expect, it, onTestFinished } from 'vitest';
import { createInboxWork } from '../../../src/autotranslate/inbox-work.ts';
import { createScheduler } from '../../../src/autotranslate/scheduler.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { SlotOwner } from '../../../src/cluster/slot-owner.ts';
import { slotOf } from '../../../src/store/rows.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { messageOf, PARTITION, withInbox } from '../store/inbox/support.ts';

const inbox = withInbox();

/** Time between two looks. */
const LOOK_MS = 5_000;
/** Wait for a retry. */
const RETRY_MS = 600_000;

/** A process that has the slot of the partition, and puts off all that it claims. */
const openProcess = ({ isStored = true } = {}) => {
  const clock = createTestClock(inbox.clock.ms);
  let aheadMs = 0;
  const now = (): number => clock.nowMs() + aheadMs;
  const tenure = {
    name: 'slot:1',
    epoch: 5,
    signal: new AbortController().signal,
    isHeld: () => true,
    assertHeld: () => undefined,
    release: async () => undefined,
  };
  const slots: Partial<SlotOwner> = {
    serve: () => undefined,
    slots: () => [slotOf(PARTITION)],
    tenureOf: () => tenure,
  };
  const claimed: string[] = [];
  let looks = 0;
  const scheduler = createScheduler({
    slots: slots as SlotOwner,
    log: silentLog,
    now,
    clock,
  });
  scheduler.start(async ({ partition }) => {
    looks += 1;
    inbox.clock.ms = now();
    const { rows, nextDueMs } = await inbox.ours.claim(partition, 10, tenure);
    claimed.push(...rows.map(({ revision }) => `revision ${revision}`));
    if (rows.length === 0)
      return nextDueMs === undefined ? undefined : { atMs: nextDueMs, isStored };
    const atMs = now() + RETRY_MS;
    await inbox.ours.release(rows, { tried: isStored ? rows.length : 0, dueMs: atMs });
    return { atMs, isStored };
  });
  const work = createInboxWork({
    slots: slots as SlotOwner,
    inbox: inbox.ours,
    scheduler,
    readyPlatforms: () => ['test'],
    log: silentLog,
    now,
    clock,
  });
  onTestFinished(async () => {
    work[Symbol.dispose]();
    await scheduler[Symbol.asyncDispose]();
  });
  return {
    claimed,
    looks: () => looks,
    /** Sets the wall clock. */
    setClock: (byMs: number): void => void (aheadMs += byMs),
    /** Lets time pass; resolves when all that is due is done. */
    pass: async (ms: number): Promise<void> => {
      await clock.advance(ms);
      await work.looked();
      await scheduler.idle();
    },
  };
};

describe('a message that waits for a retry', () => {
  it.each([-3_600_000, -60_000, -1_000, 1_000, 60_000, 3_600_000, 400 * 86_400_000])(
    'is tried at once where the wall clock is set by %i ms',
    async (byMs) => {
      const process = openProcess();
      await inbox.accept(messageOf(1));
      await process.pass(LOOK_MS);
      process.setClock(byMs);
      await process.pass(1_000);
      expect(process.claimed).toEqual(['revision 1', 'revision 1']);
    },
  );

  it('is taken up within seconds where it has changed and nobody told of it', async () => {
    const process = openProcess();
    await inbox.accept(messageOf(1));
    await process.pass(LOOK_MS);
    expect(process.claimed).toEqual(['revision 1']);
    await inbox.accept(messageOf(1, 'something else'));
    await process.pass(LOOK_MS);
    expect(process.claimed).toEqual(['revision 1', 'revision 2']);
  });

  it.each([
    ['that is stored', true],
    ['of this process alone, as in an outage', false],
  ])('%s is left alone until then where it has not changed', async (_, isStored) => {
    const process = openProcess({ isStored });
    await inbox.accept(messageOf(1));
    await process.pass(LOOK_MS);
    for (let passedMs = 0; passedMs < RETRY_MS - LOOK_MS; passedMs += LOOK_MS)
      await process.pass(LOOK_MS);
    expect(process.looks()).toBe(1);
    await process.pass(LOOK_MS);
    expect(process.claimed).toEqual(['revision 1', 'revision 1']);
  });
});
