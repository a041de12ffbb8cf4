import { expect, it } from 'vitest';
import { requoteDeleted } from '../../../../src/store/inbox/quotes.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { refOf, THERE, withInbox } from './support.ts';

const inbox = withInbox();

it('a deleted message goes from the copies of its newest 50 answers with it, and its row waits for the others', async () => {
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
  const changedOnes = async () => {
    const rows = await inbox.store
      .selectFrom('inbox')
      .select(['message_id', 'state'])
      .where('state', '=', 'waiting')
      .execute();
    const changed = new Set(rows.map(({ message_id: id }) => id));
    return [quoted, ...answers].map(({ id }) => changed.has(id));
  };
  expect(await inbox.ours.markDeleted([quoted])).toHaveLength(51);
  expect(await changedOnes()).toEqual([true, ...answers.map((_, at) => at >= 10)]);
  const more = inbox.store.write((db) => requoteDeleted(db, quoted, inbox.clock.ms));
  expect(await more).toMatchObject({ isMore: false });
  expect(await changedOnes()).not.toContain(false);
});
