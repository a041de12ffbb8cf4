import { type Kysely, sql } from 'kysely';
import { sleep, waitUntil, type Clock } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createLru, type Lru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import type { LocalSignals } from '../writer.ts';
import type { Schema } from '../schema.ts';
import type { SignalTopic, SignalTopics } from '../../ports/store.ts';

/** Longest wait for a process that is alive; one that is not counts no more once its lease ends. */
const APPLY_MS = 15_000;
const CHECK_MS = 500;
/** Most processes of which is known what they applied of a topic. */
const MOST_APPLIED = 2_000;

/** The number of changes of a topic, which grows in the order of their commits. */
export interface Revision {
  readonly topic: SignalTopic;
  readonly revision: number;
}

/** The last change that a process has applied, with all that came before. */
export interface Applied extends Revision {
  readonly by: string;
}

/** A notification of a change; at most 8,000 bytes (PostgreSQL documentation, NOTIFY). */
export interface ChangeNotice extends Revision {
  readonly from: string;
  /** The part that changed; without it, anything of the topic may have. */
  readonly changed?: SignalTopics[SignalTopic];
}

export interface ConfirmationsDeps {
  /** The names of the other processes that are alive. */
  readonly findOthers: () => Promise<readonly string[]>;
  /** Has the processes that have not applied a change look for it; they confirm it once more. */
  readonly ask: (change: Revision) => Promise<void>;
  readonly clock: Clock;
}

/** Creates what knows which changes other processes have applied. */
export const createConfirmations = ({ findOthers, ask, clock }: ConfirmationsDeps) => {
  const applied = new Map<SignalTopic, Lru<string, number>>();
  const waiting = new Set<() => void>();

  return {
    hear: ({ by, topic, revision }: Applied): void => {
      const known = applied.get(topic) ?? createLru<string, number>(MOST_APPLIED);
      applied.set(topic, known);
      known.set(by, Math.max(revision, known.get(by) ?? 0));
      for (const wake of waiting) wake();
    },
    /** Forgets what was confirmed of a topic whose revisions may have gone back; of all without one. */
    forget: (topic?: SignalTopic): void => {
      if (topic === undefined) applied.clear();
      else applied.delete(topic);
    },
    /** Resolves when every other process that is alive has applied a change. Rejects with `unavailable`. */
    byAll: async (change: Revision): Promise<void> => {
      const { topic, revision } = change;
      const latestMs = clock.nowMs() + APPLY_MS;
      for (;;) {
        const alive = await findOthers();
        const isMissing = (): boolean =>
          alive.some((other) => (applied.get(topic)?.get(other) ?? 0) < revision);
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
    },
  };
};

/** Longest wait until a change of this process, of which it was notified, is applied where it was made. */
const OWN_MS = 1_000;

/** The revision noted for a topic whose changes are to be read anew: none. */
const UNKNOWN = -1;

export interface OwnRevisionsDeps {
  readonly db: Kysely<Schema>;
  /** Name of this process. */
  readonly owner: string;
  readonly deliver: LocalSignals<object>['deliver'];
  /** Called with a topic whose revisions went back, and come again for other changes. */
  readonly wentBack: (topic: SignalTopic) => void;
  readonly clock: Clock;
}

/** Creates what knows which changes this process has applied, and applies others in their order. */
export const createOwnRevisions = ({ db, owner, deliver, wentBack, clock }: OwnRevisionsDeps) => {
  const turns = createKeyedMutex();
  /** The last revision of each topic that this process has applied. */
  const own = new Map<SignalTopic, number>();
  /** Changes of this process, with whether they were applied where they were made, until it is notified of them. */
  const made = new Map<string, PromiseWithResolvers<boolean>>();
  /** Grows with each connection that hears notifications. */
  let connection = 0;

  const of = (topic: SignalTopic): number => own.get(topic) ?? 0;

  const madeOf = ({ topic, revision }: Revision): PromiseWithResolvers<boolean> => {
    const key = `${topic} ${revision}`;
    const known = made.get(key) ?? Promise.withResolvers<boolean>();
    made.set(key, known);
    return known;
  };

  /** True once a change of this process was applied where it was made. */
  const isMade = async (notice: ChangeNotice): Promise<boolean> => {
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
    if (revision === of(topic)) return false;
    const under = connection;
    if (revision < of(topic)) wentBack(topic);
    await deliver(topic, undefined);
    if (under === connection) own.set(topic, revision);
    return true;
  };

  return {
    of,
    topics: () => own.keys(),
    connection: () => connection,
    /** Notes whether a change of this process was applied where it was made. */
    made: (revision: Revision, isApplied: boolean): void => madeOf(revision).resolve(isApplied),
    /** Applies a change, after those of its topic that came before; all of them where one was missed. */
    apply: async (notice: ChangeNotice): Promise<void> => {
      const { topic, revision, from, changed } = notice;
      using _ = await turns.take(topic);
      const under = connection;
      const isNext = revision === of(topic) + 1;
      if (isNext && from === owner && (await isMade(notice))) {
        if (under === connection) own.set(topic, revision);
      } else if (isNext && from !== owner && changed !== undefined) {
        await deliver(topic, changed);
        if (under === connection) own.set(topic, revision);
      } else await applyMissed(topic);
    },
    applyMissed: async (topic: SignalTopic): Promise<boolean> => {
      using _ = await turns.take(topic);
      return await applyMissed(topic);
    },
    /** Takes a new connection: another server, or an earlier state, may have given the same revisions to other changes. */
    reconnected: (): void => {
      connection += 1;
      for (const topic of own.keys()) own.set(topic, UNKNOWN);
      made.clear();
    },
  };
};
