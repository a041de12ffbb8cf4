import type { Api } from '../api.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { MirrorTarget } from '../../../src/ports/mirrors.ts';
import {
  activeThreads,
  begunThreads,
  readMirrorMessages,
  type MirrorMessage,
  type Reading,
} from './find.ts';

export interface OwnMessagesDeps {
  readonly api: Api;
  readonly log: Log;
  /** Every wait is so many times shorter. */
  readonly speed: number;
}

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
 */
export const createOwnMessages = ({ api, log, speed }: OwnMessagesDeps) => {
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
      const { code, message } = toAppError(thrown);
      if (code !== 'forbidden' && !(isLimited && late.aborted)) throw thrown;
      log.warn({ code, reason: message }, 'Slack: what was posted before could not be looked for');
    }
    return found;
  };

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
    /** The first messages of the threads of a channel that got replies since a time. */
    activeThreads: async (channel: Channel, sinceMs: number): Promise<readonly string[]> =>
      collect(channel, undefined, (reading) => activeThreads(api, channel, sinceMs, reading)),
    /** The first messages of the standing threads of a name that were begun since a time. */
    begunThreads: async (
      channel: Channel,
      name: string,
      sinceMs: number,
    ): Promise<readonly string[]> =>
      collect(channel, undefined, (reading) =>
        begunThreads(api, channel, name, { ...reading, sinceMs }),
      ),
  };
};
