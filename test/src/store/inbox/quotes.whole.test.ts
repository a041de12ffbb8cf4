import { describe, expect, it } from 'vitest';
import type { MessageRef } from '../../../../src/model/place.ts';
import { skippedAmong } from '../../../../src/store/inbox/outcomes.ts';
import { requoteEdited } from '../../../../src/store/inbox/quotes.ts';
import { flagPurpose, WATCH } from '../../../../src/store/inbox/row.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { HERE, messageOf, refOf, THERE, withInbox } from './support.ts';

describe.each([
  ['SQLite', async () => 'sqlite::memory:'],
  ['PostgreSQL', makeDatabase],
])('what quotes a message, in %s', (_, urlOf) => {
  const inbox = withInbox(urlOf);
  const quoted = refOf(1);
  const idsOf = (some: readonly { readonly key: { readonly ref: MessageRef } }[]): string[] =>
    some.map(({ key }) => key.ref.id);
  const quoting = (most: number, to?: string) => inbox.mirrors.quoting({ ref: quoted, to }, most);

  /** Has the copy of an answer stand that quotes the message. */
  const put = (ref: MessageRef, channel = THERE, readMs = (inbox.clock.ms += 1)): Promise<void> =>
    inbox.store.write(async (db) => {
      const posted = { channel, ids: [ref.id] } as const;
      const mirror = { target: { channel }, posted, contentHash: 'shown' };
      const quote = { ref: quoted, readMs };
      await inbox.mirrors.put(db, { ref, purpose: WATCH }, { ...mirror, quoted: quote }, true);
    });
  const waiting = async () =>
    inbox.store
      .selectFrom('inbox')
      .select(['message_id', 'due_ms'])
      .where('state', '=', 'waiting')
      .orderBy('message_id')
      .execute();

  it('waits with the row of the deleted message, without a change of what answers it', async () => {
    const answers = Array.from({ length: 60 }, (__, at) => refOf(at + 2));
    for (const ref of answers) await put(ref);
    expect(await inbox.ours.markDeleted([quoted])).toHaveLength(1);
    expect(await waiting()).toEqual([{ message_id: quoted.id, due_ms: 0 }]);
    const some = await quoting(50);
    expect(idsOf(some)).toEqual(
      idsOf(answers.map((ref) => ({ key: { ref } })))
        .toReversed()
        .slice(0, 50),
    );
    await inbox.store.write(async (db) => {
      for (const { key, target } of some) await inbox.mirrors.setUnquoted(db, key, target);
    });
    expect(await quoting(50)).toHaveLength(10);
    expect(await quoting(50, 'other there')).toEqual([]);
  });

  it('is listed with the newest of each channel first, or of a late channel and its threads alone', async () => {
    const thread = { ...HERE, id: 'thread', parentId: HERE.id };
    for (const id of [2, 3, 4]) await put(refOf(id));
    await put(refOf(5), HERE);
    await put(refOf(6), thread);
    for (const id of [7, 8]) await put(refOf(id));
    expect(idsOf(await quoting(10))).toEqual(['8', '6', '7', '5', '4', '3', '2']);
    expect(idsOf(await quoting(10, 'test here'))).toEqual(['6', '5']);
    expect(idsOf(await quoting(10, 'test thread'))).toEqual(['6']);
  });

  it('is made anew some time after an edit, the newest answers alone', async () => {
    for (let id = 2; id < 30; id += 1) await put(refOf(id));
    await inbox.accept(messageOf(29));
    const { partitions, dueMs } = await inbox.store.write((db) =>
      requoteEdited(db, quoted, inbox.clock.ms),
    );
    expect(partitions).toHaveLength(20);
    const rows = await waiting();
    expect(rows.map((row) => row.message_id)).toEqual(
      Array.from({ length: 20 }, (__, at) => String(at + 10)),
    );
    // What waits in another partition delays others.
    expect(rows.map((row) => row.due_ms)).toEqual([...Array<number>(19).fill(dueMs), 0]);
  });

  it('is made anew at once where the message was edited while it was posted', async () => {
    await inbox.accept(messageOf(1));
    const readMs = inbox.clock.ms;
    inbox.clock.ms += 10;
    await inbox.accept(messageOf(1, 'edited'));
    await put(refOf(2));
    await put(refOf(3), THERE, readMs);
    expect((await waiting()).map((row) => row.message_id)).toEqual(['1', '3']);
  });

  it('is deleted with what flags brought under its copies', async () => {
    await put(refOf(2));
    await inbox.accept(messageOf(2, 'hello', THERE), { purpose: flagPurpose('ja') });
    await inbox.ours.markDeleted([refOf(2)]);
    const rows = inbox.store.selectFrom('inbox').select('channel_id').orderBy('channel_id');
    const deleted = await rows.where('content_hash', '=', '').execute();
    expect(deleted.map((row) => row.channel_id)).toEqual(['here', 'there']);
  });

  it('is known to be left out', async () => {
    await inbox.accept(messageOf(1), { skip: 'paused' });
    await inbox.accept(messageOf(2), { skip: 'rule' });
    const refs = [1, 2, 3].map((id) => refOf(id));
    expect(await skippedAmong(inbox.store, refs, 'paused')).toEqual(new Set(['1']));
  });
});
