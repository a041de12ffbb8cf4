import { expect, it } from 'vitest';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { refOf, THERE, withInbox } from './support.ts';

const inbox = withInbox();

it('the row of a deleted message waits for the mirrors that quote it, without a change of what answers it', async () => {
  const quoted = refOf(1);
  const answers = Array.from({ length: 60 }, (_, at) => refOf(at + 2));
  await inbox.store.write(async (db) => {
    for (const [at, ref] of answers.entries()) {
      inbox.clock.ms += 1;
      const posted = { channel: THERE, ids: [String(at)] } as const;
      const mirror = { target: { channel: THERE }, posted, contentHash: 'shown' };
      const quote = { ref: quoted, readMs: inbox.clock.ms };
      await inbox.mirrors.put(db, { ref, purpose: WATCH }, { ...mirror, quoted: quote }, true);
    }
  });
  expect(await inbox.ours.markDeleted([quoted])).toHaveLength(1);
  const rows = await inbox.store
    .selectFrom('inbox')
    .select(['message_id', 'state'])
    .where('state', '=', 'waiting')
    .execute();
  expect(rows).toEqual([{ message_id: quoted.id, state: 'waiting' }]);
  const some = await inbox.mirrors.quoting({ ref: quoted, to: undefined }, 50);
  expect(some.map(({ key }) => key.ref.id)).toEqual(
    answers
      .map(({ id }) => id)
      .toReversed()
      .slice(0, 50),
  );
  await inbox.store.write(async (db) => {
    for (const { key, target } of some) await inbox.mirrors.setUnquoted(db, key, target);
  });
  expect(await inbox.mirrors.quoting({ ref: quoted, to: undefined }, 50)).toHaveLength(10);
  expect(await inbox.mirrors.quoting({ ref: quoted, to: 'other there' }, 50)).toEqual([]);
});
