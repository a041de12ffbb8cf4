import { type Kysely, sql, type Transaction } from 'kysely';
import { sleep, type Clock } from '../../async/clock.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { SignalTopic } from '../../ports/store.ts';
import { createLocalSignals, type LocalSignals } from '../writer.ts';
import type { Schema } from '../schema.ts';
import {
  createConfirmations,
  createOwnRevisions,
  type Applied,
  type ChangeNotice,
  type Revision,
} from './revisions.ts';
import type { PostgresLeases } from './leases.ts';
import type { ListenSession } from './session.ts';

/** Channel of what was published, which every process hears. */
const PUBLISHED = 'dragoman_signal';
/** Channel of what has been applied, which every process hears: after a connection was lost. */
const APPLIED = 'dragoman_applied';
/** Channel of what has been applied, for the process that published it. */
const appliedFor = (owner: string): string => `${APPLIED}_${owner}`;

/** Set of the leases by which processes are known to be alive. */
const PROCESS = 'process:';

/** Time between two looks for changes of which no notification came. */
const LOOK_MS = 30_000;
/** Time before a look is tried again. */
const AGAIN_MS = 500;

export interface SignalsDeps {
  readonly db: Kysely<Schema>;
  readonly session: ListenSession;
  readonly leases: PostgresLeases;
  readonly log: Log;
  readonly clock: Clock;
}

export type PostgresSignals = LocalSignals<Transaction<Schema>> & AsyncDisposable;

/**
 * Opens the signals of a process among others. A change is told within the transaction that makes it; the write
 * resolves when every process that is alive has applied it. A process that may have missed one is told that
 * anything of its topic may have changed.
 */
export const openPostgresSignals = async (deps: SignalsDeps): Promise<PostgresSignals> => {
  const { db, session, leases, log, clock } = deps;
  const { owner } = leases;
  const closing = new AbortController();
  const local = createLocalSignals<Transaction<Schema>>();
  const published = new WeakMap<Transaction<Schema>, Revision[]>();
  /** The lease and the connection under which everything was looked for. */
  let lookedUnder: { readonly alive: Tenure; readonly connection: number } | undefined;
  let lookNow = new AbortController();
  /** Resolves once everything was looked for the first time. */
  const opened = Promise.withResolvers<void>();

  /** Not on the session's connection, where it would delay the renewal of leases. */
  const notify = async (channel: string, news: object): Promise<void> => {
    await sql`SELECT pg_notify(${channel}, ${JSON.stringify(news)})`.execute(db);
  };

  const confirmations = createConfirmations({
    findOthers: async () => {
      const holders = await leases.holders(PROCESS);
      return holders.filter((holder) => holder !== owner);
    },
    ask: async ({ topic, revision }) => {
      const notice: ChangeNotice = { from: owner, topic, revision };
      await notify(PUBLISHED, notice);
    },
    clock,
  });
  const own = createOwnRevisions({
    db,
    owner,
    deliver: local.deliver,
    wentBack: confirmations.forget,
    clock,
  });

  const confirm = async (channel: string, topic: SignalTopic): Promise<void> => {
    const applied: Applied = { by: owner, topic, revision: own.of(topic) };
    await notify(channel, applied);
  };

  /** True for a failure that comes of the end of this store: whoever opens the next one reads everything. */
  const isEnding = (err: unknown): boolean =>
    closing.signal.aborted || (err instanceof AppError && err.code === 'cancelled');

  /** Has nothing relied on that is known here until all changes are applied. */
  const lookAnew = (): void => {
    lookedUnder = undefined;
    lookNow.abort();
  };

  const receive = async (notice: ChangeNotice): Promise<void> => {
    const { topic, from } = notice;
    // What one process is asked once more concerns the others.
    if (from === owner && notice.changed === undefined) return;
    try {
      await own.apply(notice);
    } catch (err) {
      const level = isEnding(err) ? 'debug' : 'error';
      log[level]({ err, topic }, 'a change could not be applied');
      lookAnew();
      return;
    }
    if (from !== owner) await confirm(appliedFor(from), topic).catch(() => undefined);
  };

  /** Reads the revisions, applies what was missed, and says so. */
  const look = async (): Promise<void> => {
    const { rows } = await sql<Revision>`SELECT topic, revision FROM revision`.execute(db);
    const stored = new Map(rows.map(({ topic, revision }) => [topic, revision]));
    for (const topic of new Set([...stored.keys(), ...own.topics()])) {
      if ((stored.get(topic) ?? 0) === own.of(topic)) continue;
      const isMissed = await own.applyMissed(topic);
      if (isMissed) await confirm(APPLIED, topic);
    }
  };

  /** Looks now and then while others know by a lease that this process is alive. */
  const lookWhile = async (alive: Tenure): Promise<void> => {
    while (alive.isHeld()) {
      lookNow = new AbortController();
      const either = AbortSignal.any([alive.signal, lookNow.signal]);
      const under = own.connection();
      let nextMs = LOOK_MS;
      try {
        await look();
        lookedUnder = { alive, connection: under };
        opened.resolve();
      } catch (err) {
        const level = isEnding(err) ? 'debug' : 'warn';
        log[level]({ err }, 'changes of other processes may be missed');
        nextMs = AGAIN_MS;
      }
      await sleep(clock, nextMs, either).catch(() => undefined);
    }
  };

  const live = async (): Promise<void> => {
    while (!closing.signal.aborted)
      try {
        const alive = await leases.acquire(`${PROCESS}${owner}`, closing.signal);
        await lookWhile(alive);
        await alive.release();
      } catch (err) {
        if (closing.signal.aborted) return;
        log.warn({ err }, 'changes of other processes may be missed');
        await sleep(clock, AGAIN_MS, closing.signal).catch(() => undefined);
      }
  };

  await session.listen(PUBLISHED, (payload) => void receive(JSON.parse(payload) as ChangeNotice));
  for (const channel of [APPLIED, appliedFor(owner)])
    await session.listen(channel, (payload) => confirmations.hear(JSON.parse(payload) as Applied));
  session.onReconnect(() => {
    own.reconnected();
    confirmations.forget();
    lookNow.abort();
  });
  const living = live();
  await opened.promise;

  return {
    ...local,
    publish: async (within, topic, changed) => {
      const { rows } = await sql<{ revision: number }>`
        INSERT INTO revision (topic, revision) VALUES (${topic}, 1)
        ON CONFLICT (topic) DO UPDATE SET revision = revision.revision + 1
        RETURNING revision`.execute(within);
      const revision = rows[0]?.revision ?? 0;
      if (revision <= own.of(topic)) confirmations.forget(topic);
      const notice: ChangeNotice = { from: owner, topic, revision, changed };
      await sql`SELECT pg_notify(${PUBLISHED}, ${JSON.stringify(notice)})`.execute(within);
      published.set(within, [...(published.get(within) ?? []), { topic, revision }]);
      await local.publish(within, topic, changed);
    },
    isCurrent: () =>
      session.isConnected() &&
      lookedUnder?.connection === own.connection() &&
      lookedUnder.alive.isHeld(),
    collect: (within) => {
      const revisions = published.get(within) ?? [];
      published.delete(within);
      const deliver = local.collect(within);
      return async () => {
        let isApplied = false;
        try {
          await deliver();
          isApplied = true;
        } finally {
          if (!isApplied) lookAnew();
          for (const revision of revisions) own.made(revision, isApplied);
        }
        for (const revision of revisions) await confirmations.byAll(revision);
      };
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await living;
    },
  };
};
