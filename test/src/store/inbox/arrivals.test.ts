import { describe, expect, it } from 'vitest';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { flagPurpose, WATCH } from '../../../../src/store/inbox/row.ts';
import {
  arrivalOf,
  EARLIER,
  HERE,
  messageOf,
  PARTITION,
  refOf,
  SPACE,
  THERE,
  withInbox,
} from './support.ts';

const FLAG = flagPurpose('ja');

describe('a message that comes', () => {
  const inbox = withInbox();

  it('is new once, and the same until it says something else', async () => {
    expect(await inbox.accept(messageOf(1))).toBe('new');
    expect(await inbox.accept(messageOf(1))).toBe('same');
    expect(await inbox.accept(messageOf(1, 'hello!'))).toBe('changed');
  });

  it('is not told apart from one of another channel by its id alone', async () => {
    await inbox.accept(messageOf(1));
    expect(await inbox.accept(messageOf(1, 'hello', THERE))).toBe('new');
  });

  it('that changed is tried anew at once, however long its former state had to wait', async () => {
    await inbox.accept(messageOf(1));
    const rows = await inbox.claim();
    await inbox.ours.release(rows, { tried: 1, dueMs: inbox.clock.ms + 60_000 });
    await inbox.accept(messageOf(1, 'hello!'));
    expect(await inbox.claim()).toMatchObject([
      { attempts: 1, message: { text: plainWords('hello!') } },
    ]);
  });

  it('that changes keeps its place while it waits, and holds up nothing once it was dealt with', async () => {
    const change = (text: string) => inbox.ours.accept(arrivalOf(messageOf(1, text)));
    await change('one');
    expect(await change('two')).toEqual({ was: 'changed', partition: PARTITION });
    const [row] = await inbox.claim();
    expect(await inbox.settle(row!)).toBe(true);
    const { partition } = await change('three');
    expect(partition).not.toBe(PARTITION);
    expect(await inbox.claim()).toEqual([]);
    expect((await inbox.ours.claim(partition, 10, EARLIER)).rows).toHaveLength(1);
  });

  it('does not come back once it was deleted', async () => {
    await inbox.accept(messageOf(1));
    await inbox.ours.markDeleted([refOf(1)]);
    expect(await inbox.accept(messageOf(1, 'late'))).toBe('same');
    expect(await inbox.claim()).toMatchObject([{ message: 'deleted' }]);
  });

  it('does not come where its deletion was reported before it', async () => {
    await inbox.ours.markDeleted([refOf(1)], { isWatched: true });
    expect(await inbox.accept(messageOf(1, 'late'))).toBe('same');
    expect(await inbox.claim()).toEqual([]);
  });

  it('does not go back to a state of a lower version, whenever that is reported', async () => {
    const state = (words: string, version: string) => ({ ...messageOf(1, words), version });
    await inbox.accept(state('two', '2'));
    expect(await inbox.accept(state('one', '1'))).toBe('same');
    // The same words as those stored, of a later state.
    expect(await inbox.accept(state('two', '4'))).toBe('same');
    expect(await inbox.accept(state('three', '3'))).toBe('same');
    expect(await inbox.claim()).toMatchObject([{ message: { text: plainWords('two') } }]);
    expect(await inbox.accept(state('five', '5'))).toBe('changed');
  });

  it('that is not to be translated leaves none of its words', async () => {
    await inbox.accept(messageOf(1, 'secret'), { skip: 'bot' });
    expect(await inbox.claim()).toEqual([]);
    const rows = await inbox.store.selectFrom('inbox').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('secret');
  });
});

describe('what is taken back', () => {
  const inbox = withInbox();

  it('is one purpose of a message where one is named, and all of them otherwise', async () => {
    await inbox.accept(messageOf(1));
    await inbox.accept(messageOf(1), { purpose: FLAG, partition: 'flag' });
    expect(await inbox.ours.markDeleted([refOf(1)], { purpose: FLAG })).toEqual(['flag']);
    expect(await inbox.claim()).toMatchObject([{ message: { text: plainWords('hello') } }]);
    expect(await inbox.ours.markDeleted([refOf(1)])).toEqual([PARTITION]);
  });

  it('comes again with the same words when a flag is pressed again', async () => {
    await inbox.accept(messageOf(1), { purpose: FLAG });
    await inbox.ours.markDeleted([refOf(1)], { purpose: FLAG });
    expect(await inbox.accept(messageOf(1), { purpose: FLAG })).toBe('changed');
    expect(await inbox.claim()).toMatchObject([{ message: { text: plainWords('hello') } }]);
  });

  it('is found by its copies when its row was cleared', async () => {
    const key = { ref: refOf(1), purpose: WATCH };
    const posted = { channel: THERE, ids: ['7'] as const };
    await inbox.store.write((db) =>
      inbox.mirrors.put(db, key, { target: { channel: THERE }, posted, contentHash: 'x' }, true),
    );
    expect(await inbox.ours.purposes(refOf(1))).toEqual([WATCH]);
    const [partition] = await inbox.ours.markDeleted([refOf(1)]);
    expect((await inbox.ours.claim(partition!, 10, EARLIER)).rows).toMatchObject([
      { message: 'deleted', mayExist: true },
    ]);
  });

  it('is nothing of what nobody knows', async () => {
    expect(await inbox.ours.markDeleted([refOf(1)])).toEqual([]);
    expect(await inbox.ours.purposes(refOf(1))).toEqual([]);
  });
});

describe('what somebody wrote', () => {
  const inbox = withInbox();

  it('is told of one space, the newest first, without what was left alone', async () => {
    const elsewhere = { space: { ...SPACE, id: 'other' }, id: 'far' };
    for (const id of [1, 2, 3]) await inbox.accept(messageOf(id));
    await inbox.accept(messageOf(4, 'hello', elsewhere));
    await inbox.accept(messageOf(5, 'hello', HERE, 'bob'));
    await inbox.accept(messageOf(6), { skip: 'command' });
    const written = await inbox.ours.writtenBy(SPACE, 'ada', 2);
    expect(written.map(({ id }) => id)).toEqual(['3', '2']);
  });
});

describe('what is abandoned', () => {
  const inbox = withInbox();

  it('is what waits in one channel, and not what is to be taken away', async () => {
    await inbox.accept(messageOf(1));
    await inbox.accept(messageOf(2));
    await inbox.accept(messageOf(3, 'hello', THERE));
    await inbox.ours.markDeleted([refOf(2)]);
    expect(await inbox.ours.abandon(HERE, 'not-watched')).toEqual([PARTITION]);
    expect(await inbox.claim()).toMatchObject([
      { message: 'skipped', skip: 'not-watched' },
      { message: 'deleted' },
      { message: { text: plainWords('hello') } },
    ]);
  });

  it('is no longer theirs who work on it, and what was dealt with stays as it is', async () => {
    await inbox.accept(messageOf(1));
    await inbox.accept(messageOf(2));
    const [first, second] = await inbox.claim();
    await inbox.settle(first!);
    expect(await inbox.ours.abandon(HERE, 'not-watched')).toEqual([PARTITION]);
    expect(await inbox.holds(second!)).toBe(false);
    expect(await inbox.settle(second!)).toBe(false);
  });
});
