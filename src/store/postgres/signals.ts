import { type Kysely, sql, type Transaction } from 'kysely';
import { sleep, type Clock } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/keyed-mutex.ts';
import { createLru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { SignalTopic, SignalTopics } from '../../ports/signals.ts';
import { createLocalSignals, type LocalSignals } from '../local-signals.ts';
import type { Schema } from '../schema.ts';
import { NOW_MS } from './lease-rows.ts';
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
/** Longest wait for a process that is alive; one that is not counts no more once its lease ends. */
const APPLY_MS = 15_000;
const CHECK_MS = 500;
/** Most pairs of a process and a topic of which is known what was applied. */
const MOST_APPLIED = 20_000;

/** The number of changes of a topic, which grows in the order of their commits. */
interface Revision {
  readonly topic: SignalTopic;
  readonly revision: number;
}

/** A notification of a change; at most 8,000 bytes (PostgreSQL documentation, NOTIFY). */
interface Notice extends Revision {
  readonly from: string;
  /** The part that changed; without it, anything of the topic may have. */
  readonly changed?: SignalTopics[SignalTopic];
}

/** The last change that a process has applied, with all that came before. */
interface Applied extends Revision {
  readonly by: string;
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
  const applied = createLru<string, number>(MOST_APPLIED);
  const waiting = new Set<() => void>();
  let isCurrent = false;

  /** Not on the session's connection, where it would delay the renewal of leases. */
  const notify = async (channel: string, said: object): Promise<void> => {
    await sql`SELECT pg_notify(${channel}, ${JSON.stringify(said)})`.execute(db);
  };

  /** Applies a change, after those of its topic that came before; all of them where one was missed. */
  const apply = async (
    { topic, revision }: Revision,
    deliver: (isNext: boolean) => Promise<void>,
  ): Promise<void> => {
    using _ = await turns.take(topic);
    const last = own.get(topic) ?? 0;
    if (revision <= last) return;
    await deliver(revision === last + 1);
    own.set(topic, revision);
  };

  const receive = async (notice: Notice): Promise<void> => {
    const { topic, revision, from, changed } = notice;
    try {
      await apply(notice, async (isNext) => {
        // This process has applied its own changes when it committed them.
        if (from === owner && isNext) return;
        await local.deliver(topic, isNext ? changed : undefined);
      });
    } catch (err) {
      log.error({ err, topic }, 'a change could not be applied');
      return;
    }
    if (from === owner) return;
    const said: Applied = { by: owner, topic, revision };
    await notify(appliedFor(from), said).catch(() => undefined);
  };

  const hearApplied = ({ by, topic, revision }: Applied): void => {
    const key = `${by} ${topic}`;
    applied.set(key, Math.max(revision, applied.get(key) ?? 0));
    for (const wake of waiting) wake();
  };

  /** Reads the revisions, applies those of which no notification came, and says so. */
  const look = async (): Promise<void> => {
    const { rows } = await sql<Revision>`SELECT topic, revision FROM revision`.execute(db);
    for (const row of rows) {
      const isMissed = row.revision > (own.get(row.topic) ?? 0);
      await apply(row, () => local.deliver(row.topic, undefined));
      const said: Applied = { by: owner, ...row };
      if (isMissed) await notify(APPLIED, said);
    }
  };

  /** The other processes that are alive. */
  const findOthers = async (): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom('lease')
      .select('owner')
      .where('set_name', '=', PROCESS)
      .where('expires_ms', '>', sql<number>`${sql.raw(NOW_MS)}`)
      .where('owner', '<>', owner)
      .execute();
    return rows.map((row) => row.owner);
  };

  /** Keeps the lease by which others know that this process is alive; while it is held, nothing is missed. */
  const live = async (): Promise<void> => {
    while (!closing.signal.aborted)
      try {
        const alive = await leases.acquire(`${PROCESS}${owner}`, closing.signal);
        await look();
        isCurrent = true;
        opened.resolve();
        while (alive.isHeld()) {
          await sleep(clock, LOOK_MS, alive.signal).catch(() => undefined);
          if (alive.isHeld()) await look();
        }
        await alive.release();
      } catch (err) {
        if (closing.signal.aborted) return;
        log.warn({ err }, 'changes of other processes may be missed');
        await sleep(clock, CHECK_MS, closing.signal).catch(() => undefined);
      } finally {
        isCurrent = false;
      }
  };

  /** Has the processes that have not applied a change look for it; they confirm it once more. */
  const ask = async ({ topic, revision }: Revision): Promise<void> => {
    const notice: Notice = { from: owner, topic, revision };
    await notify(PUBLISHED, notice);
  };

  /** Resolves when every other process that is alive has applied a change. */
  const appliedByAll = async (change: Revision): Promise<void> => {
    const { topic, revision } = change;
    const latestMs = clock.nowMs() + APPLY_MS;
    for (;;) {
      const alive = await findOthers();
      const isMissing = (): boolean =>
        alive.some((other) => (applied.get(`${other} ${topic}`) ?? 0) < revision);
      if (!isMissing()) return;
      if (clock.nowMs() > latestMs)
        throw new AppError('unavailable', 'a process has not applied a change in time', {
          retryable: true,
        });
      const woken = new AbortController();
      const wake = (): void => {
        if (!isMissing()) woken.abort();
      };
      waiting.add(wake);
      await sleep(clock, CHECK_MS, woken.signal).catch(() => undefined);
      waiting.delete(wake);
      // What was said while this connection was away is lost.
      if (isMissing()) await ask(change).catch(() => undefined);
    }
  };

  const opened = Promise.withResolvers<void>();
  await session.listen(PUBLISHED, (payload) => void receive(JSON.parse(payload) as Notice));
  for (const channel of [APPLIED, appliedFor(owner)])
    await session.listen(channel, (payload) => hearApplied(JSON.parse(payload) as Applied));
  session.onReconnect(() => {
    look().catch((err: unknown) => log.warn({ err }, 'changes of other processes may be missed'));
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
      const notice: Notice = { from: owner, topic, revision, changed };
      await sql`SELECT pg_notify(${PUBLISHED}, ${JSON.stringify(notice)})`.execute(within);
      published.set(within, [...(published.get(within) ?? []), { topic, revision }]);
      await local.publish(within, topic, changed);
    },
    isCurrent: () => isCurrent && session.isConnected(),
    collect: (within) => {
      const revisions = published.get(within) ?? [];
      published.delete(within);
      const deliver = local.collect(within);
      return async () => {
        await deliver();
        for (const revision of revisions) await appliedByAll(revision);
      };
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await living;
    },
  };
};
