import type { Profile } from './profiles.ts';
import { WEB_LIMITS } from './limits.ts';
import type { ServerEvent } from './protocol.ts';

/** Gives one reader's form of an event; undefined where the event is not for them. */
export type EventFor = (reader: Profile) => ServerEvent | undefined;

interface Stored {
  readonly seq: number;
  readonly event: EventFor;
  readonly bytes: number;
}

/** The last events, numbered, for those who come back. */
export interface Replay {
  /** The number of the newest event. */
  seq(): number;
  /** Gives the event its number. */
  add(event: EventFor, bytes: number): number;
  /** An event as it goes over the wire; only with a number can it be gone on from. */
  frame(event: ServerEvent, seq?: number): Uint8Array;
  /**
   * The frames that `reader` missed since `lastId`; undefined where the reader had better begin
   * anew: that is too long ago, is more than `maxBytes`, or holds a whole beginning itself.
   */
  since(lastId: string, reader: Profile, maxBytes: number): readonly Uint8Array[] | undefined;
}

const encoder = new TextEncoder();

/** `epoch` names this run of the process, so that ids of an earlier run are not taken for ours. */
export const createReplay = (epoch: string, maxEvents: number): Replay => {
  const recent: Stored[] = [];
  let recentBytes = 0;
  let newest = 0;

  const frame: Replay['frame'] = (event, seq) =>
    encoder.encode(
      `${seq === undefined ? '' : `id: ${epoch}.${seq}\n`}data: ${JSON.stringify(event)}\n\n`,
    );

  const storedSince = (lastId: string): readonly Stored[] | undefined => {
    const [ofEpoch, number] = lastId.split('.');
    const last = Number(number);
    if (ofEpoch !== epoch || !Number.isInteger(last) || last > newest) return undefined;
    const oldest = recent[0]?.seq ?? newest + 1;
    return last + 1 < oldest ? undefined : recent.filter(({ seq }) => seq > last);
  };

  return {
    seq: () => newest,
    add: (event, bytes) => {
      newest += 1;
      recent.push({ seq: newest, event, bytes });
      recentBytes += bytes;
      while (recent.length > maxEvents || recentBytes > WEB_LIMITS.replayBytes)
        recentBytes -= recent.shift()?.bytes ?? 0;
      return newest;
    },
    frame,
    since: (lastId, reader, maxBytes) => {
      const stored = storedSince(lastId);
      if (!stored) return undefined;
      const frames: Uint8Array[] = [];
      let bytes = 0;
      for (const { seq, event } of stored) {
        const own = event(reader);
        if (!own) continue;
        if (own.type === 'hello') return undefined;
        const missed = frame(own, seq);
        bytes += missed.byteLength;
        if (bytes > maxBytes) return undefined;
        frames.push(missed);
      }
      return frames;
    },
  };
};
