import type { Channel, Space } from '../model.ts';
import type { ChannelWatch } from '../services.ts';
import type { WatchMode } from '../watch/port.ts';
import type { Store } from './index.ts';
import type { Writer } from './writer.ts';

const idOf = (platform: string, channelId: string): string => JSON.stringify([platform, channelId]);

export interface WatchStore {
  readonly of: (channel: Channel) => ChannelWatch | undefined;
  /** Whether the watch of a channel is its own, and not that of the channel of a thread. */
  readonly isOwn: (channel: Channel) => boolean;
  readonly list: (space: Space) => readonly ChannelWatch[];
  /** The channels that are copied into each other with this one, itself included. */
  group(watch: ChannelWatch): readonly ChannelWatch[];
  inGroup(group: string): readonly ChannelWatch[];
  set(watches: readonly ChannelWatch[]): Promise<void>;
  remove(channels: readonly Channel[]): Promise<void>;
  /** When the watch was set, ms since 1970. */
  sinceMs(watch: ChannelWatch): number;
}

interface Kept {
  readonly watch: ChannelWatch;
  readonly sinceMs: number;
}

/** All watches, in memory: each message that comes is looked up here. */
export const openWatchStore = async (
  store: Store,
  writer: Writer,
  now: () => number,
): Promise<WatchStore> => {
  const rows = await store.selectFrom('channel_watch').selectAll().orderBy('since_ms').execute();
  const watches = new Map<string, Kept>(
    rows.map((row) => [
      idOf(row.platform, row.channel_id),
      {
        sinceMs: row.since_ms,
        watch: {
          channel: {
            space: { platform: row.platform, id: row.space_id },
            id: row.channel_id,
            ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
          },
          mode: row.mode as WatchMode,
          languages: JSON.parse(row.languages) as string[],
          ...(row.group_id === null ? {} : { group: row.group_id }),
          transcribes: row.transcribes === 1,
          bots: row.bots === 1,
        },
      },
    ]),
  );
  const all = (): ChannelWatch[] => [...watches.values()].map(({ watch }) => watch);
  let groups = Map.groupBy(all(), ({ group }) => group);
  /** A channel that is said to be in another space than it was is nobody's. */
  const exact = ({ space }: Channel, id: string): ChannelWatch | undefined => {
    const watch = watches.get(idOf(space.platform, id))?.watch;
    return watch?.channel.space.id === space.id ? watch : undefined;
  };

  return {
    of: (channel) => {
      const own = exact(channel, channel.id);
      if (own || channel.parentId === undefined) return own;
      const above = exact(channel, channel.parentId);
      return above?.mode === 'reply' ? { ...above, channel } : undefined;
    },
    isOwn: (channel) => exact(channel, channel.id) !== undefined,
    list: ({ platform, id }) =>
      all().filter(({ channel: { space } }) => space.platform === platform && space.id === id),
    inGroup: (group) => groups.get(group) ?? [],
    group: ({ group }) => (group === undefined ? [] : (groups.get(group) ?? [])),
    set: async (changed) => {
      const sinceMs = now();
      await writer.write(async (db) => {
        for (const { channel, mode, languages, group, transcribes, bots } of changed) {
          const how = {
            space_id: channel.space.id,
            mode,
            languages: JSON.stringify(languages),
            group_id: group ?? null,
            transcribes: Number(transcribes),
            bots: Number(bots),
          };
          await db
            .insertInto('channel_watch')
            .values({
              platform: channel.space.platform,
              channel_id: channel.id,
              parent_id: channel.parentId ?? null,
              ...how,
              since_ms: sinceMs,
            })
            .onConflict((conflict) => conflict.columns(['platform', 'channel_id']).doUpdateSet(how))
            .execute();
        }
      });
      for (const watch of changed) {
        const id = idOf(watch.channel.space.platform, watch.channel.id);
        watches.set(id, { watch, sinceMs: watches.get(id)?.sinceMs ?? sinceMs });
      }
      groups = Map.groupBy(all(), ({ group }) => group);
    },
    remove: async (channels) => {
      await writer.write(async (db) => {
        for (const { space, id } of channels)
          for (const table of ['channel_watch', 'channel_cursor'] as const)
            await db
              .deleteFrom(table)
              .where('platform', '=', space.platform)
              .where('channel_id', '=', id)
              .execute();
      });
      for (const { space, id } of channels) watches.delete(idOf(space.platform, id));
      groups = Map.groupBy(all(), ({ group }) => group);
    },
    sinceMs: ({ channel }) =>
      (
        watches.get(idOf(channel.space.platform, channel.id)) ??
        watches.get(idOf(channel.space.platform, channel.parentId ?? ''))
      )?.sinceMs ?? now(),
  };
};
