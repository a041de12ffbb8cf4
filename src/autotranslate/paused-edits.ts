import { channelKey, type Channel } from '../model/place.ts';
import { cutOffBetween, isPaused, type ChannelWatch } from '../model/space.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { pausedIn } from '../store/inbox/row.ts';

/**
 * The reason for which a linked channel takes nothing of a watched one, or of a thread of that; undefined where it does.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const cutOffAt = (
  watch: ChannelWatch,
  ...[from, to, group, atMs]: [Channel, ChannelWatch, readonly ChannelWatch[], atMs?: number]
): 'paused' | 'muted' | 'unagreed' | undefined => {
  if (isPaused(watch, atMs)) return 'paused';
  const way = cutOffBetween(from, to, group, atMs);
  return way === undefined || way === 'unagreed' ? way : 'muted';
};

/**
 * True of a partition of edits that wait for the end of a pause. A link that ended, or is not agreed to any more, is none, nor
 * is auto-translate that was turned off.
 */
export const isOnPause = (
  partition: string,
  watches: Pick<WatchStore, 'inGroup' | 'withKey'>,
): boolean => {
  const between = pausedIn(partition);
  if (between?.group === '') return isPaused(watches.withKey(between.from) ?? {});
  const group = watches.inGroup(between?.group);
  const [watch, to] = [between?.from, between?.to].map((key) =>
    group.find(({ channel }) => channelKey(channel) === key),
  );
  const reason = watch && to && cutOffAt(watch, watch.channel, to, group);
  return reason === 'paused' || reason === 'muted';
};
