import type { WebSocket } from 'ws';
import { AppError } from '../../src/errors.ts';
import type { Peer } from './peer.ts';

/** Messages that may wait for a client that does not read; then it is gone. */
const MOST_WAITING_BYTES = 8 * 1_048_576;
/** Audio that may wait before synthesis does: a minute and a half of PCM. */
const ROOM_BYTES = 4 * 1_048_576;
/** Longest wait for a client to take audio. */
const DRAIN_MS = 30_000;

const stalled = (): AppError => new AppError('cancelled', 'the client does not read');

/** The client at the other end of `socket`. */
export const socketPeer = (socket: WebSocket): Peer => ({
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
    const late = setTimeout(() => socket.terminate(), DRAIN_MS);
    try {
      await sent.promise;
    } finally {
      clearTimeout(late);
    }
  },
  close: (code, reason) => socket.close(code, reason),
});
