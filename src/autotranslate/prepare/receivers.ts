import { channelAround, channelKey, type Channel } from '../../model/place.ts';
import type { Message } from '../../model/message.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import { keptOutFor, type MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { groupOf, isFor, isOfQuote, pausePartition, type Row } from '../../store/inbox/row.ts';
import type { Bars } from '../bars.ts';
import type { LateTargets } from '../mirror/late-targets.ts';
import { cutOffAt } from '../paused-edits.ts';
import { claimsAudio, type SkipReason } from '../policy.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { Floods } from './floods.ts';
import type { LinkedConversation, LinkedThreads } from './linked-threads.ts';
import type { KeptOut, Place, Places, Prepared } from './prepared.ts';

export interface ReceiversDeps {
  readonly watches: Pick<WatchStore, 'of' | 'isOwn' | 'group' | 'joinedMs'>;
  readonly stored: Pick<MirrorStore, 'of'>;
  readonly places: Pick<Places, 'of'>;
  readonly linkedThreads: LinkedThreads;
  readonly platforms: Pick<WatchedPlatforms, 'of' | 'find'>;
  readonly bars: Bars;
  readonly floods: Pick<Floods, 'within'>;
  readonly late: Pick<LateTargets, 'isLate'>;
  readonly inbox: Pick<InboxStore, 'waitsFor'>;
}

export interface Receivers {
  /** The places for which it is prepared now. */
  readonly open: readonly Place[];
  /** Keys of the channels for which it waits behind others. */
  readonly late: readonly string[];
  /** True of a channel, by its key, whose copy stays as it is: it takes nothing from here now. */
  readonly keeps: (key: string) => boolean;
  readonly keptOut: readonly KeptOut[];
  readonly paused?: Prepared['paused'];
}

/** The reason for which a message is shown in no place. */
export interface Refused extends Pick<Receivers, 'keeps' | 'keptOut' | 'paused'> {
  readonly skip: SkipReason;
}

const refused = (skip: SkipReason): Refused => ({ skip, keeps: () => false, keptOut: [] });

/** Reasons for which a channel keeps a message out for good. */
const KEEPING_OUT: ReadonlySet<SkipReason> = new Set(['muted', 'paused', 'unagreed']);

