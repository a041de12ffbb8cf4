import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { Tenure } from '../../../src/ports/leases.ts';
import type { Processes } from '../../../src/ports/processes.ts';
import type { Shard, ShardKey } from './shard.ts';

/** Name of the agreed number of shards, and of the one that replaces it. */
const COUNT = 'discord-shards';
const NEXT = `${COUNT} next`;
/** Name of a shard of the next number that is connected, without number and index. */
const READY = `${COUNT} ready `;
const readyName = ({ id, count }: ShardKey): string => `${READY}${count}:${id}`;

/** Factor by which Discord has to recommend more before the number of shards changes. */
const GROWTH = 1.5;

export interface ShardsDeps {
  readonly processes: Processes;
  readonly log: Log;
  readonly open: (key: ShardKey, tenure: Tenure, connected: () => void) => Shard;
}

/** The shards that this process has: its part of all of them, in equal parts with other processes. */
export interface Shards extends AsyncDisposable {
  /**
   * Begins to take shards; resolves once those that nobody has are begun.
   *
   * @param wanted number of shards that the operator set
   * @param recommended number that Discord recommends
   */
  start(wanted: number | undefined, recommended: number): Promise<void>;
  /** Lists those that this process has now. */
  own(): readonly Shard[];
  /** Number of all shards. */
  count(): number;
}

interface ShardSet {
  readonly shards: Map<string, Shard>;
  readonly share: AsyncDisposable;
}

/** The number of shards that a process at its start wants. */
export const wantedCount = (
  stored: number | undefined,
  wanted: number | undefined,
  recommended: number,
): number =>
  wanted ?? (stored === undefined || recommended > stored * GROWTH ? recommended : stored);

export const createShards = ({ processes, log, open }: ShardsDeps): Shards => {
  const { agreements, leases, isAlone } = processes;
  const sets = new Map<number, ShardSet>();
  const turns = createKeyedMutex();
  let current = 0;
  let isOver = false;
  let unwatch: (() => void) | undefined;

  /** Notes that a shard of the next number is connected. */
  const noteReady = async (key: ShardKey): Promise<void> => {
    if (isOver || (await agreements.read(NEXT)).get(NEXT) !== key.count) return;
    await agreements.write({ [readyName(key)]: 1 });
  };

  /** Ends the former number of shards once all of the next one are connected. */
  const advance = async (numbers: ReadonlyMap<string, number>): Promise<void> => {
    const next = numbers.get(NEXT);
    const ready = [...numbers.keys()].filter((name) => name.startsWith(READY));
    const isReady = (name: string): boolean => name.startsWith(`${READY}${next}:`);
    if (next === undefined || ready.filter(isReady).length < next) return;
    const none = Object.fromEntries(ready.map((name) => [name, undefined]));
    await agreements.write({ [COUNT]: next, [NEXT]: undefined, ...none });
  };

  const begin = (count: number): ShardSet => {
    const shards = new Map<string, Shard>();
    const share = leases.share(`${COUNT}-${count}`, count, (tenure) => {
      const key = { id: Number(tenure.name.slice(tenure.name.indexOf(':') + 1)), count };
      const shard = open(key, tenure, () => {
        noteReady(key).catch((thrown: unknown) =>
          log.warn({ reason: toAppError(thrown).message }, 'Discord: a shard could not be noted'),
        );
      });
      shards.set(tenure.name, shard);
      const forget = (): void => {
        if (shards.get(tenure.name) === shard) shards.delete(tenure.name);
      };
      tenure.signal.addEventListener('abort', forget, { once: true });
      return {
        hear: () => undefined,
        [Symbol.asyncDispose]: async () => {
          await shard.close();
          forget();
        },
      };
    });
    return { shards, share };
  };

  /** Has the shards of the agreed numbers, and no others. */
  const follow = async (): Promise<void> => {
    using _ = await turns.take(COUNT);
    if (isOver) return;
    const numbers = await agreements.read(COUNT);
    current = numbers.get(COUNT) ?? current;
    const wanted = [current, numbers.get(NEXT) ?? current];
    for (const count of wanted) if (!sets.has(count)) sets.set(count, begin(count));
    for (const [count, { share }] of sets) {
      if (wanted.includes(count)) continue;
      sets.delete(count);
      log.info({ shards: current, before: count }, 'Discord: the number of shards has changed');
      await share[Symbol.asyncDispose]();
    }
    await advance(numbers);
  };
  const look = (): void => {
    follow().catch((thrown: unknown) =>
      log.warn({ reason: toAppError(thrown).message }, 'Discord: the number of shards is unknown'),
    );
  };

  return {
    start: async (wanted, recommended) => {
      const numbers = await agreements.read(COUNT);
      const stored = numbers.get(NEXT) ?? numbers.get(COUNT);
      const count = wantedCount(stored, wanted, recommended);
      const agreed = await agreements.agree(COUNT, count);
      if (agreed !== count && isAlone)
        await agreements.write({ [COUNT]: count, [NEXT]: undefined });
      else if (agreed !== count || numbers.has(NEXT))
        await agreements.write({ [NEXT]: agreed === count ? undefined : count });
      unwatch ??= agreements.watch(look);
      await follow();
    },
    own: () => [...sets.values()].flatMap(({ shards }) => [...shards.values()]),
    count: () => current,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      unwatch?.();
      using _ = await turns.take(COUNT);
      await Promise.all(sets.values().map(({ share }) => share[Symbol.asyncDispose]()));
    },
  };
};
