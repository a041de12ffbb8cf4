import { createKeyedMutex } from '../../../src/async/locks.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Share, Tenure, Work, Processes } from '../../../src/ports/processes.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';
import type { Shard, ShardKey } from './shard.ts';

/** Name of the agreed number of shards, and of the one that replaces it. */
const COUNT = 'discord-shards';
const NEXT = `${COUNT} next`;
/** Name of a shard of the next number that is connected, without number and index. */
const READY = `${COUNT} ready `;
/** The index in the name of a shard's lease. */
const idOf = (lease: string): number => Number(lease.slice(lease.indexOf(':') + 1));
const readyName = ({ id, count }: ShardKey): string => `${READY}${count}:${id}`;

/** Removes all notes of shards that are connected. */
const noneReady = (numbers: ReadonlyMap<string, number>): Record<string, undefined> =>
  Object.fromEntries(
    [...numbers.keys()].filter((name) => name.startsWith(READY)).map((name) => [name, undefined]),
  );

/** Time in which all processes hear of another number of shards, and join those that share them. */
const JOIN_MS = 2_000;

/** Factor by which Discord has to recommend more before the number of shards changes. */
const GROWTH = 1.5;

export interface ShardsDeps {
  readonly processes: Processes;
  readonly log: Log;
  readonly open: (key: ShardKey, tenure: Tenure, connected: () => void) => Shard;
  /** Time between two sessions of a shard: one that moves sooner is not connected until then. */
  readonly identifyEveryMs: number;
  /** Waits before a change is followed again. Default: in real time. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface ShardSet {
  readonly shards: Map<string, Shard>;
  /** Names of those that have been connected; one that connects again stays among them. */
  readonly ready: Set<string>;
  readonly share: Share;
  /** True where this process takes part only while no other one does. */
  readonly isEnding: boolean;
}

/** The number of shards that a process at its start wants. */
export const shardCount = (
  stored: number | undefined,
  fixed: number | undefined,
  recommended: number,
): number =>
  fixed ?? (stored === undefined || recommended > stored * GROWTH ? recommended : stored);

