import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Texts } from '../i18n.ts';
import type { Log } from '../log.ts';
import type { Member } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { ChannelWatch, Inbox, Services, Watches } from '../services.ts';
import { createCopyStore } from '../store/copies.ts';
import { createCursorStore } from '../store/cursors.ts';
import { backlogOf, clearOld, reviveDead } from '../store/inbox/backlog.ts';
import { createInboxStore } from '../store/inbox/index.ts';
import type { Row } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import { TRUNCATE_JOURNAL } from '../store/sqlite.ts';
import { openWatchStore } from '../store/watches.ts';
import { createWriter } from '../store/writer.ts';
import { createCatchUp } from './catch-up.ts';
import { deliver, type Ready } from './deliver.ts';
import { createLanes } from './lanes.ts';
import { workLane } from './lane.ts';
import type { Watcher, WatchPort } from './port.ts';
import { createSlots } from './slots.ts';
import { createTalk } from './talk.ts';
import { createPlanner, planOfFault } from './planner.ts';
import { createTake, createWatcher } from './watcher.ts';

/** A lease outlives several renewals, so that a busy moment loses none. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
/** Deliveries that hold files in memory at the same moment. */
const LARGE_AT_ONCE = 2;
const CLEAR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface WatchingParts {
  readonly store: Store;
  readonly log: Log;
  /** For what is said to whoever pressed a flag. */
  readonly texts: Pick<Texts, 'in'>;
  readonly services: Pick<
    Services,
    'translator' | 'transcriber' | 'languages' | 'spaces' | 'privacy' | 'usage'
  >;
  readonly inboxDays: number;
  readonly copyDays: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** The watched channels of all platforms, from what people write to where its copies stand. */
export interface Watching extends AsyncDisposable {
  readonly watcher: Watcher;
  readonly watches: Watches;
  readonly inbox: Inbox;
  /** Serves the watched channels of a platform, where it has such, once it tells what it missed. */
  attach(platform: Platform): void;
  /** Somebody opted out, or is to be forgotten: what is held of them in memory goes too. */
  forgot(person: Pick<Member, 'platform' | 'id'>): Promise<void>;
  /** Resolves when nothing is left to do that is due. */
  idle(): Promise<void>;
}

export const openWatching = async ({
  store,
  log,
  texts,
  services,
  inboxDays,
  copyDays,
  now = Date.now,
  random = Math.random,
}: WatchingParts): Promise<Watching> => {
  const { spaces, privacy } = services;
  const writer = createWriter(store);
  const inbox = createInboxStore({ store, writer, owner: randomUUID(), now, leaseMs: LEASE_MS });
  const copies = createCopyStore(store, now);
  const cursors = createCursorStore(store, writer, (err) => {
    log.warn({ err }, 'cursors could not be kept');
  });
  const watchStore = await openWatchStore(store, writer, now);
  const resumed = new Set<string>();
  let resuming: Promise<void> | undefined;
  const ports = new Map<string, WatchPort>();
  const port = (platform: string): WatchPort | undefined => ports.get(platform);

  const portOf = (row: Row): WatchPort => {
    const found = ports.get(row.ref.channel.space.platform);
    if (!found) throw new AppError('unavailable', 'the platform is off', { retryable: true });
    return found;
  };

  const talk = createTalk();
  const planner = createPlanner({
    services,
    watches: watchStore,
    texts,
    talk,
    progress: { copies, writer, log, now },
    portOf,
  });

  const large = createSlots(LARGE_AT_ONCE);
  const deliverAll = async (batch: readonly Ready[], signal: AbortSignal): Promise<void> => {
    const [first] = batch;
    if (!first) return;
    const work = (): Promise<void> =>
      deliver({ inbox, copies, writer, privacy, log }, portOf(first.row), batch, signal);
    await (batch.some(({ plan }) => plan.carries.length > 0) ? large.use(work) : work());
  };

  const lanes = createLanes({
    log,
    now,
    work: (lane, jobs, signal, register) =>
      workLane(
        {
          inbox,
          now,
          random,
          prepare: planner.prepare,
          deliver: async (batch, abort) => {
            const held = await Promise.all(batch.map(({ row }) => inbox.holds(row)));
            const changed = held.indexOf(false);
            const ours = changed < 0 ? batch : batch.slice(0, changed);
            await deliverAll(ours, abort);
            if (changed >= 0) throw new AppError('cancelled', 'a message changed meanwhile');
          },
          bury: async (row, error) => {
            const { platform } = row.ref.channel.space;
            const fields = { platform, channel: row.ref.channel.id, message: row.ref.id };
            log.warn(
              { ...fields, code: error.code, reason: error.message },
              'a message is given up',
            );
            const ready = { row, message: undefined, again: false, sweep: [] };
            await deliverAll(
              [{ ...ready, plan: planOfFault(error) }],
              new AbortController().signal,
            );
          },
        },
        lane,
        jobs,
        signal,
        register,
      ),
  });

  const catchUp = createCatchUp({
    cursors,
    port,
    sinceMs: (channel) => {
      const watch = watchStore.of(channel);
      return watch ? watchStore.sinceMs(watch) : now();
    },
    // A look goes through the history from the last message on that was seen.
    take: (message) => take(message, true),
    gone: (refs) => watcher.takeAway(refs),
    log,
    now,
  });
  const parts = {
    inbox,
    copies,
    cursors,
    watches: watchStore,
    spaces,
    privacy,
    lanes,
    catchUp,
    talk,
    port,
    // A day less than rows are kept, so that none is cleared between a look at it and the next.
    remembersFromMs: () => now() - (inboxDays - 0.5) * DAY_MS,
  };
  const take = createTake(parts);
  const watcher = createWatcher(parts, take);

  /** What waited while the platform was away, or this program. */
  const resume = async (platform: string): Promise<void> => {
    try {
      if (resumed.has(platform)) return;
      resumed.add(platform);
      await inbox.takeOver(platform);
      for (const lane of await inbox.lanes(platform)) lanes.wake(lane);
    } catch (err) {
      resumed.delete(platform);
      log.error({ err, platform }, 'what waits in the inbox could not be resumed');
    }
  };

  const clear = (): void => {
    const rowsMs = now() - inboxDays * DAY_MS;
    const copiesMs = now() - copyDays * DAY_MS;
    clearOld(store, writer, { rowsMs, copiesMs }).catch((err: unknown) => {
      log.warn({ err }, 'old rows could not be cleared');
    });
  };
  const renewing = setInterval(() => {
    inbox.renew().catch((err: unknown) => log.warn({ err }, 'leases could not be renewed'));
  }, RENEW_MS).unref();
  const clearing = setInterval(clear, CLEAR_MS).unref();
  clear();

  /** A group of one channel is none: it ends with the last but one. */
  const dissolve = async (groups: readonly (string | undefined)[]): Promise<void> => {
    const alone = new Set(groups.filter((group) => group !== undefined))
      .values()
      .map((group) => watchStore.inGroup(group))
      .filter((left) => left.length === 1);
    for (const [last] of alone) if (last) await watchStore.remove([last.channel]);
  };

  const missingOf = async (watch: ChannelWatch): Promise<readonly string[]> => {
    const from = port(watch.channel.space.platform);
    return from ? from.missing(watch.channel, watch.mode) : [];
  };

  return {
    watcher: {
      ...watcher,
      missed: (channels) => {
        watcher.missed(channels);
        const [first] = channels;
        if (first) resuming = resume(first.channel.space.platform);
      },
    },
    attach: ({ name, watch }) => {
      if (watch) ports.set(name, watch);
    },
    watches: {
      of: watchStore.of,
      list: watchStore.list,
      missing: missingOf,
      set: async (wanted) => {
        const missing = new Set((await Promise.all(wanted.map(missingOf))).flat());
        if (missing.size > 0)
          throw new AppError('forbidden', 'permissions are missing in a channel to be watched', {
            sentence: { key: 'watch.missing', params: { permissions: [...missing].join(', ') } },
          });
        const placed = wanted.map((watch) => ({
          ...watch,
          channel: port(watch.channel.space.platform)?.resolve(watch.channel) ?? watch.channel,
        }));
        const before = placed.map(({ channel }) => watchStore.of(channel)?.group);
        await watchStore.set(placed);
        await dissolve(before);
        // What came while it was set is found in the history.
        for (const { channel } of placed) catchUp.missed(channel, undefined);
      },
      remove: async (channel) => {
        if (!watchStore.isOwn(channel)) return false;
        const group = watchStore.of(channel)?.group;
        await watchStore.remove([channel]);
        await dissolve([group]);
        for (const lane of await inbox.abandon(channel, 'not-watched')) lanes.wake(lane);
        return true;
      },
    },
    inbox: {
      backlog: (space) =>
        backlogOf(store, space, (position) => port(space.platform)?.timeOf(position)),
      revive: async (space) => {
        const revived = await reviveDead(writer, space);
        for (const lane of revived) lanes.wake(lane);
        return revived.length;
      },
    },
    forgot: async ({ platform, id }) => {
      talk.forget({ authorId: id });
      // What was made of it before is not posted: whoever prepares it anew asks the person's choice.
      for (const ref of await inbox.openBy({ platform, id })) lanes.interrupt(ref);
      for (const lane of await inbox.lanes(platform)) lanes.wake(lane);
      await TRUNCATE_JOURNAL.execute(store);
    },
    idle: async () => {
      await resuming;
      await catchUp.idle();
      await lanes.idle();
      await writer.idle();
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing);
      clearInterval(clearing);
      await catchUp[Symbol.asyncDispose]();
      await lanes[Symbol.asyncDispose]();
      await cursors[Symbol.asyncDispose]();
      await writer.idle();
    },
  };
};
