import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { readHistory, THREADS_BACK_MS, type HistoryReading } from '../history.ts';
import type { RawSlackMessage } from '../inbound/raw-message.ts';
import { positionAt, timestampAt } from '../ids.ts';
import {
  isMetadataOf,
  isThreadOf,
  readMetadata,
  type MirrorMetadata,
  type SharedFile,
} from './metadata.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Mirror, MirrorTarget } from '../../../src/ports/mirrors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { faultFields } from '../../../src/errors.ts';

/** One of the app's messages that belongs to a mirror, with what its metadata says. */
export interface MirrorMessage {
  readonly ts: string;
  readonly metadata: MirrorMetadata;
}

export type Reading = Pick<HistoryReading, 'firstPageOnly' | 'waitsForRateLimit' | 'signal'>;

/** A mirror's messages as they were found. */
export interface FoundMessages {
  readonly texts: readonly string[];
  readonly files: readonly SharedFile[];
  /** False where parts are missing. */
  readonly isWhole: boolean;
}

/** Errors for a thread that is gone, or takes no replies any more. */
const GONE = ['thread_not_found', 'message_not_found', 'restricted_action_thread_locked'];

/**
 * Reads the messages of mirrors in a target and in threads in its channel; each once. Threads that have
 * no replies, as their first messages in the channel show, are not read.
 */
export const readMirrorMessages = async function* (
  api: Api,
  { channel, threadId }: MirrorTarget,
  roots: readonly string[],
  { sinceMs, ...reading }: Reading & { readonly sinceMs: number | undefined },
): AsyncGenerator<MirrorMessage, void, void> {
  const oldest = sinceMs === undefined ? undefined : timestampAt(positionAt(sinceMs - 1));
  const within = { oldest, ...reading };
  const seen = new Set<string>();
  const empty = new Set<string | undefined>();
  for (const threadTs of new Set([threadId, ...roots]))
    try {
      if (empty.has(threadTs)) continue;
      for await (const raw of readHistory(api, channel, { ...within, threadTs })) {
        if (threadTs === undefined && raw.latest_reply === undefined) empty.add(raw.ts);
        const metadata = readMetadata(raw);
        if (!metadata || seen.has(raw.ts)) continue;
        seen.add(raw.ts);
        yield { ts: raw.ts, metadata };
      }
    } catch (thrown) {
      // The message whose thread it is was deleted.
      if (threadTs === undefined || !isRefusal(thrown, ...GONE)) throw thrown;
    }
};

/** The messages of one mirror among those of all, in their order; undefined where it has none. */
export const foundOf = (
  messages: readonly MirrorMessage[],
  { source, key }: Mirror,
): FoundMessages | undefined => {
  const texts = messages
    .filter(({ metadata }) => isMetadataOf(metadata, source, key))
    .toSorted((a, b) => a.metadata.part - b.metadata.part);
  const last = texts.at(-1);
  if (!last) return undefined;
  return {
    texts: texts.map(({ ts }) => ts),
    files: texts.flatMap(({ metadata }) => metadata.files),
    isWhole: texts.length >= last.metadata.parts,
  };
};

interface Range {
  readonly sinceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longest wait for history where the app gets little, and threads that are looked at there. */
const LITTLE_MS = 90_000;
const LITTLE_THREADS = 1;

export type OwnMessages = ReturnType<typeof createOwnMessages>;

/**
 * Creates what reads the app's messages in a target that belong to mirrors. Where little or no
 * history may be read it finds less; mirrors that stand there already may then be posted again.
 *
 * @param speed factor by which every wait is shorter
 */
export const createOwnMessages = (api: Api, log: Log, speed: number) => {
  /** Collects what is found until the end, or until history may not be read any more. */
  const collect = async <Item>(
    { space }: Channel,
    signal: AbortSignal | undefined,
    read: (reading: Reading) => AsyncIterable<Item>,
  ): Promise<readonly Item[]> => {
    const isLimited = api.history.isLimited(space);
    const late = AbortSignal.timeout(LITTLE_MS / speed);
    const ending = isLimited ? AbortSignal.any([...(signal ? [signal] : []), late]) : signal;
    const found: Item[] = [];
    try {
      // Elsewhere the caller waits for a rate limit, who tries again.
      const reading = { firstPageOnly: true, waitsForRateLimit: isLimited, signal: ending };
      for await (const item of read(reading)) found.push(item);
    } catch (thrown) {
      signal?.throwIfAborted();
      const fault = faultFields(thrown);
      if (fault.code !== 'forbidden' && !(isLimited && late.aborted)) throw thrown;
      log.warn(fault, 'Slack: what was posted before could not be looked for');
    }
    return found;
  };

  /** The messages of a channel since a time that are picked. */
  const pickedSince = async (
    channel: Channel,
    sinceMs: number,
    isPicked: (raw: RawSlackMessage) => boolean,
  ): Promise<readonly string[]> =>
    collect(channel, undefined, async function* picked(reading) {
      const oldest = timestampAt(positionAt(sinceMs));
      for await (const raw of readHistory(api, channel, { ...reading, oldest }))
        if (isPicked(raw)) yield raw.ts;
    });

  return {
    /** The messages of mirrors in a target and in threads of its channel. */
    mirrorMessages: async (
      target: MirrorTarget,
      roots: readonly string[],
      { sinceMs, signal }: Range,
    ): Promise<readonly MirrorMessage[]> => {
      const { channel } = target;
      const threads = api.history.isLimited(channel.space) ? roots.slice(0, LITTLE_THREADS) : roots;
      return collect(channel, signal, (reading) =>
        readMirrorMessages(api, target, threads, { ...reading, sinceMs }),
      );
    },
    /** The first messages of the threads of a channel that got replies since a time, ms since 1970. */
    activeThreads: async (channel: Channel, sinceMs: number): Promise<readonly string[]> => {
      const since = Number(timestampAt(positionAt(sinceMs)));
      return pickedSince(
        channel,
        sinceMs - THREADS_BACK_MS,
        ({ latest_reply: reply }) => reply !== undefined && Number(reply) >= since,
      );
    },
    /** The first messages of the standing threads of a name that were begun since a time. */
    begunThreads: async (
      channel: Channel,
      name: string,
      sinceMs: number,
    ): Promise<readonly string[]> => pickedSince(channel, sinceMs, (raw) => isThreadOf(raw, name)),
  };
};