/** Creates the shards that this process has: its part of all of them, in equal parts with other processes. */
export const createShards = (deps: ShardsDeps) => {
  const { processes, log, open, identifyEveryMs, sleep: wait } = deps;
  const { agreements, leases, isAlone } = processes;
  const sets = new Map<number, ShardSet>();
  const turns = createKeyedMutex();
  let current = 0;
  const stopped = new AbortController();
  let isDraining = false;
  let isOver = false;
  let isTrying = false;
  let unwatch: (() => void) | undefined;

  /** Notes the shards of the next number that are connected here, as far as they are not noted. */
  const noteReady = async (numbers: ReadonlyMap<string, number>): Promise<void> => {
    const next = numbers.get(NEXT);
    if (next === undefined) return;
    const ready = [...(sets.get(next)?.ready ?? [])];
    const names = ready.map((name) => readyName({ id: idOf(name), count: next }));
    const missing = names.filter((name) => !numbers.has(name));
    if (missing.length > 0)
      await agreements.write(Object.fromEntries(missing.map((name) => [name, 1])));
  };

  /** Removes the note that a shard of the next number is connected. */
  const removeNote = async (key: ShardKey, isReady: () => boolean): Promise<void> => {
    const name = readyName(key);
    try {
      const isNoted = (await agreements.read(name)).has(name);
      if (isNoted && !isReady()) await agreements.write({ [name]: undefined });
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'Discord: a shard still counts as ready');
    }
  };

  /** Ends the former number of shards once all of the next one are connected. */
  const advance = async (numbers: ReadonlyMap<string, number>): Promise<void> => {
    const next = numbers.get(NEXT);
    const isReady = (name: string): boolean => name.startsWith(`${READY}${next}:`);
    if (next === undefined || [...numbers.keys()].filter(isReady).length < next) return;
    await agreements.write({ [COUNT]: next, [NEXT]: undefined, ...noneReady(numbers) });
  };

  /** Begins to share the shards of a number, beside those of another one where `next` is that which replaces it. */
  const begin = (count: number, next: number | undefined): ShardSet => {
    const shards = new Map<string, Shard>();
    const ready = new Set<string>();
    const isNext = (): boolean => count === next && count !== current;
    const work = (tenure: Tenure): Work => {
      const { name } = tenure;
      const key: ShardKey = { id: idOf(name), count };
      const isReady = (): boolean => ready.has(name);
      let isGiven = false;
      let shard: Shard | undefined;
      const connected = (): void => {
        if (shards.get(name) === shard && !isGiven) ready.add(name);
        look();
      };
      // Whoever had it before may have ended without a word.
      if (isNext()) void removeNote(key, isReady);
      shard = open(key, tenure, connected);
      shards.set(name, shard);
      const forget = (): void => {
        if (shards.get(name) !== shard) return;
        shards.delete(name);
        ready.delete(name);
      };
      tenure.signal.addEventListener('abort', forget, { once: true });
      return {
        hear: () => undefined,
        [Symbol.asyncDispose]: async () => {
          isGiven = true;
          const removal = ready.delete(name) && isNext() ? removeNote(key, isReady) : undefined;
          await shard?.close();
          forget();
          await removal;
        },
      };
    };
    const isEnding = next !== undefined && count !== next;
    const share = leases.share(`${COUNT}-${count}`, count, work, {
      holdMs: identifyEveryMs,
      joinMs: count === next ? JOIN_MS : 0,
      isEnding,
    });
    return { shards, ready, share, isEnding };
  };

  /** Has the shards of the agreed numbers, and no others. */
  const follow = async (): Promise<void> => {
    using _ = await turns.take(COUNT);
    if (isOver) return;
    const numbers = await agreements.read(COUNT);
    current = numbers.get(COUNT) ?? current;
    const next = numbers.get(NEXT);
    const counts = [current, next ?? current];
    const known = sets.get(current);
    // The former number stays after all: this process has its part of it, too.
    if (next === undefined && known?.isEnding && known.shards.size === 0 && !isDraining) {
      sets.delete(current);
      await known.share[Symbol.asyncDispose]();
    }
    for (const count of counts)
      if (!isDraining && !sets.has(count)) sets.set(count, begin(count, next));
    for (const [count, { share }] of sets) {
      if (counts.includes(count)) continue;
      sets.delete(count);
      log.info({ shards: current, before: count }, 'Discord: the number of shards has changed');
      await share[Symbol.asyncDispose]();
    }
    await noteReady(numbers);
    await advance(numbers);
  };
  /** Follows, so that any fault is one after which it can be tried again. */
  const followOrFail = async (): Promise<void> => {
    try {
      await follow();
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      throw new AppError(code, message, { cause: thrown, retryable: true });
    }
  };
  /** Follows, again after any failure until it succeeds: nothing else may tell of a change. */
  const followSurely = async (): Promise<void> => {
    try {
      await follow();
    } catch (thrown) {
      const warn = ({ message: reason }: AppError): void =>
        log.warn({ reason }, 'Discord: the number of shards is unknown');
      warn(toAppError(thrown));
      if (isTrying) return;
      isTrying = true;
      await retryUntilAborted(followOrFail, {
        signal: stopped.signal,
        failed: warn,
        ...(wait ? { sleep: wait } : {}),
      });
      isTrying = false;
    }
  };
  function look(): void {
    void followSurely();
  }

  return {
    /**
     * Begins to take shards; resolves once those that nobody has are begun.
     *
     * @param fixed number of shards that the operator set
     * @param recommended number that Discord recommends
     */
    start: async (fixed: number | undefined, recommended: number): Promise<void> => {
      const numbers = await agreements.read(COUNT);
      const stored = numbers.get(NEXT) ?? numbers.get(COUNT);
      const count = shardCount(stored, fixed, recommended);
      const agreed = await agreements.agree(COUNT, count);
      if (agreed !== count && isAlone)
        await agreements.write({ [COUNT]: count, [NEXT]: undefined, ...noneReady(numbers) });
      else {
        const next = agreed === count ? undefined : count;
        // What was noted for an earlier next number says nothing about this one.
        if (numbers.get(NEXT) !== next)
          await agreements.write({ [NEXT]: next, ...noneReady(numbers) });
      }
      unwatch ??= agreements.watch(COUNT, look);
      await follow();
    },
    /** Lists those that this process has now. */
    own: (): readonly Shard[] => [...sets.values()].flatMap(({ shards }) => [...shards.values()]),
    /** Number of all shards. */
    count: () => current,
    /** Takes no more shards, of no number of them; those that this process has go on until it is disposed of. */
    drain: (): void => {
      isDraining = true;
      for (const { share } of sets.values()) share.stopClaiming();
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      stopped.abort();
      unwatch?.();
      using _ = await turns.take(COUNT);
      await Promise.all(sets.values().map(({ share }) => share[Symbol.asyncDispose]()));
    },
  };
};
