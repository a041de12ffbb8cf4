import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { readHistory, THREADS_BACK_MS, type HistoryReading } from '../history.ts';
import { positionAt, timestampAt } from '../ids.ts';
import { isMarkOf, readMark, type MirrorMark, type SharedFile } from './metadata.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Mirror, MirrorTarget } from '../../../src/ports/mirrors.ts';

/** One of the app's messages that is marked as part of a mirror. */
export interface MarkedMessage {
  readonly ts: string;
  readonly mark: MirrorMark;
}

/** Options of reading history. */
export type Reading = Pick<HistoryReading, 'isSparing' | 'isPatient' | 'signal'>;

/** A mirror's messages as they were found. */
export interface Found {
  readonly texts: readonly string[];
  readonly files: readonly SharedFile[];
  /** False where parts are missing. */
  readonly isWhole: boolean;
}

/** Errors for a thread that is gone, or takes no replies any more. */
const GONE = ['thread_not_found', 'message_not_found', 'restricted_action_thread_locked'];

/**
 * Reads the marked messages of a target and of threads in its channel; each once. Threads that have
 * no replies, as their first messages in the channel show, are not read.
 */
export const readMarked = async function* (
  api: Api,
  { channel, threadId }: MirrorTarget,
  roots: readonly string[],
  { sinceMs, ...reading }: Reading & { readonly sinceMs: number | undefined },
): AsyncGenerator<MarkedMessage, void, void> {
  const oldest = sinceMs === undefined ? undefined : timestampAt(positionAt(sinceMs - 1));
  const within = { oldest, ...reading };
  const seen = new Set<string>();
  const empty = new Set<string | undefined>();
  for (const threadTs of new Set([threadId, ...roots]))
    try {
      if (empty.has(threadTs)) continue;
      for await (const raw of readHistory(api, channel, { ...within, threadTs })) {
        if (threadTs === undefined && raw.latest_reply === undefined) empty.add(raw.ts);
        const mark = readMark(raw);
        if (!mark || seen.has(raw.ts)) continue;
        seen.add(raw.ts);
        yield { ts: raw.ts, mark };
      }
    } catch (thrown) {
      // The message whose thread it is was deleted.
      if (threadTs === undefined || !isRefusal(thrown, ...GONE)) throw thrown;
    }
};

/** The first messages of the threads of a channel that got replies since a time, ms since 1970. */
export const activeThreads = async function* (
  api: Api,
  channel: Channel,
  sinceMs: number,
  reading: Reading,
): AsyncGenerator<string, void, void> {
  const since = Number(timestampAt(positionAt(sinceMs)));
  const oldest = timestampAt(positionAt(sinceMs - THREADS_BACK_MS));
  for await (const { ts, latest_reply } of readHistory(api, channel, { ...reading, oldest }))
    if (latest_reply !== undefined && Number(latest_reply) >= since) yield ts;
};

/** The messages of a mirror among marked ones, in their order; undefined where it has none. */
export const foundOf = (
  marked: readonly MarkedMessage[],
  { source, key }: Mirror,
): Found | undefined => {
  const texts = marked
    .filter(({ mark }) => isMarkOf(mark, source, key))
    .toSorted((a, b) => a.mark.part - b.mark.part);
  const last = texts.at(-1);
  if (!last) return undefined;
  return {
    texts: texts.map(({ ts }) => ts),
    files: texts.flatMap(({ mark }) => mark.files),
    isWhole: texts.length >= last.mark.parts,
  };
};