/** Creates the function that finds who receives a message. */
export const createReceivers = (deps: ReceiversDeps) => {
  const { watches, places, linkedThreads, platforms } = deps;

  /** Reads, of a message that was handled before, where it has copies, where it may have none, and where it waits in its own channel. */
  const knownCopies = async (row: Row, isLinked: boolean) => {
    const isKnown = row.revision > 1 || row.isMissed || row.mayExist;
    const copied = new Set<string>();
    const shut = new Map<string, SkipReason>();
    for (const copy of isKnown ? await deps.stored.of(row) : []) {
      const reason = keptOutFor(copy);
      // A copy in a thread is one in its channel.
      for (const one of [copy.target.channel, channelAround(copy.target.channel)])
        if (reason === undefined) copied.add(channelKey(one));
        else shut.set(channelKey(one), reason as SkipReason);
    }
    const isAhead = isLinked || row.to !== undefined || copied.size === 0;
    return { copied, shut, waits: isAhead ? [] : await deps.inbox.waitsFor(row.ref) };
  };

  /**
   * The reason for which a linked channel, or the own one, takes nothing of a message; undefined where it does. What was kept
   * out when it was written comes by no later edit, nor what is of before the link: people did not write it for that channel.
   * What was edited in a pause changes a copy or translation that stands there once that is over.
   */
  const reasonAgainst = (
    { row, watch, writtenMs }: { row: Row; watch: ChannelWatch; writtenMs: number },
    { copied, shut, waits }: Awaited<ReturnType<typeof knownCopies>>,
    paused: Map<string, { to: string; partition: string }>,
    { channel }: Place,
  ): SkipReason | undefined => {
    const key = channelKey(channel);
    const isCopied = copied.has(key);
    const from = row.ref.channel;
    const to = watches.of(channel) ?? watch;
    const group = watches.group(to);
    const written = cutOffAt(watch, from, to, group, writtenMs);
    if (written) return written;
    // By an edit of what stands, words would come in all the same.
    const isEdit = row.revision > 1 || isCopied;
    // Of one that was begun before, the time of its edit is not known.
    const editedMs = row.revision > 1 && row.mayExist ? undefined : row.sinceMs;
    const edited = isEdit ? cutOffAt(watch, from, to, group, editedMs) : undefined;
    if (edited && (!isCopied || edited === 'unagreed')) return edited;
    // Of a thread, the channel that is linked.
    const own = watches.isOwn(from) ? from : channelAround(from);
    // Of the mutes, only the last is known.
    const isUpdate = isCopied && row.revision > 1;
    const cutOff = edited || isUpdate ? cutOffAt(watch, own, to, group) : undefined;
    // In its own channel nothing else keeps it from taking the place of a later edit.
    const now = cutOff ?? (waits.includes(key) ? 'paused' : undefined);
    const partition = pausePartition(watch.group ?? '', channelKey(own), key);
    if (now && now !== 'unagreed' && !isOfQuote(row)) paused.set(key, { to: key, partition });
    if (now) return now;
    if (watch.mode !== 'mirror') return undefined;
    const isEarlier = writtenMs < Math.max(...[watch, to].map(watches.joinedMs));
    if ((row.revision > 1 || row.isMissed) && isEarlier && !isCopied) return 'before-link';
    return shut.get(key);
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
  ): Promise<Receivers | Refused> => {
    const within = thread && {
      isShownIn: (to: Channel) => linkedThreads.isShownIn(thread, to),
      target: async (to: ChannelWatch) => linkedThreads.target(thread, { row, to }, held),
    };
    const isLinked = watch.mode === 'mirror';
    const standing = places.of(watch, held.tenure, within);
    if (isLinked && thread && standing.length === 0) return refused('thread-gone');
    const linked = await reachable(standing, watch, thread);
    if (isLinked && linked.length === 0) return refused(thread ? 'threads-refused' : 'posts-only');
    const writtenMs = platforms.of(message.ref.channel).feed.timeOf(message.position);
    const known = await knownCopies(row, isLinked);
    const keptOut: KeptOut[] = [];
    const pausedTo = new Map<string, { to: string; partition: string }>();
    /** Has a channel keep a message out for good, unless it has a copy that stays. */
    const keepOut = ({ channel }: Place, reason: SkipReason, isRemoved = false): void => {
      const isCopied = known.copied.has(channelKey(channel)) && !isRemoved;
      if (isLinked && !isCopied && !isOfQuote(row)) keptOut.push({ channel, reason });
    };
    const reasons: SkipReason[] = [];
    const taking = linked.filter((place) => {
      if (!isFor(row, place.channel)) return false;
      const reason = reasonAgainst({ row, watch, writtenMs }, known, pausedTo, place);
      if (reason !== undefined) reasons.push(reason);
      if (reason !== undefined && KEEPING_OUT.has(reason)) keepOut(place, reason);
      return reason === undefined;
    });
    const keys = new Set(taking.map(({ channel: to }) => channelKey(to)));
    const paused = [...pausedTo.values()];
    const { channel } = message.ref;
    const own = channelKey(watches.isOwn(channel) ? channel : channelAround(channel));
    // Copies of a former link stay.
    const keeps = (key: string): boolean => (isLinked ? !keys.has(key) : key !== own);
    const kept = { keeps, keptOut, paused };
    if (row.to !== undefined && !linked.some((place) => isFor(row, place.channel)))
      return { skip: 'not-watched', ...kept };
    const [first] = reasons;
    if (first !== undefined && !(isLinked && row.to) && taking.length === 0)
      return { skip: reasons.includes('before-link') ? 'before-link' : first, ...kept };
    const allowed = await notBarred(message, taking);
    for (const place of taking) if (!allowed.includes(place)) keepOut(place, 'blocked', true);
    if (taking.length > 0 && allowed.length === 0) return { skip: 'blocked', ...kept };
    const mayStand = row.mayExist || row.to !== undefined;
    const all = deps.floods.within(message, watch, allowed, mayStand);
    for (const place of allowed) if (!all.includes(place)) keepOut(place, 'flood');
    if (allowed.length > 0 && all.length === 0) return { skip: 'flood', ...kept };
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
    return { open: isHeard ? all : inTime, late, ...kept };
  };
};
