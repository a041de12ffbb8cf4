import { slotOf } from '../../../../src/store/rows.ts';
import { describe, expect, it } from 'vitest';
import { flagPurpose, WATCH, type Row } from '../../../../src/store/inbox/row.ts';
import { arrivalOf, EARLIER, LATER, messageOf, PARTITION, refOf, withInbox } from './support.ts';

const ids = (rows: readonly Row[]): string[] => rows.map(({ ref }) => ref.id);

describe('rows that are claimed', () => {
  const inbox = withInbox();
  const accept = async (...numbers: number[]): Promise<void> => {
    for (const id of numbers) await inbox.accept(messageOf(id));
  };

  it('are the first of their partition, in its order, whatever order they came in', async () => {
    await accept(3, 1, 2);
    await inbox.accept(messageOf(1), { purpose: flagPurpose('ja') });
    const { rows } = await inbox.ours.claim(PARTITION, 3, EARLIER);
    expect(rows.map(({ ref, purpose }) => [ref.id, purpose])).toEqual([
      ['1', flagPurpose('ja')],
      ['1', WATCH],
      ['2', WATCH],
    ]);
  });

  it('are in the order in which they were written, whatever their platforms’ positions are', async () => {
    for (const [id, writtenMs] of [
      [1, 30],
      [2, 10],
      [3, 20],
    ] as const)
      await inbox.accept(messageOf(id), { writtenMs });
    expect(ids(await inbox.claim())).toEqual(['2', '3', '1']);
  });

  it('are no earlier tenure’s any more once a later one has claimed them', async () => {
    await accept(1);
    await inbox.claim(LATER);
    expect(await inbox.claim(EARLIER)).toEqual([]);
    expect(await inbox.claim(LATER)).toMatchObject([{ attempts: 2, mayExist: true }]);
  });

  it('tell since when they have no outcome, however often they changed since', async () => {
    const startMs = inbox.clock.ms;
    const claimed = async () => (await inbox.claim())[0]!;
    await inbox.accept(messageOf(1));
    expect(await claimed()).toMatchObject({ sinceMs: startMs });
    inbox.clock.ms += 1_000;
    await inbox.accept(messageOf(1, 'changed'));
    const row = await claimed();
    expect(row).toMatchObject({ sinceMs: startMs });
    await inbox.settle(row);
    inbox.clock.ms += 1_000;
    const again = await inbox.ours.accept(arrivalOf(messageOf(1, 'changed again')));
    const { rows } = await inbox.ours.claim(again.partition, 1, LATER);
    expect(rows).toMatchObject([{ sinceMs: startMs + 2_000 }]);
  });

  it('tell whether they came long after they were written, as what was missed does', async () => {
    const nowMs = inbox.clock.ms;
    await inbox.accept(messageOf(1), { writtenMs: nowMs - 3_600_000 });
    await inbox.accept(messageOf(2), { writtenMs: nowMs - 1_000 });
    expect((await inbox.claim()).map(({ isMissed }) => isMissed)).toEqual([true, false]);
    // An edit of an old message is news.
    await inbox.accept(messageOf(1, 'changed'), { writtenMs: nowMs - 3_600_000 });
    expect((await inbox.claim()).map(({ isMissed }) => isMissed)).toEqual([false, false]);
  });

  it('are taken up again by their tenure, though they could not be given back', async () => {
    await inbox.accept(messageOf(1));
    await inbox.claim();
    expect(await inbox.claim()).toMatchObject([{ attempts: 2, mayExist: true }]);
  });

  it('are claimed once by tenures that ask at the same moment', async () => {
    await accept(1, 2, 3);
    const [some, others] = await Promise.all([inbox.claim(LATER), inbox.claim(EARLIER)]);
    expect([ids(some), ids(others)]).toEqual([['1', '2', '3'], []]);
  });

  it('are not settled by the tenure that they were taken from', async () => {
    await accept(1);
    const [earlier] = await inbox.claim();
    expect(await inbox.holds(earlier!)).toBe(true);
    const [later] = await inbox.claim(LATER);
    expect(await inbox.holds(earlier!)).toBe(false);
    expect(await inbox.settle(earlier!)).toBe(false);
    await inbox.ours.release([earlier!], { tried: 1, dueMs: 0 });
    expect(await inbox.settle(later!)).toBe(true);
  });

  it('are not settled, nor given back, as the message was before it changed', async () => {
    await accept(1);
    const [before] = await inbox.claim();
    await inbox.accept(messageOf(1, 'changed'));
    expect(await inbox.holds(before!)).toBe(false);
    const [after] = await inbox.claim();
    expect(await inbox.settle(before!)).toBe(false);
    await inbox.ours.release([before!], { tried: 1, dueMs: 0 });
    expect(await inbox.holds(after!)).toBe(true);
    expect(await inbox.settle(after!)).toBe(true);
  });

  it('are not settled by who gave them back', async () => {
    await accept(1);
    const [row] = await inbox.claim();
    await inbox.ours.release([row!], { tried: 0, dueMs: 0 });
    expect(await inbox.settle(row!)).toBe(false);
    expect(await inbox.claim()).toHaveLength(1);
  });
});

