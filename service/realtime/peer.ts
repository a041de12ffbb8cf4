import { z } from 'zod';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { contractError, invalidRequest, tooManyRequests, type ContractError } from '../errors.ts';
import { currentRequestId } from '../request-log.ts';
import { parseJson } from '../json.ts';

/** Faulty messages after which a session ends. */
const MOST_FAULTS = 20;

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
  /** The client, told in messages of the session's own form, where that is another. */
  readonly peer?: Peer;
  readonly message: (text: string) => void;
  /** Takes a binary frame. */
  readonly bytes: () => void;
  /** True while the client waits for the service, and need not say anything. */
  readonly isBusy: () => boolean;
  /** Ends the session; the connection is gone. */
  readonly closed: () => void;
}

/**
 * Sends `error` as clients of a deployment know it; a fatal one, which has a code to close with, ends the
 * session.
 */
export const sendError = (
  peer: Peer,
  thrown: unknown,
  log: Pick<Log, 'warn'>,
  { closeCode, ...about }: { closeCode?: number; utterance_ids?: readonly string[] } = {},
): void => {
  const error = contractError(thrown);
  if (error.named === 'ErrInternal')
    log.warn({ requestId: currentRequestId(), err: thrown }, 'a realtime session failed');
  const isFatal = closeCode !== undefined;
  peer.send({ type: 'error', code: error.named, message: error.message, fatal: isFatal, ...about });
  if (isFatal) peer.close(closeCode, error.named);
};

/** Tells the client what goes wrong in its session, which `stop` ends. */
export const createFaults = (peer: Peer, log: Pick<Log, 'warn'>, stop: AbortController) => {
  let faults = 0;
  const end = (thrown: unknown, closeCode: number): void => {
    if (stop.signal.aborted) return;
    sendError(peer, thrown, log, { closeCode });
    stop.abort();
  };
  return {
    end,
    /** Ends the session of a client that sends more than any of real time would. */
    flood: (what: string): void => end(floodError(what), CLOSE.refused),
    /** Tells of a faulty message; too many end the session. */
    fault: (thrown: unknown): void => {
      if (stop.signal.aborted) return;
      faults += 1;
      if (faults >= MOST_FAULTS) end(thrown, CLOSE.badData);
      else sendError(peer, thrown, log);
    },
  };
};

/** The session sends more than any client of real time would. */
export const floodError = (what: string): ContractError =>
  tooManyRequests(1_000, `Too many requests: ${what}.`);

const frame = z.looseObject({ type: z.string() });

/** Parses a text frame; throws `ErrInvalidRequest` for anything but an object with a type. */
export const parseFrame = (text: string): z.infer<typeof frame> => {
  const message = parseJson(text, () => invalidRequest('The message is not valid JSON.'));
  const { data } = frame.safeParse(message);
  if (!data) throw invalidRequest('The message has no type.');
  return data;
};
