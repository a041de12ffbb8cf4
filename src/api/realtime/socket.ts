import { WebSocket, type ClientOptions } from 'ws';
import { retryAfterHeaderMs } from '../../http/retry-after.ts';
import { AppError } from '../../errors.ts';
import type { ServiceKey } from '../keys.ts';
import { serviceError } from '../service-error.ts';
import { networkError } from '../transport.ts';
import { CLOSE } from './contract.ts';

/** Longest wait for the connection and its upgrade. */
const CONNECT_MS = 5_000;
/** Longest wait for the service's half of a close. */
const CLOSE_MS = 2_000;
/** The largest message that is accepted: a minute of PCM at 24 kHz, as base64, is below it. */
const MOST_MESSAGE_BYTES = 8 * 1_048_576;
/** Most bytes of a refusal's body that are read. */
const REFUSAL_BYTES = 65_536;
/** Bytes that may wait to be sent; a service that reads nothing counts as broken. */
const MOST_WAITING_BYTES = 8 * 1_048_576;

/** Reports of a connection; nothing follows `closed`. */
export interface SocketListener {
  readonly opened: () => void;
  readonly message: (data: string | Uint8Array) => void;
  /** The end: `error` is undefined when the service closed with 1000. */
  readonly closed: (error: AppError | undefined) => void;
}

/** A connection to one WebSocket path of the service. */
export interface RealtimeSocket {
  /** Sends a message; without effect unless the connection is open. */
  readonly send: (message: object) => void;
  /** Stops and resumes reading, for a consumer that is slower than the service. */
  readonly hold: (isHeld: boolean) => void;
  /** Closes in order, with 1000; the listener is not told. */
  readonly close: () => void;
  /** Breaks the connection at once; the listener is not told. */
  readonly drop: () => void;
}

/** Opens a connection; refusals and broken connections reach the listener. */
export type OpenSocket = (path: string, listener: SocketListener) => RealtimeSocket;

/** Close codes after which the same session would be closed again. */
const isRefusal = (code: number): boolean =>
  code === CLOSE.refused ||
  code === CLOSE.unsupported ||
  code === CLOSE.badData ||
  code === CLOSE.tooLarge ||
  (code >= 4_000 && code < 5_000);

const closeError = (code: number): AppError | undefined => {
  if (code === CLOSE.normal) return undefined;
  return isRefusal(code)
    ? new AppError('bad-reply', `the service closed the connection with ${code}`)
    : new AppError('unavailable', `the connection broke with ${code}`, { retryable: true });
};

/**
 * Creates the opener of connections. The key is sent as for any other request, in the header of the
 * upgrade (contract section 5).
 *
 * @param baseUrl the service's address; a path in it is put before every path of the contract
 */
export const createSocketOpener = (baseUrl: string, key: ServiceKey): OpenSocket => {
  const base = new URL(baseUrl);
  const origin = `${base.protocol === 'https:' ? 'wss:' : 'ws:'}//${base.host}`;
  const prefix = base.pathname.replace(/\/+$/, '');

  const options: ClientOptions & { readonly closeTimeout: number } = {
    headers: { authorization: `Bearer ${key.key}` },
    handshakeTimeout: CONNECT_MS,
    maxPayload: MOST_MESSAGE_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    closeTimeout: CLOSE_MS,
  };

  return (path, listener) => {
    const socket = new WebSocket(`${origin}${prefix}${path}`, options);
    let isOver = false;
    const end = (error: AppError | undefined): void => {
      if (isOver) return;
      isOver = true;
      listener.closed(error);
    };
    const leave = (how: () => void): void => {
      isOver = true;
      how();
    };

    socket.on('open', () => !isOver && listener.opened());
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isOver) listener.message(isBinary ? data : data.toString('utf8'));
    });
    socket.on('unexpected-response', (request, response) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      const refuse = (): void => {
        const header = retryAfterHeaderMs(response.headers, Date.now());
        const text = Buffer.concat(chunks).toString('utf8');
        end(serviceError(response.statusCode ?? 0, header, text, key));
        request.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > REFUSAL_BYTES) refuse();
        else chunks.push(chunk);
      });
      response.once('close', refuse);
    });
    socket.on('error', (cause) => {
      end(networkError(cause));
      socket.terminate();
    });
    socket.on('close', (code) => end(closeError(code)));

    return {
      send: (message) => {
        if (isOver || socket.readyState !== WebSocket.OPEN) return;
        socket.send(JSON.stringify(message));
        if (socket.bufferedAmount <= MOST_WAITING_BYTES) return;
        end(new AppError('unavailable', 'the service reads nothing', { retryable: true }));
        socket.terminate();
      },
      hold: (isHeld) => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (isHeld) socket.pause();
        else socket.resume();
      },
      close: () =>
        leave(() => {
          if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
          else socket.close(CLOSE.normal);
        }),
      drop: () => leave(() => socket.terminate()),
    };
  };
};
