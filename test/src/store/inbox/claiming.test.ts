import { describe, expect, it } from 'vitest';
import { flagPurpose, WATCH } from '../../../../src/store/inbox/purpose.ts';
import type { Row } from '../../../../src/store/inbox/row.ts';
import { LANE, LEASE_MS, messageOf, refOf, withInbox } from './support.ts';

const ids = (rows: readonly Row[]): string[] => rows.map(({ ref }) => ref.id);

describe('rows that are claimed', () => {
  const inbox = withInbox();
  const accept = async (...numbers: number[]): Promise<void> => {
    for (const id of numbers) await inbox.accept(messageOf(id));
  };

  it('are the first of their lane, in its order, whatever order they came in', async () => {
    await accept(3, 1, 2);
    await inbox.accept(messageOf(1), { purpose: flagPurpose('ja') });
    const { rows } = await inbox.ours.claim(LANE, 3);
    expect(rows.map(({ ref, purpose }) => [ref.id, purpose])).toEqual([
      ['1', flagPurpose('ja')],
      ['1', WATCH],
      ['2', WATCH],
    ]);
  });

  it('are nobody else’s until their lease ends', async () => {
    await accept(1);
    await inbox.claim();
    const endMs = inbox.clock.ms + LEASE_MS;
    inbox.clock.ms = endMs - 1;
    expect(await inbox.theirs.claim(LANE, 10)).toEqual({ rows: [], nextDueMs: endMs });
    inbox.clock.ms = endMs;
    expect((await inbox.theirs.claim(LANE, 10)).rows).toMatchObject([{ attempts: 2, again: true }]);
  });

  it('are taken up again by whom they are, though they could not be given back', async () => {
    await inbox.accept(messageOf(1));
    await inbox.claim();
    await inbox.ours.renew();
    expect(await inbox.claim()).toMatchObject([{ attempts: 2, again: true }]);
  });

  it('are kept for as long as their lease is renewed', async () => {
    await accept(1);
    await inbox.claim();
    inbox.clock.ms += LEASE_MS - 1;
    await inbox.theirs.renew();
    await inbox.ours.renew();
    inbox.clock.ms += LEASE_MS - 1;
    expect((await inbox.theirs.claim(LANE, 10)).rows).toEqual([]);
    inbox.clock.ms += 1;
    expect((await inbox.theirs.claim(LANE, 10)).rows).toHaveLength(1);
  });

  it('are not settled by whom they were taken from', async () => {
    await accept(1);
    const [ours] = await inbox.claim();
    expect(await inbox.ours.holds(ours!)).toBe(true);
    inbox.clock.ms += LEASE_MS;
    const [theirs] = (await inbox.theirs.claim(LANE, 10)).rows;
    expect(await inbox.ours.holds(ours!)).toBe(false);
    expect(await inbox.settle(ours!)).toBe(false);
    await inbox.ours.release([ours!], { tried: 1, dueMs: 0 });
    expect(await inbox.settle(theirs!, inbox.theirs)).toBe(true);
  });

  it('are not settled, nor given back, as the message was before it changed', async () => {
    await accept(1);
    const [before] = await inbox.claim();
    await inbox.accept(messageOf(1, 'changed'));
    expect(await inbox.ours.holds(before!)).toBe(false);
    const [after] = await inbox.claim();
    expect(await inbox.settle(before!)).toBe(false);
    await inbox.ours.release([before!], { tried: 1, dueMs: 0 });
    expect(await inbox.ours.holds(after!)).toBe(true);
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
    expect(await inbox.ours.claim(LANE, 10)).toEqual({ rows: [], nextDueMs: dueMs });
    inbox.clock.ms = dueMs - 1;
    expect(await inbox.claim()).toEqual([]);
    inbox.clock.ms = dueMs;
    expect(ids(await inbox.claim())).toEqual(['1', '2']);
  });

  it('do not wait when the first of them is gone, for they failed at nothing', async () => {
    for (const id of [1, 2]) await inbox.accept(messageOf(id));
    await inbox.ours.release(await inbox.claim(), { tried: 1, dueMs: inbox.clock.ms + 5_000 });
    await inbox.ours.gone([refOf(1)]);
    expect(await inbox.claim()).toMatchObject([
      { message: 'gone', attempts: 1 },
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
    const change = { message: messageOf(1, 'changed'), purpose: WATCH, lane: LANE.lane };
    const { lane } = await inbox.ours.accept(change);
    const [third] = (await inbox.ours.claim({ ...LANE, lane }, 10)).rows;
    expect([first, second, third].map((row) => row?.again)).toEqual([false, true, false]);
  });
});

describe('rows that are taken over', () => {
  const inbox = withInbox();

  it('are all that is open but our own, and may stand in part already', async () => {
    for (const id of [1, 2, 3]) await inbox.accept(messageOf(id));
    const { rows: theirs } = await inbox.theirs.claim(LANE, 1);
    await inbox.ours.takeOver('test');
    expect(await inbox.theirs.holds(theirs[0]!)).toBe(false);
    const { rows } = await inbox.ours.claim(LANE, 2);
    expect(rows.map(({ again }) => again)).toEqual([true, true]);
    await inbox.ours.takeOver('test');
    expect(await inbox.ours.holds(rows[0]!)).toBe(true);
  });

  it('are none of another platform', async () => {
    await inbox.accept(messageOf(1));
    await inbox.theirs.claim(LANE, 1);
    await inbox.ours.takeOver('other');
    expect(await inbox.claim()).toEqual([]);
  });
});
