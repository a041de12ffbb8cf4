import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { sleep, type Clock } from '../../async/clock.ts';
import { AppError } from '../../errors.ts';
import type { Schema } from '../schema.ts';
import { connectionLost } from './faults.ts';
import type { ListenSession } from './session.ts';

const PROBE = 'dragoman_probe';
const PROBE_MS = 5_000;

/**
 * Throws `config` where notifications do not arrive: a connection pooler that gives each transaction another
 * connection loses them. Throws `unavailable` where the connection broke meanwhile, which tells nothing.
 */
export const demandListening = async (
  db: Kysely<Schema>,
  session: ListenSession,
  clock: Clock,
): Promise<void> => {
  const own = randomUUID();
  const heard = new AbortController();
  let isBroken = false;
  session.onReconnect(() => {
    isBroken = true;
  });
  await session.listen(PROBE, (payload) => {
    if (payload === own) heard.abort();
  });
  await sql`SELECT pg_notify(${PROBE}, ${own})`.execute(db);
  await sleep(clock, PROBE_MS, heard.signal).catch(() => undefined);
  isBroken ||= !session.isConnected();
  await session.unlisten(PROBE);
  if (heard.signal.aborted) return;
  if (isBroken) throw connectionLost();
  throw new AppError(
    'config',
    'the database at DATABASE_URL sends no notifications: a connection pooler in transaction mode ' +
      'stands before it, most likely. Name PostgreSQL itself, or a pooler in session mode',
  );
};
