import { userError } from '../../errors.ts';
import { channelKey, isSameChannel, keyOf, type Channel, type Space } from '../../model/place.ts';
import type { Changer, ChannelWatch } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { OwnWatches } from '../watches.ts';
import { spaceElsewhere } from './names.ts';
import type { createLinkNotices, LinkNoticeParams } from './notices.ts';

export interface PartingsDeps extends Pick<
  ReturnType<typeof createLinkNotices>,
  'tellLinks' | 'tellOff'
> {
  readonly watches: Pick<WatchStore, 'of' | 'isOwn'>;
  readonly own: Pick<OwnWatches, 'set' | 'remove'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  /** Lists the channels that are linked with a channel, itself included; none where it is alone. */
  readonly groupOf: (channel: Channel) => readonly ChannelWatch[];
}

/** Creates the test for the watch of a channel. */
export const isWatchOf =
  (channel: Channel) =>
  (watch: ChannelWatch): boolean =>
    isSameChannel(watch.channel, channel) && keyOf(watch.channel.space) === keyOf(channel.space);

/** Creates the changes by which channels leave others that they were linked with, and tells these. */
export const createPartings = (deps: PartingsDeps) => {
  const { watches, own, platforms, groupOf, tellLinks, tellOff } = deps;

  const find = (channel: Channel): ChannelWatch | undefined =>
    watches.isOwn(channel) ? watches.of(channel) : undefined;

  /** The channels that one is linked with. */
  const around = (channel: Channel): readonly ChannelWatch[] =>
    groupOf(channel).filter((each) => !isWatchOf(channel)(each));

  /**
   * Changes watches, and tells all others that are not linked with one of these any more, and these where they are set up
   * otherwise or a person ends them.
   *
   * @param cause what other spaces are told of it
   */
  const parting = async <Result>(
    channels: readonly Channel[],
    change: () => Promise<Result>,
    by?: Changer,
    cause: LinkNoticeParams['cause'] = by && 'changed',
  ): Promise<Result> => {
    const keys = new Set(channels.map(channelKey));
    const isTold = ({ channel }: ChannelWatch): boolean => keys.has(channelKey(channel));
    const linked = channels.flatMap((about) =>
      groupOf(about).flatMap((reader) => (isTold(reader) ? [] : [{ reader, about }])),
    );
    const formerly = channels.map((one) => ({ one, old: find(one), others: around(one) }));
    const result = await change();
    for (const { one, old, others } of formerly) {
      const reader = find(one) ?? (by && old);
      const left = others.map((each) => each.channel);
      const about = left.filter((each) => !groupOf(one).some(isWatchOf(each)));
      if (reader && about.length > 0)
        void tellLinks([reader], 'autotranslate.unlinked-here', about, by && { name: by.name });
    }
    const parted = linked.filter(
      ({ reader, about }) => !groupOf(reader.channel).some(isWatchOf(about)),
    );
    const byReader = Map.groupBy(parted, ({ reader }) => channelKey(reader.channel));
    for (const all of byReader.values()) {
      const readers = all.slice(0, 1).map(({ reader }) => reader);
      const about = all.map((each) => each.about);
      void tellLinks(readers, 'autotranslate.unlinked-here', about, cause && { cause });
    }
    return result;
  };

  const set = async (
    asked: readonly ChannelWatch[],
    claim?: Parameters<OwnWatches['set']>[1],
    by?: Changer,
  ): Promise<void> =>
    parting(
      asked.map(({ channel }) => channel),
      async () => own.set(asked, claim),
      by,
    );

  /**
   * Ends a watch, and tells the channel, and those elsewhere that were linked with it.
   *
   * @param group see `WatchStore.remove`
   * @param others all watches of the group, where they end with it
   */
  const end = async (
    channel: Channel,
    by?: Changer,
    group?: string,
    others: readonly ChannelWatch[] = [],
  ): Promise<boolean> => {
    const ended = find(channel);
    if (!ended) return false;
    const isLinked = around(channel).length > 0;
    const all = others.length > 0 ? others.map((each) => each.channel) : [channel];
    const gone = await parting(all, async () => own.remove(all, group), by, by && 'off');
    if (gone.length === 0) return false;
    if (!isLinked) tellOff(ended, by);
    return true;
  };

  /**
   * Tells all channels of a group what a space did with some of them.
   *
   * @param why see `LinkNoticeParams`
   */
  const tellGroup = async (
    group: readonly ChannelWatch[],
    channels: readonly Channel[],
    what: 'removed' | 'held' | 'unheld',
    by: Space,
    why?: LinkNoticeParams['why'],
  ): Promise<void> => {
    const params = { server: await spaceElsewhere(by, platforms), ...(why && { why }) };
    const became = why ? 'still-held' : what;
    const isMeant = (each: ChannelWatch): boolean => channels.some((one) => isWatchOf(one)(each));
    const others = group.filter((each) => !isMeant(each));
    void tellLinks(others, `autotranslate.${became}-elsewhere`, channels, params);
    const rest = others.map((each) => each.channel);
    void tellLinks(group.filter(isMeant), `autotranslate.${became}-here`, rest, params);
  };

  /**
   * Takes channels out of their group in the name of another space, and tells all channels of the group. Rejects with
   * `not-found` where all of them left it meanwhile.
   */
  const takeOut = async (channels: readonly [Channel, ...Channel[]], by: Space): Promise<void> => {
    const group = groupOf(channels[0]);
    const gone = group[0] ? await own.remove(channels, group[0].group) : [];
    if (gone.length === 0) throw userError('not-found', 'members.gone');
    await tellGroup(group, gone, 'removed', by);
  };

  return { parting, set, end, tellGroup, takeOut };
};
