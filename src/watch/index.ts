import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Platform } from '../platform.ts';
import type { ChannelWatch, Inbox, Services, Watches } from '../services.ts';
import { createCopyStore } from '../store/copies.ts';
import { createCursorStore } from '../store/cursors.ts';
import { backlogOf, clearOld, reviveDead } from '../store/inbox/backlog.ts';
import { createInboxStore, type Row } from '../store/inbox/index.ts';
import type { Store } from '../store/index.ts';
import { openWatchStore } from '../store/watches.ts';
import { createWriter } from '../store/writer.ts';
import { createCatchUp } from './catch-up.ts';
import { deliver } from './deliver.ts';
import { createLanes } from './lanes.ts';
import { workLane } from './lane.ts';
import type { Watcher, WatchPort } from './port.ts';
import { createPlanner } from './planner.ts';
import { createTake, createWatcher } from './watcher.ts';

/** A lease outlives several renewals, so that a busy moment loses none. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
const CLEAR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface WatchingParts {
  readonly store: Store;
  readonly log: Log;
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
  /** Resolves when nothing is left to do that is due. */
  idle(): Promise<void>;
}

export const openWatching = async ({
  store,
  log,
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

  const planner = createPlanner({
    services,
    watches: watchStore,
    progress: { copies, writer, log, now },
    portOf,
  });

  const lanes = createLanes({
    log,
    now,
    work: (lane, signal, working) =>
      workLane(
        {
          inbox,
          now,
          random,
          prepare: planner.prepare,
          deliver: async (batch, abort) => {
            const [first] = batch;
            if (!first) return;
            const held = await Promise.all(batch.map(({ row }) => inbox.holds(row)));
            const changed = held.indexOf(false);
            const ours = changed < 0 ? batch : batch.slice(0, changed);
            await deliver({ inbox, copies, writer, log }, portOf(first.row), ours, abort);
            if (changed >= 0) throw new AppError('cancelled', 'a message changed meanwhile');
          },
          bury: async (row, error) => {
            const { platform } = row.ref.channel.space;
            const fields = { platform, channel: row.ref.channel.id, message: row.ref.id };
            log.warn(
              { ...fields, code: error.code, reason: error.message },
              'a message is given up',
            );
            const reason = error.code;
            await writer.note((db) => inbox.settle(db, row, { state: 'dead', reason }));
          },
        },
        lane,
        signal,
        working,
      ),
  });

  const catchUp = createCatchUp({
    cursors,
    port,
    sinceMs: (channel) => {
      const watch = watchStore.of(channel);
      return watch ? watchStore.sinceMs(watch) : now();
    },
    take: (message) => take(message),
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
    port,
  };
  const take = createTake(parts);
  const watcher = createWatcher(parts, take);

  /** What waited while the platform was away, or this program. */
  const resume = async (platform: string): Promise<void> => {
    try {
      if (!resumed.has(platform)) await inbox.takeOver(platform);
      resumed.add(platform);
      for (const lane of await inbox.lanes(platform)) lanes.wake(lane);
    } catch (err) {
      log.error({ err, platform }, 'what waits in the inbox could not be resumed');
    }
  };

  const clear = (): void => {
    const rowsMs = now() - inboxDays * DAY_MS;
    const copiesMs = now() - copyDays * DAY_MS;
    clearOld(writer, { rowsMs, copiesMs }).catch((err: unknown) => {
      log.warn({ err }, 'old rows could not be cleared');
    });
  };
  const renewing = setInterval(() => {
    inbox.renew().catch((err: unknown) => log.warn({ err }, 'leases could not be renewed'));
  }, RENEW_MS).unref();
  const clearing = setInterval(clear, CLEAR_MS).unref();
  clear();

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
        for (const { channel } of wanted) if (!watchStore.of(channel)) catchUp.fresh(channel);
        await watchStore.set(wanted);
      },
      remove: async (channel) => {
        const watch = watchStore.of(channel);
        if (!watch || watch.channel.id !== channel.id) return false;
        await watchStore.remove([channel]);
        await inbox.abandon(channel, 'not-watched');
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
