import { channelKey, type Channel } from '../../model/place.ts';
import type { Message } from '../../model/message.ts';
import { isKeptOut, type ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { groupOf, isFor, type Row } from '../../store/inbox/row.ts';
import type { Bars } from '../bars.ts';
import type { LateTargets } from '../mirror/late-targets.ts';
import { claimsAudio, type SkipReason } from '../policy.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { Floods } from './floods.ts';
import type { LinkedConversation, LinkedThreads } from './linked-threads.ts';
import type { Place, Places } from './prepared.ts';

export interface ReceiversDeps {
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly places: Pick<Places, 'of'>;
  readonly linkedThreads: LinkedThreads;
  readonly platforms: Pick<WatchedPlatforms, 'of' | 'find'>;
  readonly bars: Bars;
  readonly floods: Pick<Floods, 'within'>;
  readonly late: Pick<LateTargets, 'isLate'>;
  readonly inbox: Pick<InboxStore, 'waitsFor'>;
}

/** The places in which a message is shown. */
export interface Receivers {
  /** The places for which it is prepared now. */
  readonly open: readonly Place[];
  /** Keys of the channels for which it waits behind others. */
  readonly late: readonly string[];
}

/** Creates the function that finds who receives a message. */
export const createReceivers = (deps: ReceiversDeps) => {
  const { watches, places, linkedThreads, platforms } = deps;

  /** True where what was written then in the message's channel is shown in the channel of a watch. */
  const takesFrom = (to: ChannelWatch, message: Message): boolean => {
    const { ref, position } = message;
    const writtenMs = platforms.of(ref.channel).feed.timeOf(position);
    return !isKeptOut(ref.channel, to, watches.group(to), writtenMs);
  };

  /** The places whose space lets the author of a message be shown there. */
  const notBarred = async (
    message: Message,
    among: readonly Place[],
  ): Promise<readonly Place[]> => {
    const barred = await Promise.all(
      among.map(({ channel }) => deps.bars.isBarred(message, channel)),
    );
    return among.filter((_, index) => !barred[index]);
  };

  /**
   * The places of a message that can take it: outside of a thread, a forum takes none; in a thread, a channel in which
   * none may be begun.
   */
  const reachable = async (
    all: readonly Place[],
    { mode }: ChannelWatch,
    thread: LinkedConversation | undefined,
  ): Promise<readonly Place[]> => {
    if (mode !== 'mirror') return all;
    const takes = async ({ channel }: Place): Promise<boolean> => {
      const feed = platforms.find(channel)?.feed;
      if (!thread) return !((await feed?.holdsPosts?.(channel)) ?? false);
      return (
        linkedThreads.isBegun(thread, channel) || ((await feed?.mayBeginThreads?.(channel)) ?? true)
      );
    };
    const taking = await Promise.all(all.map(takes));
    return all.filter((_, at) => taking[at]);
  };

  /** The keys of the channels for which a message has to wait behind others. */
  const lateFor = async (
    { ref, partition, to }: Row,
    { group }: ChannelWatch,
    among: readonly Place[],
    tenure: Tenure,
  ): Promise<readonly string[]> => {
    if (group === undefined || to !== undefined) return [];
    // In a partition of its own, nothing overtakes it but what waits of itself.
    if (!groupOf(partition)) return deps.inbox.waitsFor(ref);
    const keys = among.map(({ channel }) => channelKey(channel));
    return keys.filter((key) => deps.late.isLate(group, key, tenure));
  };

  /** The places of a message of a watch, or the reason why it has none. */
  return async (
    row: Row,
    message: Message,
    {
      watch,
      thread,
    }: { readonly watch: ChannelWatch; readonly thread: LinkedConversation | undefined },
    held: { readonly tenure: Tenure; readonly signal: AbortSignal },
  ): Promise<Receivers | SkipReason> => {
    const within = thread && {
      isShownIn: (to: Channel) => linkedThreads.isShownIn(thread, to),
      target: async (to: ChannelWatch) => linkedThreads.target(thread, { row, to }, held),
    };
    const isLinked = watch.mode === 'mirror';
    const standing = places.of(watch, held.tenure, within);
    if (isLinked && thread && standing.length === 0) return 'thread-gone';
    const linked = await reachable(standing, watch, thread);
    if (isLinked && linked.length === 0) return thread ? 'threads-refused' : 'posts-only';
    const taking = linked.filter(
      ({ channel: to }) => isFor(row, to) && takesFrom(watches.of(to) ?? watch, message),
    );
    if (isLinked && row.to === undefined && taking.length === 0) return 'muted';
    const allowed = await notBarred(message, taking);
    if (taking.length > 0 && allowed.length === 0) return 'blocked';
    const mayStand = row.mayExist || row.to !== undefined;
    const all = deps.floods.within(message, watch, allowed, mayStand);
    if (allowed.length > 0 && all.length === 0) return 'flood';
    const late = await lateFor(row, watch, all, held.tenure);
    const inTime = all.filter(({ channel: to }) => !late.includes(channelKey(to)));
    if (thread)
      await linkedThreads.demandTurn(
        thread,
        row,
        inTime.map(({ channel: to }) => to),
      );
    // What is heard of a recording is not heard again for them.
    const isHeard = watch.transcribes && message.files.some(claimsAudio);
    return { open: isHeard ? all : inTime, late };
  };
};
