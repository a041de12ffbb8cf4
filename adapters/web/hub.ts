import { AppError } from '../../src/errors.ts';
import type { Profile } from './members.ts';
import { LIMITS } from './limits.ts';
import type { ServerEvent } from './wire.ts';

/** What one reader gets of an event; undefined where it is not for them. */
export type EventFor = (reader: Profile) => ServerEvent | undefined;

export interface HubOptions {
  /** Names this run of the process, so that ids of an earlier run are not taken for ours. */
  readonly epoch: string;
  readonly reader: (memberId: string) => Profile | undefined;
  /** Somebody's first connection opened, or their last one closed. */
  readonly onPresence: (memberId: string, present: boolean) => void;
  readonly replayEvents?: number;
  readonly queueBytes?: number;
}

export interface Hub {
  /** `bytes` is about what the event weighs while it is kept for those who come back. */
  readonly publish: (event: EventFor, bytes?: number) => void;
  /**
   * A stream of server-sent events. It begins with what was missed since `lastId` or, where that is
   * too long ago, with `hello`. Somebody too slow to take what comes is cut off, to resume later.
   */
  connect(memberId: string, lastId: string, hello: () => ServerEvent): ReadableStream<Uint8Array>;
  /** Keeps connections from being taken for dead, and finds the dead ones. */
  readonly beat: () => void;
  /** Ids of those with at least one connection. */
  readonly present: () => readonly string[];
  close(): void;
}

interface Stored {
  readonly seq: number;
  readonly event: EventFor;
  readonly bytes: number;
}

interface Connection {
  readonly memberId: string;
  send(frame: Uint8Array): void;
  end(): void;
}

const SMALL_EVENT_BYTES = 500;

const encoder = new TextEncoder();

export const createHub = (options: HubOptions): Hub => {
  const { epoch, reader: readerOf, onPresence } = options;
  const maxEvents = options.replayEvents ?? LIMITS.replayEvents;
  const queueBytes = options.queueBytes ?? LIMITS.clientQueueBytes;
  const connections = new Set<Connection>();
  const recent: Stored[] = [];
  let recentBytes = 0;
  let seq = 0;

  const frameOf = (event: ServerEvent, id?: number): Uint8Array =>
    encoder.encode(
      `${id === undefined ? '' : `id: ${epoch}.${id}\n`}data: ${JSON.stringify(event)}\n\n`,
    );

  const isPresent = (memberId: string): boolean =>
    [...connections].some((connection) => connection.memberId === memberId);

  const remember = (stored: Stored): void => {
    recent.push(stored);
    recentBytes += stored.bytes;
    while (recent.length > maxEvents || recentBytes > LIMITS.replayBytes)
      recentBytes -= recent.shift()?.bytes ?? 0;
  };

  const missedSince = (lastId: string): readonly Stored[] | undefined => {
    const [ofEpoch, number] = lastId.split('.');
    const last = Number(number);
    if (ofEpoch !== epoch || !Number.isInteger(last) || last > seq) return undefined;
    const oldest = recent[0]?.seq ?? seq + 1;
    return last + 1 < oldest ? undefined : recent.filter((stored) => stored.seq > last);
  };

  return {
    publish: (event, bytes = SMALL_EVENT_BYTES) => {
      seq += 1;
      // Most events are the same object for everybody: it is written out once.
      const frames = new Map<ServerEvent, Uint8Array>();
      for (const connection of connections) {
        const reader = readerOf(connection.memberId);
        const own = reader && event(reader);
        if (!own) continue;
        const frame = frames.get(own) ?? frameOf(own, seq);
        frames.set(own, frame);
        connection.send(frame);
      }
      remember({ seq, event, bytes });
    },

    connect: (memberId, lastId, hello) => {
      if (connections.size >= LIMITS.clients)
        throw new AppError('rate-limited', 'too many pages are open');
      let connection: Connection;
      const leave = (): void => {
        if (!connections.delete(connection) || isPresent(memberId)) return;
        // Later, because it may publish, and this may happen while an event is being given out.
        queueMicrotask(() => onPresence(memberId, false));
      };
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            connection = {
              memberId,
              send: (frame) => {
                controller.enqueue(frame);
                if ((controller.desiredSize ?? 0) < 0) connection.end();
              },
              end: () => {
                controller.close();
                leave();
              },
            };
            const newcomer = !isPresent(memberId);
            const reader = readerOf(memberId);
            const missed = missedSince(lastId);
            controller.enqueue(encoder.encode('retry: 1000\n\n'));
            if (!missed) connection.send(frameOf(hello(), seq));
            else
              for (const stored of missed) {
                const own = reader && stored.event(reader);
                if (own) connection.send(frameOf(own, stored.seq));
              }
            connections.add(connection);
            if (newcomer) onPresence(memberId, true);
          },
          cancel: leave,
        },
        { highWaterMark: queueBytes, size: (frame) => frame.byteLength },
      );
    },

    beat: () => {
      const frame = frameOf({ type: 'beat' });
      for (const connection of connections) connection.send(frame);
    },
    present: () => [...new Set([...connections].map(({ memberId }) => memberId))],
    close: () => {
      for (const connection of connections) connection.end();
    },
  };
};
