import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { waitingWork } from '../../../../src/store/inbox/backlog.ts';
import { messageOf, withInbox } from './support.ts';

const inbox = withInbox();

it('the work that waits is counted over all open rows, with the age of the oldest', async () => {
  expect(await waitingWork(inbox.store)).toEqual({ count: 0, oldestMs: undefined });
  await inbox.accept(messageOf(1));
  const firstMs = inbox.clock.ms;
  inbox.clock.ms += 5_000;
  await inbox.accept(messageOf(2), { partition: 'another' });
  expect(await waitingWork(inbox.store)).toEqual({ count: 2, oldestMs: firstMs });
  for (const row of await inbox.claim()) await inbox.settle(row);
  expect(await waitingWork(inbox.store)).toEqual({ count: 1, oldestMs: firstMs + 5_000 });
});

it('the look at the work that waits reads no settled row', async () => {
  const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN
    SELECT changed_ms FROM inbox WHERE state = 'waiting'
    ORDER BY slot, partition_key LIMIT 5000`.execute(inbox.store);
  expect(rows.map(({ detail }) => detail)).toEqual(['SCAN inbox USING INDEX inbox_open']);
});
