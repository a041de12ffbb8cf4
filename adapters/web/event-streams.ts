import { AppError } from '../../src/errors.ts';
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

const encoder = new TextEncoder();

/** The last events, numbered, for those who come back. `epoch` names this run of the process, so that ids of an earlier run are not taken for ours. */
export const createReplay = (epoch: string, maxEvents: number) => {
  const recent: Stored[] = [];
  let recentBytes = 0;
  let newest = 0;

  const frame = (event: ServerEvent, seq?: number): Uint8Array =>
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
    seq: (): number => newest,
    add: (event: EventFor, bytes: number): number => {
      newest += 1;
      recent.push({ seq: newest, event, bytes });
      recentBytes += bytes;
      while (recent.length > maxEvents || recentBytes > WEB_LIMITS.replayBytes)
        recentBytes -= recent.shift()?.bytes ?? 0;
      return newest;
    },
    /** Drops the events: readers who reconnect start with `hello`. */
    clear: (): void => {
      recent.length = 0;
      recentBytes = 0;
      // Skips a number, so that no reader resumes from the last event.
      newest += 1;
    },
    /** An event as it goes over the wire; only with a number can it be gone on from. */
    frame,
    /**
     * The frames that `reader` missed since `lastId`; undefined where the reader had better begin
     * anew: that is too long ago, is more than `maxBytes`, or holds a whole beginning itself.
     */
    since: (
      lastId: string,
      reader: Profile,
      maxBytes: number,
    ): readonly Uint8Array[] | undefined => {
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

export interface EventStreamsOptions {
  /** Names this run of the process. */
  readonly epoch: string;
  readonly reader: (memberId: string) => Profile | undefined;
  /** Called when a member's first connection has opened, or the last one closed. */
  readonly onPresence: (memberId: string, present: boolean) => void;
  readonly replayEvents?: number;
  readonly queueBytes?: number;
}

interface Connection {
  readonly memberId: string;
  send(frame: Uint8Array): void;
  end(): void;
  /** Forgets a stream that the other side has closed. */
  leave(): void;
}

const SMALL_EVENT_BYTES = 500;

const RETRY = new TextEncoder().encode('retry: 1000\n\n');

export type EventStreams = ReturnType<typeof createEventStreams>;

export const createEventStreams = (options: EventStreamsOptions) => {
  const { epoch, reader: readerOf, onPresence } = options;
  const queueBytes = options.queueBytes ?? WEB_LIMITS.clientQueueBytes;
  const replay = createReplay(epoch, options.replayEvents ?? WEB_LIMITS.replayEvents);
  /** The connections that have not ended: nothing can be sent to any other. */
  const connections = new Set<Connection>();

  const isPresent = (memberId: string): boolean =>
    [...connections].some((connection) => connection.memberId === memberId);

  const open = (
    memberId: string,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Connection => {
    const connection: Connection = {
      memberId,
      send: (frame) => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(frame);
        else connection.end();
      },
      end: () => {
        controller.close();
        connection.leave();
      },
      leave: () => {
        if (!connections.delete(connection) || isPresent(memberId)) return;
        // Later, because it may publish, and this may happen while an event is being given out.
        queueMicrotask(() => onPresence(memberId, false));
      },
    };
    return connection;
  };

  return {
    /** `bytes` is about what the event weighs while it is kept for those who come back. */
    publish: (event: EventFor, bytes: number = SMALL_EVENT_BYTES): void => {
      const seq = replay.add(event, bytes);
      // Most events are the same object for everybody: it is written out once.
      const frames = new Map<ServerEvent, Uint8Array>();
      for (const connection of connections) {
        const reader = readerOf(connection.memberId);
        const own = reader && event(reader);
        if (!own) continue;
        const frame = frames.get(own) ?? replay.frame(own, seq);
        frames.set(own, frame);
        connection.send(frame);
      }
    },

    /**
     * A stream of server-sent events. It begins with what was missed since `lastId` or, where that is
     * too long ago or too much, with `hello`. Somebody too slow to take what comes is cut off, to
     * resume later; whoever has taken all gets the next event however large it is.
     */
    connect: (
      reader: Profile,
      lastId: string,
      hello: () => ServerEvent,
    ): ReadableStream<Uint8Array> => {
      if (connections.size >= WEB_LIMITS.clients)
        throw new AppError('rate-limited', 'too many pages are open');
      const missed = replay.since(lastId, reader, queueBytes);
      const opening = [RETRY, ...(missed ?? [replay.frame(hello(), replay.seq())])];
      const openingBytes = opening.reduce((sum, { byteLength }) => sum + byteLength, 0);
      let connection: Connection | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            for (const frame of opening) controller.enqueue(frame);
            const newcomer = !isPresent(reader.id);
            connection = open(reader.id, controller);
            connections.add(connection);
            if (newcomer) onPresence(reader.id, true);
          },
          cancel: () => connection?.leave(),
        },
        // What a stream begins with is no sign of a slow reader, so it does not count.
        { highWaterMark: queueBytes + openingBytes, size: ({ byteLength }) => byteLength },
      );
    },

    /** Drops the events kept for readers who reconnect: they start with `hello`. */
    forgetPast: replay.clear,
    /** Keeps connections from being taken for dead, and finds the dead ones. */
    beat: (): void => {
      const frame = replay.frame({ type: 'beat' });
      for (const connection of connections) connection.send(frame);
    },
    /** Ids of those with at least one connection. */
    present: (): readonly string[] => [
      ...new Set([...connections].map(({ memberId }) => memberId)),
    ],
    close: (): void => {
      for (const connection of connections) connection.end();
    },
  };
};
