import { expect, it } from 'vitest';
import { startRetention } from '../../../src/autotranslate/retention.ts';
import { DAY_MS } from '../../../src/async/clock.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { createInboxStore } from '../../../src/store/inbox/index.ts';
import { channelPartition, WATCH } from '../../../src/store/inbox/row.ts';
import { messageOf } from '../../fakes/command-harness.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { createLoneProcess } from '../../fakes/processes.ts';

const INBOX_DAYS = 7;

it('clears only settled messages that are old by the database’s clock where the process’s has jumped ahead', async () => {
  const store = await openTestStore(await makeDatabase());
  const message = messageOf('hello');
  const partition = channelPartition(message.ref.channel);
  const nowMs = Date.now();
  await createInboxStore({ store, now: () => nowMs }).accept({
    message,
    purpose: WATCH,
    partition,
    writtenMs: nowMs,
  });
  /** Clears once; resolves with the number of messages that are left. */
  const clear = async (changedMs: number, now: () => number): Promise<number> => {
    await store.write((db) =>
      db.updateTable('inbox').set({ state: 'posted', changed_ms: changedMs }).execute(),
    );
    const retention = startRetention({
      store,
      leases: createLoneProcess().leases,
      cursors: { clear: async () => undefined },
      invites: { clear: async () => undefined },
      requests: { clear: async () => undefined },
      platforms: { all: () => [] },
      log: createLog('silent'),
      now,
      days: { inbox: INBOX_DAYS, mirrors: 365 },
    });
    await retention[Symbol.asyncDispose]();
    return (await store.selectFrom('inbox').select('message_id').execute()).length;
  };
  const oldMs = nowMs - (INBOX_DAYS + 1) * DAY_MS;
  const ahead = (): number => nowMs + 365 * DAY_MS;
  expect(await clear(nowMs, ahead)).toBe(1);
  expect(await clear(oldMs, () => oldMs)).toBe(1);
  expect(await clear(oldMs, ahead)).toBe(0);
});