describe('rows that are given back', () => {
  const inbox = withInbox();

  it('wait together for the first of them', async () => {
    for (const id of [1, 2]) await inbox.accept(messageOf(id));
    const dueMs = inbox.clock.ms + 5_000;
    await inbox.ours.release(await inbox.claim(), { tried: 1, dueMs });
    expect(await inbox.ours.claim(PARTITION, 10, EARLIER)).toMatchObject({
      rows: [],
      nextDueMs: dueMs,
    });
    inbox.clock.ms = dueMs - 1;
    expect(await inbox.claim()).toEqual([]);
    inbox.clock.ms = dueMs;
    expect(ids(await inbox.claim())).toEqual(['1', '2']);
  });

  it('do not wait when the first of them is gone, for they failed at nothing', async () => {
    for (const id of [1, 2]) await inbox.accept(messageOf(id));
    await inbox.ours.release(await inbox.claim(), { tried: 1, dueMs: inbox.clock.ms + 5_000 });
    await inbox.ours.markDeleted([refOf(1)]);
    expect(await inbox.claim()).toMatchObject([
      { message: 'deleted', attempts: 1 },
      { ref: refOf(2), attempts: 1 },
    ]);
  });

  it('count the tries that they had', async () => {
    for (const id of [1, 2]) await inbox.accept(messageOf(id));
    await inbox.ours.release(await inbox.claim(), { tried: 1, dueMs: 0 });
    expect((await inbox.claim()).map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  it('are due at once when the clock was set back', async () => {
    await inbox.accept(messageOf(1));
    await inbox.ours.release(await inbox.claim(), { tried: 1, dueMs: inbox.clock.ms + 5_000 });
    inbox.clock.ms -= 86_400_000;
    expect(await inbox.claim()).toHaveLength(1);
  });

  it('may stand in part already, until an outcome is reached', async () => {
    await inbox.accept(messageOf(1));
    const [first] = await inbox.claim();
    await inbox.ours.release([first!], { tried: 0, dueMs: 0 });
    const [second] = await inbox.claim();
    await inbox.settle(second!);
    const { partition } = await inbox.ours.accept(arrivalOf(messageOf(1, 'changed')));
    const [third] = (await inbox.ours.claim(partition, 10, EARLIER)).rows;
    expect([first, second, third].map((row) => row?.mayExist)).toEqual([false, true, false]);
  });
});

describe('rows that are taken over', () => {
  const inbox = withInbox();

  it('are all that is open but our own, and may stand in part where they were begun', async () => {
    for (const id of [1, 2, 3]) await inbox.accept(messageOf(id));
    const { rows: theirs } = await inbox.ours.claim(PARTITION, 1, EARLIER);
    await inbox.ours.takeOver(slotOf(PARTITION), LATER);
    expect(await inbox.holds(theirs[0]!)).toBe(false);
    const { rows } = await inbox.ours.claim(PARTITION, 2, LATER);
    expect(rows.map(({ mayExist }) => mayExist)).toEqual([true, false]);
    await inbox.ours.takeOver(slotOf(PARTITION), LATER);
    expect(await inbox.holds(rows[0]!)).toBe(true);
  });

  it('are none of another slot, and none that a later tenure has', async () => {
    await inbox.accept(messageOf(1));
    const [row] = await inbox.claim(LATER);
    await inbox.ours.takeOver(slotOf(PARTITION) + 1, { epoch: 9 });
    await inbox.ours.takeOver(slotOf(PARTITION), EARLIER);
    expect(await inbox.holds(row!)).toBe(true);
  });
});
