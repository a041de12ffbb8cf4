import { expect, it } from 'vitest';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { refOf, THERE, withInbox } from './support.ts';

const inbox = withInbox();

it('a deleted message goes from the copies of the newest 500 of its answers', async () => {
  const quoted = refOf(1);
  const answers = Array.from({ length: 510 }, (_, at) => refOf(at + 2));
  await inbox.store.write(async (db) => {
    for (const [at, ref] of answers.entries()) {
      inbox.clock.ms += 1;
      const posted = { channel: THERE, ids: [String(at)] } as const;
      const mirror = { target: { channel: THERE }, posted, contentHash: 'shown' };
      const quote = { ref: quoted, readMs: inbox.clock.ms };
      await inbox.mirrors.put(db, { ref, purpose: WATCH }, { ...mirror, quoted: quote }, true);
    }
  });
  expect(await inbox.ours.markDeleted([quoted])).toHaveLength(500);
  const rows = await inbox.store.selectFrom('inbox').select('message_id').execute();
  const changed = new Set(rows.map(({ message_id: id }) => id));
  expect(answers.map(({ id }) => changed.has(id))).toEqual(answers.map((_, at) => at >= 10));
});
