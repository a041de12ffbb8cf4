import { spaceOf } from '../ids.ts';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import { faultFields, toAppError } from '../../../src/errors.ts';
import { keyOf, type Channel, type Space } from '../../../src/model/place.ts';
import type { LookDeps } from './look-back.ts';
import type { Processes } from '../../../src/ports/processes.ts';

/**
 * Numbers that all processes share, in ms since 1970: by workspace and time of noting, when a look back is due; by
 * workspace and channel, up to which time of noting its history was read.
 */
const PENDING = 'slack-look-back';
const READ = 'slack-looked-back';
/** Wait before another try. */
const AGAIN_MS = MINUTE_MS;

export interface PendingLooksDeps extends Omit<LookDeps, 'speed'> {
  readonly processes: Pick<Processes, 'agreements' | 'leases'>;
  readonly isInstalled: (space: Space) => boolean;
  /** Lists the watched channels of a workspace that the app is in. Rejects with an `AppError`. */
  readonly channelsOf: (space: Space) => Promise<readonly Channel[]>;
  /** Reads what was missed in a channel; true once all that can be read was read. */
  readonly readMissed: (channel: Channel) => Promise<boolean>;
}

interface Look {
  readonly name: string;
  readonly notedMs: number;
  readonly dueMs: number;
}

/**
 * Creates the looks back that are to come in workspaces. They are stored; one process at a time makes those of a
 * workspace, and another one goes on where it ends.
 */
export const createPendingLooks = (deps: PendingLooksDeps) => {
  const { isInstalled, channelsOf, readMissed, log, clock, now, stopped } = deps;
  const { agreements, leases } = deps.processes;
  let pending: ReadonlyMap<string, readonly Look[]> = new Map();
  /** The spaces that are served, each with whether there is more since. */
  const serving = new Map<string, { isMore: boolean }>();
  /** Resolves when the earlier events of a workspace were handled; undefined until looks are made here. */
  let handled: ((space: Space) => Promise<void>) | undefined;
  const timers = new Map<string, () => void>();

  /** Reads the looks that are pending; resolves with their workspaces. */
  const load = async (): Promise<readonly Space[]> => {
    const rows = [...(await agreements.read(`${PENDING} `))].map(([name, dueMs]) => {
      const [, id = '', notedMs] = name.split(' ');
      return { space: spaceOf(id), look: { name, notedMs: Number(notedMs), dueMs } };
    });
    const bySpace = Map.groupBy(rows, ({ space }) => keyOf(space));
    pending = new Map([...bySpace].map(([key, of]) => [key, of.map(({ look }) => look)]));
    return [...bySpace.values()].flatMap(([first]) => first?.space ?? []);
  };

  const remove = (names: Iterable<string>): Promise<void> =>
    agreements.write(Object.fromEntries([...names].map((name) => [name, undefined])));

  /** Stores a number of a workspace, unless that has removed the app. */
  const put = async (space: Space, name: string, ms: number): Promise<void> => {
    await agreements.write({ [name]: ms });
    // `forgetSpace` may have been called before it was written.
    if (!isInstalled(space)) await remove([name]);
  };

  /** Reads each channel that was not read since the looks were noted; true once they are done. */
  const make = async (space: Space, looks: readonly Look[]): Promise<boolean> => {
    const notedMs = Math.max(...looks.map((look) => look.notedMs));
    const prefix = `${READ} ${space.id} `;
    const nameOf = ({ id }: Channel): string => `${prefix}${id}`;
    const known = await agreements.read(prefix);
    // A deletion that was missed shows only in messages that are stored already.
    await handled?.(space);
    const unread = (await channelsOf(space)).filter(
      (channel) => (known.get(nameOf(channel)) ?? -Infinity) < notedMs,
    );
    const reads = unread.map(async (channel) => {
      const isRead = (await readMissed(channel)) && !stopped.aborted;
      if (isRead) await put(space, nameOf(channel), notedMs);
      return isRead;
    });
    const isDone = (await Promise.all(reads)).every(Boolean) && !stopped.aborted;
    if (isDone)
      await remove([...looks.map(({ name }) => name), ...known.keys(), ...unread.map(nameOf)]);
    return isDone;
  };

  /** Makes the looks of a workspace that are due; resolves with the time of the next try. */
  const makeDue = async (space: Space): Promise<number | undefined> => {
    const tenure = await leases.acquire(`${PENDING}:${space.id}`, stopped);
    try {
      for (;;) {
        await load();
        const looks = pending.get(keyOf(space)) ?? [];
        if (looks.length === 0) return undefined;
        const dueMs = Math.min(...looks.map((look) => look.dueMs));
        if (dueMs > now()) return dueMs;
        if (!(await make(space, looks))) return now() + AGAIN_MS;
      }
    } finally {
      await tenure.release();
    }
  };

  const serve = async (space: Space): Promise<void> => {
    const key = keyOf(space);
    const served = serving.get(key);
    if (served) {
      served.isMore = true;
      return;
    }
    const turn = { isMore: true };
    serving.set(key, turn);
    timers.get(key)?.();
    let nextMs: number | undefined;
    while (turn.isMore && !stopped.aborted) {
      turn.isMore = false;
      try {
        nextMs = await makeDue(space);
      } catch (thrown) {
        nextMs = toAppError(thrown).retryable ? now() + AGAIN_MS : undefined;
        if (!stopped.aborted) log.warn(faultFields(thrown), 'Slack: channels could not be read');
      }
    }
    serving.delete(key);
    if (nextMs === undefined) timers.delete(key);
    else
      timers.set(
        key,
        clock.after(nextMs - now(), () => void serve(space)),
      );
  };

  const look = async (): Promise<void> => {
    const spaces = await load();
    if (handled) for (const space of spaces) void serve(space);
  };
  const lookAgain = (): void => {
    look().catch((thrown: unknown) => {
      if (!stopped.aborted) log.warn(faultFields(thrown), 'Slack: looks back could not be read');
    });
  };

  return {
    /** True while messages of a workspace may be missing that are to be read. */
    isPending: (space: Space): boolean => pending.has(keyOf(space)),
    /**
     * Makes looks from now on, those that are stored first. Rejects as the database does.
     *
     * @param after resolves when the earlier events of a workspace were handled
     */
    start: async (after: (space: Space) => Promise<void>): Promise<void> => {
      const isWatching = handled !== undefined;
      handled = after;
      await look();
      if (isWatching) return;
      stopped.addEventListener('abort', agreements.watch(`${PENDING} `, lookAgain), { once: true });
    },
    /**
     * Stores that the channels of a workspace are to be read. Rejects as the database does.
     *
     * @param dueMs when at the latest, ms since 1970; default: now
     */
    note: async (space: Space, dueMs = now()): Promise<void> => {
      await put(space, `${PENDING} ${space.id} ${now()}`, Math.floor(dueMs));
      await look();
    },
    /** Removes what is stored of a workspace that removed the app. */
    forgetSpace: async ({ id }: Space): Promise<void> => {
      for (const kind of [PENDING, READ])
        await remove((await agreements.read(`${kind} ${id} `)).keys());
    },
  };
};
