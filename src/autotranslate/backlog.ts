import { DAY_MS } from '../async/clock.ts';
import { channelKey, isSameChannel, keyOf, type Channel, type Space } from '../model/place.ts';
import type { ChannelWatch } from '../model/space.ts';
import type { HistoryGaps } from '../store/channels/histories.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { latePartition } from '../store/inbox/row.ts';
import type { Store } from '../store/index.ts';
import {
  backlogOf,
  retryAll,
  reviveDead,
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

  /** Finds what the places of a channel's mirrors lack, as far as they are in its space. */
  const lacksOf = async (source: Channel) => {
    const watch = watches.of(source);
    const targets =
      watch?.group === undefined
        ? [source]
        : watches
            .group(watch)
            .map(({ channel }) => channel)
            .filter((channel) => !isSameChannel(channel, source));
    const lacks = targets
      .filter(({ space }) => keyOf(space) === keyOf(source.space))
      .map(async (channel) => {
        const missing = platforms
          .find(channel)
          ?.feed.missing(channel, watch?.mode ?? 'reply', watch?.below);
        return { channel, permissions: (await missing?.catch(() => [])) ?? [] };
      });
    return (await Promise.all(lacks)).filter(({ permissions }) => permissions.length > 0);
  };

  /** Lists the late channels of the groups of a space's channels. */
  const lateIn = async (watched: readonly ChannelWatch[]): Promise<Backlog['late']> => {
    const groups = new Map(watched.map((watch) => [watch.group, watches.group(watch)]));
    const all = [...groups].map(async ([group = '', members]) => {
      const counts = await inbox.waitingIn(members.map((each) => lateOf(group, each)));
      return members.flatMap((each) => {
        const waiting = counts.get(lateOf(group, each)) ?? 0;
        const platform = platforms.find(each.channel)?.title ?? each.channel.space.platform;
        return waiting > 0 ? [{ platform, language: each.languages[0] ?? '', waiting }] : [];
      });
    });
    return (await Promise.all(all)).flat();
  };

  return {
    /** Retries what was forbidden in a space, and mirrors in it of messages from linked channels. */
    accessChanged: async (space: Space): Promise<void> => {
      const linked = watches.list(space).flatMap(watches.group);
      const spaces = [space, ...linked.map(({ channel }) => channel.space)];
      for (const each of new Map(spaces.map((one) => [keyOf(one), one])).values()) {
        const from = platforms.find({ space: each })?.feed.positionAt(now() - REVIVED_MS);
        if (from !== undefined)
          wakeAll(await reviveDead(store, each, { reason: 'forbidden', from }));
      }
    },
    inbox: {
      backlog: async (space) => {
        const timeOf = (at: string) => platforms.find({ space })?.feed.timeOf(at);
        const { newestDead, ...backlog } = await backlogOf(store, space, timeOf, now());
        const explained = newestDead.map(async (dead) => {
          const { channel } = dead.ref;
          const link = platforms.find(channel)?.feed.link?.(dead.ref);
          const isForbidden = dead.reason.key === 'reasons.forbidden';
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
          outage: await outages.among(
            all.flatMap(({ languages }) => languages),
            space,
          ),
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
