import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Texts } from '../i18n.ts';
import type { Log } from '../log.ts';
import type { Member } from '../model/member.ts';
import type { Message } from '../model/message.ts';
import type { Platform } from '../ports/platform.ts';
import type { Inbox } from './backlog.ts';
import type { Services } from '../command/services.ts';
import type { Watches } from '../model/watch.ts';
import { createWatches } from './watches.ts';
import { createMirrorStore } from '../store/mirrors.ts';
import { createCursorStore } from '../store/cursors.ts';
import { clearOld } from '../store/clear-old.ts';
import { openOf } from '../store/inbox/authors.ts';
import { backlogOf, reviveDead } from '../store/inbox/backlog.ts';
import { createInboxStore } from '../store/inbox/index.ts';
import type { Row } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import { openWatchStore } from '../store/watches.ts';
import { authorsOf } from './authors.ts';
import { DAY_MS, HOUR_MS } from '../async/time.ts';
import { createBackfill } from './backfill.ts';
import { createDelivery } from './delivery.ts';
import { createScheduler } from './scheduler.ts';
import { workPartition } from './partition-worker.ts';
import type { Watcher, WatchPort } from '../ports/channel-feed.ts';
import { createTranslationContext } from './context.ts';
import { createPlanner } from './planner.ts';
import { createIngest, createWatcher } from './ingest.ts';

/** A lease outlives several renewals, so that a busy moment loses none. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
/** As far back as `/usage` shows. */
const USAGE_DAYS = 90;

export interface AutoTranslateDeps {
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
export interface AutoTranslate extends AsyncDisposable {
  readonly watcher: Watcher;
  readonly watches: Watches;
  readonly inbox: Inbox;
  /** Serves the watched channels of a platform, where it has such, once it tells what it missed. */
  attach(platform: Platform): void;
  /** Somebody opted out, or is to be forgotten: what is held of them in memory goes too. */
  forget(person: Pick<Member, 'platform' | 'id'>): Promise<void>;
  /** Ids of those whose words a message holds, as `authorsOf` tells them. */
  authorsOf(message: Message): Promise<readonly string[]>;
  /** Resolves when nothing is left to do that is due. */
  idle(): Promise<void>;
}

export const openAutoTranslate = async ({
  store,
  log,
  texts,
  services,
  inboxDays,
  copyDays,
  now = Date.now,
  random = Math.random,
}: AutoTranslateDeps): Promise<AutoTranslate> => {
  const { spaces, privacy } = services;
  const inbox = createInboxStore({ store, owner: randomUUID(), now, leaseMs: LEASE_MS });
  const copies = createMirrorStore(store, now);
  const cursors = createCursorStore(store, (err) => {
    log.warn({ err }, 'cursors could not be kept');
  });
  const watchStore = await openWatchStore(store, now);
  const resumed = new Set<string>();
  let resuming: Promise<void> | undefined;
  const ports = new Map<string, WatchPort>();
  const port = (platform: string): WatchPort | undefined => ports.get(platform);

  const portOf = (row: Row): WatchPort => {
    const found = ports.get(row.ref.channel.space.platform);
    if (!found) throw new AppError('unavailable', 'the platform is off', { retryable: true });
    return found;
  };

  const talk = createTranslationContext();
  const planner = createPlanner({
    services,
    watches: watchStore,
    texts,
    talk,
    progress: { copies, store, log, now },
    portOf,
  });

  const delivery = createDelivery({
    inbox,
    copies,
    store,
    privacy,
    log,
    now,
    portOf,
    isWanted: planner.isWanted,
  });
  const laneParts = { inbox, log, now, random, prepare: planner.prepare, ...delivery };
  const lanes = createScheduler({
    log,
    now,
    work: (...lane) => workPartition(laneParts, ...lane),
  });

  const catchUp = createBackfill({
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
  const ago = (days: number): number => now() - days * DAY_MS;
  const watches = createWatches({ kept: watchStore, inbox, cursors, catchUp, lanes, now, port });
  const parts = {
    inbox,
    copies,
    cursors,
    watches: watchStore,
    channelGone: watches.channelGone,
    spaces,
    privacy,
    lanes,
    catchUp,
    talk,
    port,
    // A day less than rows are kept, so that none is cleared between a look at it and the next.
    remembersFromMs: () => ago(inboxDays - 1),
  };
  const take = createIngest(parts);
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

  const clear = async (): Promise<void> => {
    const rowsMs = ago(inboxDays);
    try {
      await clearOld(store, { rowsMs, copiesMs: ago(copyDays), usageMs: ago(USAGE_DAYS) });
      for (const [platform, from] of ports) await cursors.clear(platform, from.positionAt(rowsMs));
    } catch (err) {
      log.warn({ err }, 'old rows could not be cleared');
    }
  };
  let cleared = clear();
  const renewing = setInterval(() => {
    inbox.renew().catch((err: unknown) => log.warn({ err }, 'leases could not be renewed'));
  }, RENEW_MS).unref();
  const clearing = setInterval(() => {
    cleared = clear();
  }, HOUR_MS).unref();

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
    watches,
    inbox: {
      backlog: (space) =>
        backlogOf(store, space, (position) => port(space.platform)?.timeOf(position)),
      revive: async (space) => {
        const revived = await reviveDead(store, space);
        for (const lane of revived) lanes.wake(lane);
        return revived.length;
      },
    },
    forget: async (person) => {
      talk.forget({ authorId: person.id });
      planner.forget(person.id);
      // What is made anew asks for the person's choice again.
      for (const { ref, lane } of await openOf(store, person)) {
        lanes.interrupt(ref);
        lanes.wake(lane);
      }
      await store.checkpoint();
    },
    authorsOf: (message) => authorsOf(message, copies, port(message.ref.channel.space.platform)),
    idle: async () => {
      await resuming;
      await catchUp.idle();
      await lanes.idle();
      await store.written();
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(renewing);
      clearInterval(clearing);
      await catchUp[Symbol.asyncDispose]();
      await lanes[Symbol.asyncDispose]();
      await cursors[Symbol.asyncDispose]();
      await cleared;
      await store.written();
    },
  };
};
