import { describe, expect, it } from 'vitest';
import { backlogOf, retryAll, waitingWork } from '../../../../src/store/inbox/backlog.ts';
import { forgetAuthor } from '../../../../src/store/inbox/index.ts';
import { latePartition, pausePartition, WATCH, type Row } from '../../../../src/store/inbox/row.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';
import { EARLIER, HERE, messageOf, refOf, SPACE, withInbox } from './support.ts';

const PAUSED = pausePartition('g', 'test here', 'test far');

describe.each([
  ['SQLite', async () => 'sqlite::memory:'],
  ['PostgreSQL', makeDatabase],
])('an edit that waits for the end of a pause, in %s', (_, urlOf) => {
  const inbox = withInbox(urlOf);
  const claimIn = async (partition: string) =>
    (await inbox.ours.claim(partition, 10, EARLIER)).rows;
  const pass = (row: Row | undefined, partition = PAUSED) =>
    inbox.store.write((db) =>
      inbox.ours.passOn(db, row!, {
        partition,
        to: 'test far',
        mayExist: false,
        attempts: 0,
        dueMs: 0,
      }),
    );
  const change = (id: number): string => `test:change:here:${id}`;
  /** Has an edit of a message that was posted wait. */
  const edit = async (id: number, text: string): Promise<void> => {
    await inbox.accept(messageOf(id, text));
    const [row] = await claimIn(change(id));
    await pass(row);
    expect(await inbox.settle(row!)).toBe(true);
  };
  const post = async (id: number): Promise<void> => {
    await inbox.accept(messageOf(id, 'before'), { writtenMs: id });
    const [row] = await inbox.claim();
    expect(await inbox.settle(row!)).toBe(true);
  };

  it('is one row of the newest, without its text', async () => {
    await post(1);
    await edit(1, 'first secret');
    await edit(1, 'second secret');
    const stored = await inbox.store.selectFrom('inbox').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain('secret');
    const [row, ...others] = await claimIn(PAUSED);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      to: 'test far',
      purpose: WATCH,
      message: 'unread',
      skip: undefined,
    });
    expect(await inbox.ours.lateIn('g')).toEqual([]);
  });

  it('waits again where another pause begins while it is worked on', async () => {
    await post(1);
    await edit(1, 'after');
    const [row] = await claimIn(PAUSED);
    await pass(row);
    expect(await inbox.settle(row!)).toBe(false);
    const [again] = await claimIn(PAUSED);
    expect(await inbox.settle(again!)).toBe(true);
    expect(await claimIn(PAUSED)).toEqual([]);
  });

  it('is the outcome of its message once it is settled, unless that changed again', async () => {
    const outcome = async (): Promise<string> => {
      const rows = await inbox.store.selectFrom('inbox').selectAll().execute();
      const row = rows.find(({ purpose }) => purpose === WATCH);
      return `${row?.state} ${row?.reason}`;
    };
    const skip = async (id: number, text: string, isPassed: boolean): Promise<void> => {
      await inbox.accept(messageOf(id, text));
      const [row] = await claimIn(change(id));
      if (isPassed) await pass(row);
      const skipped = { state: 'skipped', reason: 'muted' } as const;
      await inbox.store.write((db) => inbox.ours.settle(db, row!, skipped));
    };
    await post(1);
    await skip(1, 'after', true);
    expect(await outcome()).toBe('skipped muted');
    await inbox.settle((await claimIn(PAUSED))[0]!);
    expect(await outcome()).toBe('posted null');
    await skip(1, 'again', true);
    await skip(1, 'later', false);
    await inbox.settle((await claimIn(PAUSED))[0]!);
    expect(await outcome()).toBe('skipped muted');
  });

  it('is no work of another partition, and has no text, where a later edit waits behind others', async () => {
    await post(1);
    await edit(1, 'after');
    await inbox.accept(messageOf(1, 'a secret'));
    const [row] = await claimIn(change(1));
    await pass(row, latePartition('g', 'test far'));
    expect(await claimIn(latePartition('g', 'test far'))).toEqual([]);
    expect(await claimIn(PAUSED)).toMatchObject([
      { contentHash: row!.contentHash, message: 'unread' },
    ]);
  });

  it('comes in the order in which the messages were written', async () => {
    for (const id of [1, 2, 3]) await post(id);
    for (const id of [3, 1, 2]) await edit(id, 'after');
    expect((await claimIn(PAUSED)).map(({ ref }) => ref.id)).toEqual(['1', '2', '3']);
  });

  it('is no waiting work, and nothing that is tried again', async () => {
    await post(1);
    await edit(1, 'after');
    expect(await waitingWork(inbox.store)).toEqual({ count: 0, oldestMs: undefined });
    const backlog = await backlogOf(inbox.store, SPACE, Number, inbox.clock.ms);
    expect(backlog).toMatchObject({ waiting: 0, oldestMs: undefined });
    expect(await retryAll(inbox.store, SPACE)).toEqual([]);
  });

  it('waits no longer where its message is deleted', async () => {
    await post(1);
    await edit(1, 'after');
    expect(await inbox.ours.markDeleted([refOf(1)])).toEqual([change(1), change(1)]);
    expect(await claimIn(change(1))).toMatchObject([
      { message: 'deleted', to: undefined },
      { message: 'deleted', to: 'test far' },
    ]);
    expect(await claimIn(PAUSED)).toEqual([]);
  });

  it('is stored no longer than the place of its copy', async () => {
    await post(1);
    await edit(1, 'after');
    const target = { channel: { ...HERE, id: 'far' } };
    const posted = { ...target, ids: ['9'] } as const;
    await inbox.store.write((db) =>
      inbox.mirrors.put(
        db,
        { ref: refOf(1), purpose: WATCH },
        { target, posted, contentHash: 'shown' },
        true,
      ),
    );
    await clearOld(inbox.store, { ...NO_HORIZONS, rowsMs: inbox.clock.ms + 1 });
    expect(await claimIn(PAUSED)).toHaveLength(1);
    await clearOld(inbox.store, { ...NO_HORIZONS, mirrorsMs: inbox.clock.ms + 1 });
    expect(await inbox.store.selectFrom('inbox').selectAll().execute()).toEqual([]);
  });

  it('is gone with the data of its author', async () => {
    await post(1);
    await edit(1, 'after');
    await inbox.store.write((db) => forgetAuthor(db, { platform: 'test', id: 'ada' }, 0));
    expect(await inbox.store.selectFrom('inbox').selectAll().execute()).toEqual([]);
  });
});
