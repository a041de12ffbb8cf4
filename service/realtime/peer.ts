import { CLOSE } from '../../src/api/realtime/contract.ts';
import type { Log } from '../../src/log.ts';
import { ContractError, contractError } from '../errors.ts';

/** The client at the other end of a WebSocket. */
export interface Peer {
  /** Sends a message; without effect after the end. */
  readonly send: (message: object) => void;
  /**
   * Sends audio, as bytes or within a message; resolves when there is room for more. Rejects when the
   * client takes none.
   */
  readonly sendAudio: (audio: Uint8Array | object) => Promise<void>;
  readonly close: (code: number, reason: string) => void;
}

/** One session, as the socket drives it. */
export interface PeerSession {
  /** Takes a text frame. */
  readonly message: (text: string) => void;
  /** Takes a binary frame. */
  readonly bytes: () => void;
  /** Ends the session; the connection is gone. */
  readonly closed: () => void;
}

/** Sends `error` as clients of a deployment know it; a fatal one ends the session. */
export const sendError = (
  peer: Peer,
  thrown: unknown,
  log: Pick<Log, 'warn'>,
  closeCode?: number,
): void => {
  const error = contractError(thrown);
  if (error.named === 'ErrInternal') log.warn({ err: thrown }, 'a realtime session failed');
  const isFatal = closeCode !== undefined;
  peer.send({ type: 'error', code: error.named, message: error.message, fatal: isFatal });
  if (isFatal) peer.close(closeCode, error.named);
};

/** The session sends more than any client of real time would. */
export const floodError = (what: string): ContractError =>
  new ContractError('ErrRateLimited', `Too many requests: ${what}. Retry after 1s`, {
    context: ['limit'],
    retryAfterMs: 1_000,
  });

export const FLOOD_CODE = CLOSE.refused;
