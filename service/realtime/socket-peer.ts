import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { AppError } from '../../src/errors.ts';
import type { Peer } from './peer.ts';

/** Messages that may wait for a client that does not read; then it is gone. */
const MOST_WAITING_BYTES = 8 * 1_048_576;
/** Audio that may wait before synthesis does: a minute and a half of PCM. */
const ROOM_BYTES = 4 * 1_048_576;
/** Longest wait for a client to take any of it: who listens at playing speed takes it in large pieces. */
const DRAIN_MS = 60_000;

const stalled = (): AppError => new AppError('cancelled', 'the client does not read');

/**
 * The client at the other end of `socket`.
 *
 * @param network the network's end of it. Node's own timeout there knows of writes that go on, which
 *   `bufferedAmount` does not show before all that was written at once is gone
 */
export const socketPeer = (socket: WebSocket, network: Pick<Socket, 'setTimeout' | 'on'>): Peer => {
  network.on('timeout', () => socket.terminate());
  return {
    send: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(JSON.stringify(message));
      if (socket.bufferedAmount > MOST_WAITING_BYTES) socket.terminate();
    },
    sendAudio: async (audio) => {
      if (socket.readyState !== socket.OPEN) throw stalled();
      const sent = Promise.withResolvers<void>();
      const data = audio instanceof Uint8Array ? audio : JSON.stringify(audio);
      socket.send(data, (error) => (error ? sent.reject(stalled()) : sent.resolve()));
      if (socket.bufferedAmount <= ROOM_BYTES) {
        sent.promise.catch(() => undefined);
        return;
      }
      network.setTimeout(DRAIN_MS);
      try {
        await sent.promise;
      } finally {
        network.setTimeout(0);
      }
    },
    close: (code, reason) => socket.close(code, reason),
  };
};
