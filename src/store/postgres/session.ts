import pg from 'pg';
import { backoffMs, type Backoff, sleep, type Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { bound, connectionOf } from './connect.ts';
import { connectionLost, fromPostgres } from './faults.ts';
import { LEASE_MS } from './lease-rows.ts';
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../errors.ts';
import type { Schema } from '../schema.ts';

/** Waits between tries to connect; jitter, because a server that restarts is missed by all processes. */
const BACKOFF: Omit<Backoff, 'random'> = { firstMs: 100, longestMs: 5_000 };
/**
 * Longest wait for an answer. A connection whose other end is gone without a word is made anew after it, as leases are
 * lost by then anyway.
 */
const ANSWER_MS = 2 * LEASE_MS;

/**
 * A connection of its own, made anew when it breaks. One of them hears notifications (LISTEN). Leases are renewed on it, so
 * that a process that hears nothing keeps no lease either, and nothing else, so that nothing delays a renewal.
 */
export type ListenSession = Awaited<ReturnType<typeof openSession>>;

export interface SessionDeps {
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Opens the session of a database. Rejects as `fromPostgres` says when it cannot be reached. */
export const openSession = async (deps: SessionDeps) => {
  const { url, log, clock, random } = deps;
  const closing = new AbortController();
  const hearers = new Map<string, (payload: string) => void>();
  const reconnected: (() => void)[] = [];
  let client: pg.Client | undefined;

  /** Ends a connection that does not answer in time, which fails what was asked. */
  const answerOf = async <Answer>(asked: pg.Client, answer: Promise<Answer>): Promise<Answer> => {
    const cancel = clock.after(ANSWER_MS, () => void asked.end().catch(() => undefined));
    return answer.finally(cancel);
  };

  /** @param broke called with a connection that breaks */
  const connect = async (broke: (made: pg.Client) => unknown): Promise<pg.Client> => {
    const made = new pg.Client({ ...connectionOf(url), application_name: 'dragoman session' });
    made.on('notification', ({ channel, payload = '' }) => hearers.get(channel)?.(payload));
    // A failed connection emits `end` as a broken one does: only the current one is replaced.
    made.on('error', () => broke(made));
    made.on('end', () => broke(made));
    try {
      await made.connect();
      await answerOf(made, bound(made));
      for (const channel of hearers.keys()) await answerOf(made, made.query(`LISTEN ${channel}`));
      return made;
    } catch (thrown) {
      made.end().catch(() => undefined);
      throw fromPostgres(thrown);
    }
  };

  /** Makes the connection anew that broke, unless that was done already. */
  const replace = async (broken: pg.Client): Promise<void> => {
    if (broken !== client) return;
    client = undefined;
    broken.end().catch(() => undefined);
    for (let attempt = 0; !closing.signal.aborted; attempt += 1)
      try {
        await sleep(clock, backoffMs({ ...BACKOFF, random }, attempt), closing.signal);
        const made = await connect(replace);
        if (closing.signal.aborted) return await made.end();
        client = made;
        for (const run of reconnected) run();
        log.info('connected to the database again');
        return;
      } catch (err) {
        if (attempt === 0 && !closing.signal.aborted)
          log.warn({ err }, 'the connection to the database is lost');
      }
  };

  const queryNow = async <Row extends object>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> => {
    const used = client;
    if (!used) throw connectionLost();
    try {
      return (await answerOf(used, used.query<Row>(text, [...values]))).rows;
    } catch (thrown) {
      const error = fromPostgres(thrown);
      if (error !== thrown) void replace(used);
      throw error;
    }
  };

  /** The end of the last statement; the connection runs one at a time. */
  let tail: Promise<unknown> = Promise.resolve();
  /** Runs a statement. Rejects with `unavailable` while there is no connection. */
  const query = async <Row extends object>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> => {
    const turn = tail.then(() => queryNow<Row>(text, values));
    tail = turn.catch(() => undefined);
    return turn;
  };

  client = await connect(replace);
  return {
    query,
    /** Calls `hear` with each payload on a channel, whose name is letters, digits and underscores. */
    listen: async (channel: string, hear: (payload: string) => void): Promise<void> => {
      hearers.set(channel, hear);
      if (client) await query(`LISTEN ${channel}`, []);
    },
    unlisten: async (channel: string): Promise<void> => {
      hearers.delete(channel);
      if (client) await query(`UNLISTEN ${channel}`, []);
    },
    /** Calls `run` each time the connection has been made anew: notifications were missed. */
    onReconnect: (run: () => void): void => void reconnected.push(run),
    isConnected: (): boolean => client !== undefined,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      closing.abort();
      const last = client;
      client = undefined;
      await last?.end().catch(() => undefined);
    },
  };
};

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
