import { type Kysely, sql, type Transaction } from 'kysely';
import { sleep, waitUntil, type Clock } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { SignalTopic, SignalTopics } from '../../ports/store.ts';
import { createLocalSignals, type LocalSignals } from '../local-signals.ts';
import type { Schema } from '../schema.ts';
import { createConfirmations, type Applied, type Revision } from './confirmations.ts';
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
/** Longest wait until a change of this process, of which it was notified, is applied where it was made. */
const OWN_MS = 1_000;

/** The revision noted for a topic whose changes are to be read anew: none. */
const UNKNOWN = -1;

/** A notification of a change; at most 8,000 bytes (PostgreSQL documentation, NOTIFY). */
interface Notice extends Revision {
  readonly from: string;
  /** The part that changed; without it, anything of the topic may have. */
  readonly changed?: SignalTopics[SignalTopic];
}

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
export const openPostgresSignals = async ({
  db,
  session,
  leases,
  log,
  clock,
}: SignalsDeps): Promise<PostgresSignals> => {
  const { owner } = leases;
  const closing = new AbortController();
  const local = createLocalSignals<Transaction<Schema>>();
  const turns = createKeyedMutex();
  const published = new WeakMap<Transaction<Schema>, Revision[]>();
  /** The last revision of each topic that this process has applied. */
  const own = new Map<SignalTopic, number>();
  /** Changes of this process, with whether they were applied where they were made, until it is notified of them. */
  const made = new Map<string, PromiseWithResolvers<boolean>>();
  /** Grows with each connection that hears notifications. */
  let connection = 0;
  /** The lease and the connection under which everything was looked for. */
  let lookedUnder: { readonly alive: Tenure; readonly connection: number } | undefined;
  let lookNow = new AbortController();
  /** Resolves once everything was looked for the first time. */
  const opened = Promise.withResolvers<void>();

  /** Not on the session's connection, where it would delay the renewal of leases. */
  const notify = async (channel: string, said: object): Promise<void> => {
    await sql`SELECT pg_notify(${channel}, ${JSON.stringify(said)})`.execute(db);
  };

  const confirmations = createConfirmations({
    findOthers: async () => {
      const holders = await leases.holders(PROCESS);
      return holders.filter((holder) => holder !== owner);
    },
    ask: async ({ topic, revision }) => {
      const notice: Notice = { from: owner, topic, revision };
      await notify(PUBLISHED, notice);
    },
    clock,
  });

  const appliedOf = (topic: SignalTopic): number => own.get(topic) ?? 0;

  const madeOf = ({ topic, revision }: Revision): PromiseWithResolvers<boolean> => {
    const key = `${topic} ${revision}`;
    const known = made.get(key) ?? Promise.withResolvers<boolean>();
    made.set(key, known);
    return known;
  };

  /** True once a change of this process was applied where it was made. */
  const isMade = async (notice: Notice): Promise<boolean> => {
    let isApplied = false;
    const noted = madeOf(notice).promise.then((given) => (isApplied = given));
    await waitUntil(clock, clock.nowMs() + OWN_MS, noted);
    made.delete(`${notice.topic} ${notice.revision}`);
    return isApplied;
  };

  /** Applies, in its turn, all changes of a topic where some may have been missed. True where it was so. */
  const applyMissed = async (topic: SignalTopic): Promise<boolean> => {
    const { rows } = await sql<Revision>`
      SELECT topic, revision FROM revision WHERE topic = ${topic}`.execute(db);
    const revision = rows[0]?.revision ?? 0;
    if (revision === appliedOf(topic)) return false;
    const under = connection;
    // Revisions that went back come again, for other changes.
    if (revision < appliedOf(topic)) confirmations.forget(topic);
    await local.deliver(topic, undefined);
    if (under === connection) own.set(topic, revision);
    return true;
  };

  /** Applies a change, after those of its topic that came before; all of them where one was missed. */
  const apply = async (notice: Notice): Promise<void> => {
    const { topic, revision, from, changed } = notice;
    using _ = await turns.take(topic);
    const under = connection;
    const isNext = revision === appliedOf(topic) + 1;
    if (isNext && from === owner && (await isMade(notice))) {
      if (under === connection) own.set(topic, revision);
    } else if (isNext && from !== owner && changed !== undefined) {
      await local.deliver(topic, changed);
      if (under === connection) own.set(topic, revision);
    } else await applyMissed(topic);
  };

  const say = async (channel: string, topic: SignalTopic): Promise<void> => {
    const said: Applied = { by: owner, topic, revision: appliedOf(topic) };
    await notify(channel, said);
  };

  /** True for a failure that comes of the end of this store: whoever opens the next one reads everything. */
  const isEnding = (err: unknown): boolean =>
    closing.signal.aborted || (err instanceof AppError && err.code === 'cancelled');

  const receive = async (notice: Notice): Promise<void> => {
    const { topic, from } = notice;
    // What one process is asked once more concerns the others.
    if (from === owner && notice.changed === undefined) return;
    try {
      await apply(notice);
    } catch (err) {
      const level = isEnding(err) ? 'debug' : 'error';
      log[level]({ err, topic }, 'a change could not be applied');
      return;
    }
    if (from !== owner) await say(appliedFor(from), topic).catch(() => undefined);
  };

  const applyInTurn = async (topic: SignalTopic): Promise<boolean> => {
    using _ = await turns.take(topic);
    return applyMissed(topic);
  };

  /** Reads the revisions, applies what was missed, and says so. */
  const look = async (): Promise<void> => {
    const { rows } = await sql<Revision>`SELECT topic, revision FROM revision`.execute(db);
    const stored = new Map(rows.map(({ topic, revision }) => [topic, revision]));
    for (const topic of new Set([...stored.keys(), ...own.keys()])) {
      if ((stored.get(topic) ?? 0) === appliedOf(topic)) continue;
      const isMissed = await applyInTurn(topic);
      if (isMissed) await say(APPLIED, topic);
    }
  };

  /** Looks now and then while others know by a lease that this process is alive. */
  const lookWhile = async (alive: Tenure): Promise<void> => {
    while (alive.isHeld()) {
      lookNow = new AbortController();
      const either = AbortSignal.any([alive.signal, lookNow.signal]);
      const under = connection;
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

  await session.listen(PUBLISHED, (payload) => void receive(JSON.parse(payload) as Notice));
  for (const channel of [APPLIED, appliedFor(owner)])
    await session.listen(channel, (payload) => confirmations.hear(JSON.parse(payload) as Applied));
  session.onReconnect(() => {
    // Another server, or an earlier state, may have given the same revisions to other changes.
    connection += 1;
    for (const topic of own.keys()) own.set(topic, UNKNOWN);
    made.clear();
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
      if (revision <= appliedOf(topic)) confirmations.forget(topic);
      const notice: Notice = { from: owner, topic, revision, changed };
      await sql`SELECT pg_notify(${PUBLISHED}, ${JSON.stringify(notice)})`.execute(within);
      published.set(within, [...(published.get(within) ?? []), { topic, revision }]);
      await local.publish(within, topic, changed);
    },
    isCurrent: () =>
      session.isConnected() && lookedUnder?.connection === connection && lookedUnder.alive.isHeld(),
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
          for (const revision of revisions) madeOf(revision).resolve(isApplied);
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
