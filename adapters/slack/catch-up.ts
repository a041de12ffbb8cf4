import type { Api } from './api.ts';
import { LEVEL, type CallPriority } from './rate-limiter.ts';
import { END, readHistory, readHistoryPage, THREADS_BACK_MS } from './history.ts';
import { positionAt, positionOf, timestampAt, writtenMsOf } from './ids.ts';
import type { RawSlackMessage } from './inbound/raw-message.ts';
import type { Installations, Installed } from './install/installations.ts';
import { type Clock, MINUTE_MS } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';

/** Longest time of reading more than one page of a channel where the app gets little history. */
const LONGEST_MS = 15 * MINUTE_MS;

export interface CatchUpDeps {
  readonly api: Api;
  readonly installations: Pick<Installations, 'known'>;
  readonly clock: Clock;
  /** Every wait is so many times shorter. */
  readonly speed: number;
}

/** Part of a history that was read. */
interface CaughtUp {
  /** Oldest first. */
  readonly messages: readonly RawSlackMessage[];
  /** Timestamps between which there is more, that was not read. */
  readonly unread: readonly { readonly after: string; readonly before: string }[];
}

const isLater = (ts: string | undefined, after: string): ts is string =>
  ts !== undefined && Number(ts) > Number(after);

const inOrder = (found: ReadonlyMap<string, RawSlackMessage>): readonly RawSlackMessage[] =>
  [...found.values()].toSorted((a, b) => Number(a.ts) - Number(b.ts));

const latestOf = ({ latest_reply: latest }: RawSlackMessage): number => Number(latest);

/** Says whether the replies under a message are the app's, by those of their authors whom Slack names. */
export const repliesOf = (
  { reply_users: users = [], reply_users_count: count }: RawSlackMessage,
  installed: Pick<Installed, 'botUserId' | 'botId'> | undefined,
): 'none' | 'some' | 'all' => {
  const ids: readonly (string | undefined)[] = [installed?.botUserId, installed?.botId];
  const ours = users.filter((id) => ids.includes(id)).length;
  if (ours === 0) return 'none';
  return ours === count ? 'all' : 'some';
};

/** Creates what reads the messages of a channel and of its threads after a timestamp. */
export const createCatchUp = ({ api, installations, clock, speed }: CatchUpDeps) => {
  /** True for the first message of a thread that has replies after a timestamp, which may be others' than the app's. */
  const hasNewReplies = (raw: RawSlackMessage, after: string, { space }: Channel): boolean => {
    return isLater(raw.latest_reply, after) && repliesOf(raw, installations.known(space)) !== 'all';
  };

  /** Yields what stands in the channel, oldest first, and then what stands in each thread, those with the latest replies first. */
  const readAll = async function* (
    channel: Channel,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<RawSlackMessage, void, void> {
    const found: RawSlackMessage[] = [];
    const threads: RawSlackMessage[] = [];
    const since = timestampAt(positionAt(writtenMsOf(positionOf(after)) - THREADS_BACK_MS));
    // Work on messages that are known already goes first.
    const reading = { priority: { level: LEVEL.background }, signal };
    for await (const raw of readHistory(api, channel, { ...reading, oldest: since })) {
      if (api.history.isLimited(channel.space))
        throw new AppError('rate-limited', 'Slack gives this app little history', {
          retryable: true,
        });
      if (hasNewReplies(raw, after, channel)) threads.push(raw);
      if (isLater(raw.ts, after)) found.push(raw);
      // The rest of the day, newest first, has nothing but the beginnings of threads.
      else yield* found.splice(0).toReversed();
    }
    yield* found.toReversed();
    for (const { ts: threadTs } of threads.toSorted((a, b) => latestOf(b) - latestOf(a)))
      for await (const reply of readHistory(api, channel, { ...reading, oldest: after, threadTs }))
        if (isLater(reply.ts, after) && reply.ts !== threadTs) yield reply;
  };

  /**
   * Reads the newest page first, and the others one a minute until it has taken too long. Channels
   * take turns: those of which less was read first, and of these the one with the latest message.
   */
  const readSparingly = async (
    channel: Channel,
    after: string,
    signal: AbortSignal,
  ): Promise<CaughtUp> => {
    const untilMs = clock.nowMs() + LONGEST_MS / speed;
    const isLate = (): boolean => clock.nowMs() > untilMs;
    const priorityOf = (read: number): CallPriority => ({
      level: LEVEL.background + read,
      rank: Number(after),
    });
    const found = new Map<string, RawSlackMessage>();
    const unread: { after: string; before: string }[] = [];

    let latest = END;
    for (let pages = 0; ; pages += 1) {
      const range = { oldest: after, latest };
      const options = { priority: priorityOf(pages), waitsForRateLimit: true, signal };
      const { messages, hasMore } = await readHistoryPage(api, channel, range, options);
      for (const raw of messages) found.set(raw.ts, raw);
      latest = messages.at(-1)?.ts ?? latest;
      if (!hasMore || messages.length === 0) break;
      if (!isLate()) continue;
      unread.push({ after, before: latest });
      break;
    }

    const threads = [...found.values()]
      .filter((raw) => hasNewReplies(raw, after, channel))
      .toSorted((a, b) => Number(b.latest_reply) - Number(a.latest_reply));
    for (const { ts: threadTs, latest_reply: last = threadTs } of threads) {
      let oldest: string | undefined = after;
      for (let pages = 0; oldest !== undefined; pages += 1) {
        if (isLate()) {
          unread.push({ after: oldest, before: last });
          break;
        }
        const options = { priority: priorityOf(pages), waitsForRateLimit: true, signal };
        const read = await readHistoryPage(api, channel, { oldest, threadTs }, options);
        for (const reply of read.messages) if (isLater(reply.ts, after)) found.set(reply.ts, reply);
        const next: string | undefined = read.messages.at(-1)?.ts;
        oldest = read.hasMore && isLater(next, oldest) ? next : undefined;
      }
    }
    return { messages: inOrder(found), unread };
  };

  /**
   * Yields what stands in the channel, and then what stands in its threads, each oldest first; all of it in one order
   * where the app gets little history. Throws `rate-limited` where that limit shows only now.
   *
   * @param from timestamp after which messages are read where the app gets all history
   * @param after timestamp after which they are read where it gets little
   * @param leaveUnread takes timestamps between which there is more, that is not read; called first
   */
  return async function* (
    channel: Channel,
    { from, after }: { readonly from: string; readonly after: string },
    leaveUnread: (after: string, before: string) => void,
    signal: AbortSignal,
  ): AsyncGenerator<RawSlackMessage, void, void> {
    if (!api.history.isLimited(channel.space)) return yield* readAll(channel, from, signal);
    const { messages, unread } = await readSparingly(channel, after, signal);
    if (isLater(after, from)) leaveUnread(from, after);
    for (const range of unread) leaveUnread(range.after, range.before);
    yield* messages;
  };
};
