import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import type { Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { ContractError, invalidRequest } from '../errors.ts';
import type { AccessKind } from '../keys/access.ts';
import type { KeyAccount } from '../keys/account.ts';
import { inRequest } from '../request-log.ts';
import { sendError, type Peer, type PeerSession } from './peer.ts';
import { AppError } from '../../src/errors.ts';

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

/** The largest message: 6 s of audio as base64. */
export const MOST_MESSAGE_BYTES = 256 * 1_024;
/** Time between two looks at the key of an open session, which may have been revoked. */
const KEY_CHECK_MS = 2_000;

export interface ConnectionDeps {
  readonly socket: WebSocket;
  /** The network's end of `socket`. */
  readonly network: Pick<Socket, 'setTimeout' | 'on'>;
  readonly account: KeyAccount;
  /** Access that the key needs as long as the session is open. */
  readonly access: AccessKind;
  /** Longest silence between client and session. */
  readonly idleMs: number;
  readonly start: (peer: Peer) => PeerSession;
  readonly requestId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs a session over an open socket until one of both ends. */
export const runConnection = (deps: ConnectionDeps): void => {
  const { socket, network, account, access, idleMs, start, requestId, clock, log } = deps;
  const startMs = clock.nowMs();
  let session: PeerSession | undefined;
  let stopIdle: (() => void) | undefined;
  let stopChecks: (() => void) | undefined;
  let isChecked = true;

  const own = socketPeer(socket, network);
  const peer: Peer = {
    ...own,
    send: (message) => {
      awake();
      own.send(message);
    },
  };
  const end = (error: ContractError, closeCode: number): void => {
    sendError(session?.peer ?? peer, error, log, { closeCode });
    session?.closed();
  };
  const awake = (): void => {
    stopIdle?.();
    stopIdle = clock.after(idleMs, () => {
      if (session?.isBusy()) awake();
      else end(invalidRequest('The session was idle for too long.'), CLOSE.away);
    });
  };
  const checkKey = (): void => {
    stopChecks = clock.after(KEY_CHECK_MS, checkKey);
    try {
      account.checkOpen(access);
      isChecked = true;
    } catch (error) {
      if (error instanceof ContractError) return end(error, CLOSE.refused);
      // A database that cannot be read now says nothing about the key.
      if (isChecked)
        log.warn({ requestId, by: account.name, err: error }, 'a key cannot be checked');
      isChecked = false;
    }
  };
  const take = (data: Buffer, isBinary: boolean): void => {
    if (socket.readyState !== socket.OPEN) return;
    awake();
    if (data.length > MOST_MESSAGE_BYTES) {
      const text = `The message is over ${MOST_MESSAGE_BYTES} bytes.`;
      end(new ContractError('ErrRequestTooLarge', text), CLOSE.tooLarge);
    } else if (isBinary) session?.bytes();
    else session?.message(data.toString('utf8'));
  };

  socket.on('message', (data: Buffer, isBinary) =>
    inRequest(requestId, () => take(data, isBinary)),
  );
  // The close that follows an error is all that is needed.
  socket.on('error', () => undefined);
  socket.on('close', (code) => {
    stopIdle?.();
    stopChecks?.();
    session?.closed();
    const ms = Math.round(clock.nowMs() - startMs);
    log.info({ requestId, by: account.name, code, ms }, 'a session ended');
  });
  session = start(peer);
  awake();
  if (account.isMetered) stopChecks = clock.after(KEY_CHECK_MS, checkKey);
};
