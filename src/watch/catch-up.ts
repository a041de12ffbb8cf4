import { setTimeout as delay } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel, Message, MessageRef } from '../model.ts';
import type { CursorStore } from '../store/cursors.ts';
import type { WatchPort } from './port.ts';

/** Channels whose history is fetched at the same moment. */
const CHANNELS_AT_ONCE = 4;
/** Older than this, what was missed is of no use translated any more. */
const HORIZON_MS = 24 * 3_600_000;
/** How far back messages are looked at again for changes that nobody reported. */
const LOOK_BACK_MS = 3_600_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Reports that a channel holds back while its history comes; more are fetched instead. */
const MOST_HELD = 1_000;

export interface CatchUpParts {
  readonly cursors: Pick<CursorStore, 'of' | 'recent'>;
  readonly port: (platform: string) => WatchPort | undefined;
  /** When the watch of the channel was set, ms since 1970. */
  readonly sinceMs: (channel: Channel) => number;
  readonly take: (message: Message) => Promise<void>;
  readonly gone: (refs: readonly MessageRef[]) => Promise<void>;
  readonly log: Log;
  readonly now: () => number;
}

export interface CatchUp extends AsyncDisposable {
  /**
   * Runs a report of a channel in its order: at once where nothing was missed, after its history
   * otherwise. The first report of a channel since the start counts as a gap before it.
   */
  report(channel: Channel, run: () => Promise<void>): Promise<void>;
  /** Fetches what came in a channel unreported. */
  missed(channel: Channel, newest: string | undefined): void;
  /** Nothing was missed in this channel: it was not watched before. */
  fresh(channel: Channel): void;
  idle(): Promise<void>;
}

/** What is done for one channel, one after the other. */
interface Follow {
  tail: Promise<void>;
  /** Reports that wait. */
  held: number;
  /** The last of what waits is a look at the history: whatever was missed, it will find. */
  endsInHistory: boolean;
}

const keyOf = ({ space, id }: Channel): string => `${space.platform} ${id}`;

export const createCatchUp = ({
  cursors,
  port,
  sinceMs,
  take,
  gone,
  log,
  now,
}: CatchUpParts): CatchUp => {
  const stopping = new AbortController();
  const follows = new Map<string, Follow>();
  const turns: (() => void)[] = [];
  let fetching = 0;

  const followOf = (channel: Channel): Follow => {
    const key = keyOf(channel);
    const known = follows.get(key);
    if (known) return known;
    const follow: Follow = { tail: Promise.resolve(), held: 0, endsInHistory: false };
    follows.set(key, follow);
    return follow;
  };

  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    if (fetching >= CHANNELS_AT_ONCE) await new Promise<void>((resolve) => turns.push(resolve));
    fetching += 1;
    try {
      await work();
    } finally {
      fetching -= 1;
      turns.shift()?.();
    }
  };

  const fetch = async (
    channel: Channel,
    from: WatchPort,
    newest: string | undefined,
  ): Promise<void> => {
    const followed = await cursors.of(channel);
    const recent = await cursors.recent(channel, now() - LOOK_BACK_MS);
    const [oldest, ...later] = recent;
    // What was written in the very moment of the watch is after the moment before it.
    const start = followed ?? from.positionAt(sinceMs(channel) - 1);
    if (newest !== undefined && newest <= start && later.length === 0) return;
    const horizon = from.positionAt(now() - HORIZON_MS);
    const after = [start, oldest?.position ?? start].toSorted()[0] ?? start;
    const there = new Set<string>();
    const { signal } = stopping;
    for await (const message of from.history(channel, after < horizon ? horizon : after, signal)) {
      there.add(message.ref.id);
      await take(message);
    }
    await gone(later.filter(({ ref }) => !there.has(ref.id)).map(({ ref }) => ref));
  };

  const catchUp = async (channel: Channel, newest: string | undefined): Promise<void> => {
    const from = port(channel.space.platform);
    if (!from) return;
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      try {
        await inTurn(() => fetch(channel, from, newest));
        return;
      } catch (thrown) {
        const error = toAppError(thrown);
        const fields = { platform: channel.space.platform, channel: channel.id, code: error.code };
        log.warn(
          { ...fields, reason: error.message },
          'the history of a channel could not be read',
        );
        if (!error.retryable) return;
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
        const { signal } = stopping;
        await delay(Math.max(wait, error.retryAfterMs ?? 0), undefined, { signal, ref: false });
      }
    }
  };

  const missed = (channel: Channel, newest: string | undefined): void => {
    const follow = followOf(channel);
    if (follow.endsInHistory) return;
    follow.endsInHistory = true;
    const look = async (before: Promise<void>): Promise<void> => {
      await before;
      // From here on, what is missed is not found by this look any more.
      follow.endsInHistory = false;
      await catchUp(channel, newest).catch(() => undefined);
    };
    follow.tail = look(follow.tail);
  };

  return {
    missed,
    fresh: (channel) => {
      followOf(channel);
    },
    report: async (channel, run) => {
      if (!follows.has(keyOf(channel))) missed(channel, undefined);
      const follow = followOf(channel);
      if (follow.held >= MOST_HELD) {
        missed(channel, undefined);
        return;
      }
      follow.held += 1;
      follow.endsInHistory = false;
      const turn = follow.tail.then(run).finally(() => {
        follow.held -= 1;
      });
      follow.tail = turn.catch(() => undefined);
      await turn;
    },
    idle: async () => {
      for (let tails: Promise<void>[] = []; ;) {
        const all = [...follows.values()].map(({ tail }) => tail);
        if (all.every((tail, index) => tail === tails[index])) return;
        tails = all;
        await Promise.all(tails);
      }
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.allSettled([...follows.values()].map(({ tail }) => tail));
    },
  };
};
