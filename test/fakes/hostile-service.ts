import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { orAborted } from '../../src/async/abort.ts';

const GIBIBYTE = 2 ** 30;
/** Connections that are open for longer are never closed. */
const CLOSED_WITHIN_MS = 90_000;

/** The connection of a request, on which anything can be sent. */
export interface Wire {
  readonly request: IncomingMessage;
  send(bytes: string | Uint8Array): void;
  /** Resolves when the other side, or the system for it, has taken the bytes, or is gone. */
  sent(bytes: string | Uint8Array): Promise<void>;
  /** True when the connection is closed. */
  isGone(): boolean;
  /** Sends the bytes again and again, at most 1 GiB, until the other side is gone. */
  flood(bytes: string | Uint8Array): Promise<void>;
  /** Sends the bytes one by one, each on its own. */
  trickle(bytes: string | Uint8Array): Promise<void>;
  end(): void;
  reset(): void;
}

/** How a request is answered. */
export type Behaviour = (wire: Wire) => void | Promise<void>;

export interface HostileService extends AsyncDisposable {
  readonly url: string;
  /** Answers every request. */
  behave: Behaviour;
  /** True to answer as soon as the head of a request has come. */
  isHasty: boolean;
  /** Requests so far. */
  readonly requests: number;
  /** Bytes that the other side took, or the system for it. */
  readonly sentBytes: number;
  /** Resolves once no connection is open; rejects where one stays open. */
  closed(): Promise<void>;
}

/** A server on loopback that answers with whatever bytes it is told to. */
export const startHostileService = async (): Promise<HostileService> => {
  let requests = 0;
  let sentBytes = 0;
  const sockets = new Set<Socket>();

  const wireOf = (request: IncomingMessage): Wire => {
    const { socket } = request;
    const write = (bytes: string | Uint8Array, taken?: () => void): void =>
      void socket.write(bytes, () => {
        sentBytes += Buffer.byteLength(bytes);
        taken?.();
      });
    const taken = async (bytes: string | Uint8Array): Promise<void> =>
      new Promise((resolve) => {
        socket.once('close', resolve);
        write(bytes, () => {
          socket.off('close', resolve);
          resolve();
        });
      });
    return {
      request,
      send: (bytes) => write(bytes),
      sent: taken,
      isGone: () => socket.destroyed,
      flood: async (given) => {
        // Encoded once, not for each of thousands of times.
        const bytes = Buffer.from(given as string);
        for (let left = GIBIBYTE; left > 0 && !socket.destroyed; left -= bytes.length)
          await taken(bytes);
      },
      trickle: async (bytes) => {
        for (const byte of Buffer.from(bytes)) if (!socket.destroyed) await taken(Buffer.of(byte));
      },
      end: () => void socket.end(),
      reset: () => void socket.resetAndDestroy(),
    };
  };

  const server = createServer((request) => {
    requests += 1;
    const answer = (): void => void fake.behave(wireOf(request));
    if (fake.isHasty) answer();
    else request.once('end', answer);
    request.resume();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const fake: HostileService = {
    url: `http://127.0.0.1:${address.port}`,
    behave: (wire) => wire.end(),
    isHasty: false,
    get requests() {
      return requests;
    },
    get sentBytes() {
      return sentBytes;
    },
    closed: async () => {
      const signal = AbortSignal.timeout(CLOSED_WITHIN_MS);
      for (const socket of sockets) {
        const closing = new Promise((resolve) => {
          if (socket.closed) resolve(undefined);
          else socket.once('close', resolve);
        });
        await orAborted(closing, signal);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return fake;
};
