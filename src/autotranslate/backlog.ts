import { DAY_MS } from '../async/clock.ts';
import {
  channelAround,
  channelKey,
  isSameChannel,
  keyOf,
  type Channel,
  type Space,
} from '../model/place.ts';
import { usedLanguages, type ChannelWatch } from '../model/space.ts';
import type { HistoryGaps } from '../store/channels/histories.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { flaggedLanguage, isFor, lateIn as lateTo, latePartition } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import {
  backlogOf,
  retryAll,
  refusedIn,
  reviveRefused,
  type Backlog,
  type Inbox,
} from '../store/inbox/backlog.ts';
import type { Outages } from './outages/outage.ts';
import type { RecognitionOutages } from './outages/recognition.ts';
import type { Scheduler } from './scheduler.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Greatest age of forbidden mirrors that are still posted when the bot may do so. */
const REVIVED_MS = DAY_MS;

export interface BacklogDeps {
  readonly store: Store;
  readonly watches: Pick<WatchStore, 'of' | 'list' | 'group'>;
  readonly gaps: Pick<HistoryGaps, 'of'>;
  readonly inbox: Pick<InboxStore, 'waitingIn'>;
  readonly outages: Pick<Outages, 'among'>;
  readonly recognitions: Pick<RecognitionOutages, 'reasonOf'>;
  readonly scheduler: Pick<Scheduler, 'wake'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly now: () => number;
}

/** The partition of the messages that wait for a channel of a group. */
const lateOf = (group: string, { channel }: ChannelWatch): string =>
  latePartition(group, channelKey(channel));

/** Creates the functions that report what waits or failed in a space, and try it again. */
export const createBacklog = (deps: BacklogDeps) => {
  const { store, watches, gaps, inbox, outages, recognitions, scheduler, platforms, now } = deps;
  const wakeAll = (partitions: readonly string[]): void =>
    new Set(partitions).forEach(scheduler.wake);

  /** The places of a channel's mirrors in a space, with what each lacks; undefined where that is not known. */
  const placesIn = async (space: Space, source: Channel, isFlag = false) => {
    const watch = watches.of(source);
    const around = channelAround(source);
    const targets =
      watch?.group === undefined || isFlag
        ? [source]
        : watches
            .group(watch)
            .map(({ channel }) => channel)
            .filter((channel) => !isSameChannel(channel, around));
    const places = targets
      .filter((channel) => keyOf(channel.space) === keyOf(space))
      .map(async (channel) => {
        const mode = isFlag ? 'reply' : (watch?.mode ?? 'reply');
        const missing = platforms.find(channel)?.feed.missing(channel, mode, watch?.below);
        return { channel, permissions: await missing?.catch(() => undefined) };
      });
    return Promise.all(places);
  };

  const lacksOf = async (source: Channel) =>
    (await placesIn(source.space, source)).flatMap(({ channel, permissions = [] }) =>
      permissions.length > 0 ? [{ channel, permissions }] : [],
    );

  /** Retries what a space refused of messages from one space, where it may take it now. */
  const retryRefused = async (of: Space, space: Space): Promise<void> => {
    const from = platforms.find({ space: of })?.feed.positionAt(now() - REVIVED_MS);
    if (from === undefined) return;
    for (const refused of await refusedIn(store, of, from)) {
      const { channel: source, purpose } = refused;
      const to = lateTo(purpose);
      const isFlag = flaggedLanguage(purpose) !== undefined;
      const open = (await placesIn(space, source, isFlag)).flatMap(({ channel, permissions }) =>
        permissions?.length === 0 && isFor({ to }, channel) ? [channel] : [],
      );
      if (open.length > 0) wakeAll(await reviveRefused(store, refused, from, open));
    }
  };

  /** Lists the late channels of the groups of a space's channels. */
  const lateIn = async (watched: readonly ChannelWatch[]): Promise<Backlog['late']> => {
    const linked = new Map(
      watched.flatMap((watch) =>
        watch.group === undefined ? [] : [[watch.group, watches.group(watch)] as const],
      ),
    );
    const all = [...linked].flatMap(([group, members]) =>
      members.map((each) => ({ ...each, partition: lateOf(group, each) })),
    );
    const counts = await inbox.waitingIn(all.map(({ partition }) => partition));
    return all.flatMap(({ channel, languages: [language = ''], partition }) => {
      const waiting = counts.get(partition) ?? 0;
      const platform = platforms.find(channel)?.title ?? channel.space.platform;
      return waiting > 0 ? [{ platform, language, waiting }] : [];
    });
  };

  return {
    /** Retries what was forbidden in a space: of its own messages, and of those from linked channels. */
    accessChanged: async (space: Space): Promise<void> => {
      const linked = watches.list(space).flatMap(watches.group);
      const spaces = [space, ...linked.map(({ channel }) => channel.space)];
      for (const each of new Map(spaces.map((one) => [keyOf(one), one])).values())
        await retryRefused(each, space);
    },
    inbox: {
      backlog: async (space) => {
        const timeOf = (at: string) => platforms.find({ space })?.feed.timeOf(at);
        const { newestDead, ...backlog } = await backlogOf(store, space, timeOf, now());
        const explained = newestDead.map(async (dead) => {
          const { channel } = dead.ref;
          const link = platforms.find(channel)?.feed.link?.(dead.ref);
          const isForbidden = /^reasons\.(?:forbidden|lost)$/.test(dead.reason.key);
          return {
            ...dead,
            ...(link ? { link } : {}),
            ...(isForbidden ? { lacks: await lacksOf(channel) } : {}),
          };
        });
        const watched = watches.list(space);
        const all = [...watched, ...watched.flatMap(watches.group)];
        return {
          ...backlog,
          gaps: await gaps.of(space),
          late: await lateIn(watched),
          newestDead: await Promise.all(explained),
          recordingsWait: await recognitions.reasonOf(space),
          outage: await outages.among(all.flatMap(usedLanguages), space),
        };
      },
      revive: async (space) => {
        const retried = await retryAll(store, space);
        wakeAll(retried);
        return retried.length;
      },
    } satisfies Inbox,
  };
};
