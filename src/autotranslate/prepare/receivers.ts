import { channelAround, channelKey, type Channel } from '../../model/place.ts';
import type { Message } from '../../model/message.ts';
import { isCutOff, isKeptOut, type ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
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
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'joinedMs'>;
  readonly stored: Pick<MirrorStore, 'of'>;
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
  /** True of a channel, by its key, whose copy stays as it is: it takes nothing from here now. */
  readonly keeps: (key: string) => boolean;
}

/** Creates the function that finds who receives a message. */
export const createReceivers = (deps: ReceiversDeps) => {
  const { watches, places, linkedThreads, platforms } = deps;

  /**
   * The places that take an edit: of a message from before the link those alone where a copy stands, as what people wrote
   * then was not meant for the others.
   */
  const sinceLink = async (
    row: Row,
    watch: ChannelWatch,
    writtenMs: number,
    among: readonly Place[],
  ): Promise<readonly Place[]> => {
    const joinedMs = ({ channel }: Place): number =>
      Math.max(...[watch, watches.of(channel) ?? watch].map(watches.joinedMs));
    const isEarlier = (place: Place): boolean => writtenMs < joinedMs(place);
    if ((row.revision === 1 && !row.isMissed) || !among.some(isEarlier)) return among;
    // A copy in a thread is one in its channel.
    const copies = (await deps.stored.of(row)).flatMap(({ target: { channel } }) =>
      [channel, channelAround(channel)].map(channelKey),
    );
    return among.filter((place) => !isEarlier(place) || copies.includes(channelKey(place.channel)));
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
    const writtenMs = platforms.of(message.ref.channel).feed.timeOf(message.position);
    const { channel: from } = message.ref;
    const open = linked.filter(({ channel }) => {
      const to = watches.of(channel) ?? watch;
      const group = watches.group(to);
      const isShut = isKeptOut(from, to, group, writtenMs);
      // By an edit of what stands, words would come in all the same.
      const isEdit = row.revision > 1;
      return isFor(row, channel) && !isShut && !(isEdit && isCutOff(from, to, group, row.sinceMs));
    });
    if (isLinked && row.to === undefined && open.length === 0) return 'muted';
    const taking = isLinked ? await sinceLink(row, watch, writtenMs, open) : open;
    if (isLinked && row.to === undefined && taking.length === 0) return 'before-link';
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
    const keys = new Set(taking.map(({ channel: to }) => channelKey(to)));
    return { open: isHeard ? all : inTime, late, keeps: (key) => !keys.has(key) };
  };
};
