import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { PATHS } from '../../src/api/contract.ts';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import { realClock, type Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { chooseProtocol, upgradeAuthorization } from '../browser-origins.ts';
import type { EngineConfig } from '../config.ts';
import type { Engines } from '../engine-loader.ts';
import { ContractError, errorReply, invalidRequest } from '../errors.ts';
import type { AccessKind } from '../keys/access.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { Accounts } from '../keys/accounts.ts';
import {
  currentRequestId,
  inRequest,
  logRequest,
  REQUEST_ID_HEADER,
  requestIdFrom,
} from '../request-log.ts';
import type { Spools } from '../speech/spool.ts';
import { MOST_MESSAGE_BYTES, runConnection } from './connection.ts';
import { floodError, type Peer, type PeerSession } from './peer.ts';
import { OPENAI_PATHS } from '../routes/lists.ts';
import { startTranscriptionSession } from './openai/transcription-session.ts';
import { startRecognitionSession } from './recognition-session.ts';
import { startSpeechSession } from './speech-session.ts';

/** Frames over this are not even read; up to it, the client is told what is wrong. */
const MOST_FRAME_BYTES = 4 * MOST_MESSAGE_BYTES;
/** Sessions of all paths at the same time: each keeps up to 2 MB of audio, and 12 MB where engines fall behind. */
const MOST_SESSIONS = 64;
/** Sessions of one key: a Dragoman opens up to 24. */
const MOST_SESSIONS_OF_KEY = MOST_SESSIONS / 2;
const RECOGNITION = { access: 'realtime-recognition', idleMs: 60_000 } as const;
/** Sessions by their path: the access that a key needs, and the longest silence. */
const SESSIONS = new Map<string, { readonly access: AccessKind; readonly idleMs: number }>([
  [PATHS.realtimeRecognition, RECOGNITION],
  [OPENAI_PATHS.realtime, RECOGNITION],
  [PATHS.realtimeSpeech, { access: 'speech', idleMs: 180_000 }],
]);
/** Longest wait for a client's half of a close. */
const CLOSE_MS = 2_000;

export interface RealtimeDeps {
  readonly engines: Engines;
  readonly config: Pick<EngineConfig, 'SERVICE_TTS_TEXT_LIMIT'>;
  readonly log: Log;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly spools: Spools;
  /** Origins whose pages may give the key as a subprotocol. Default: none. */
  readonly browserOrigins?: readonly string[];
  readonly clock?: Clock;
}

export type RealtimeServer = ReturnType<typeof serveRealtime>;

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const ignore = (): void => undefined;

/** Answers an upgrade with an HTTP error and closes the connection. */
const refuse = async (socket: Socket, reply: Response, requestId: string): Promise<void> => {
  const body = await reply.text();
  const head = [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`,
    ...[...reply.headers].map(([name, value]) => `${name}: ${value}`),
    `${REQUEST_ID_HEADER}: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Serves the two WebSocket paths of contract section 4.1, and one of the OpenAI API, on `server`. */
export const serveRealtime = (
  server: Server,
  { engines, config, log, accounts, spools, browserOrigins = [], clock = realClock }: RealtimeDeps,
) => {
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
    handleProtocols: chooseProtocol,
  };
  const upgrader = new WebSocketServer(options);
  upgrader.on('headers', (headers) => headers.push(`${REQUEST_ID_HEADER}: ${currentRequestId()}`));
  upgrader.on('wsClientError', ({ message }) => {
    throw invalidRequest(`This is no WebSocket handshake: ${message}.`);
  });
  /** Open sessions, with the name of the key of each. */
  const sockets = new Map<WebSocket, string>();
  let isClosing = false;

  /** Finds how a session of the path starts; throws when no engine serves it. */
  const starterOf = async (
    path: string,
    account: KeyAccount,
    { headers }: IncomingMessage,
  ): Promise<(peer: Peer) => PeerSession> => {
    const common = { account, clock, log };
    if (path === PATHS.realtimeSpeech) {
      const offers = await engines.offers('speech');
      if (offers.length === 0) throw engines.missing({ ability: 'speech' });
      const textLimit = config.SERVICE_TTS_TEXT_LIMIT;
      return (peer) => startSpeechSession({ ...common, peer, engines, spools, textLimit });
    }
    const offers = await engines.offers('recognition');
    if (offers.length === 0) throw engines.missing({ ability: 'recognition' });
    const isFormer = headers['openai-beta'] !== undefined;
    return (peer) =>
      path === OPENAI_PATHS.realtime
        ? startTranscriptionSession({ ...common, peer, offers, isFormer })
        : startRecognitionSession({ ...common, peer, offers });
  };

  const checkRoom = ({ name }: KeyAccount): void => {
    const ofKey = [...sockets.values()].filter((one) => one === name).length;
    if (ofKey >= MOST_SESSIONS_OF_KEY) throw floodError('too many sessions of this key are open');
    if (sockets.size >= MOST_SESSIONS) throw floodError('too many sessions are open');
    if (isClosing) throw new ContractError('ErrBackendUnreachable', 'The service stops.');
  };

  const upgrade = async (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    isOf: (account: KeyAccount) => void,
  ): Promise<void> => {
    const path = pathOf(request);
    const found = SESSIONS.get(path);
    // As for other requests, who has no key does not learn which paths there are.
    const account = accounts.find(upgradeAuthorization(request.headers, browserOrigins));
    isOf(account);
    if (!found) throw new ContractError('ErrUnsupportedEndpoint', 'Unsupported API endpoint');
    const { access, idleMs } = found;
    account.admit(access);
    const start = await starterOf(path, account, request);
    checkRoom(account);
    if (socket.destroyed) return;
    const requestId = currentRequestId() ?? '';
    upgrader.handleUpgrade(request, socket, head, (opened) => {
      sockets.set(opened, account.name);
      opened.on('close', () => sockets.delete(opened));
      const session = { account, access, idleMs, start, requestId };
      runConnection({ socket: opened, network: socket, ...session, clock, log });
    });
  };

  const answer = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const requestId = currentRequestId() ?? '';
    const startMs = clock.nowMs();
    let by: string | undefined;
    let status = 101;
    try {
      await upgrade(request, socket, head, ({ name }) => (by = name));
    } catch (thrown) {
      const reply = errorReply(thrown, 'realtime');
      ({ status } = reply);
      if (status >= 500) log.warn({ requestId, status, err: thrown }, 'a request failed');
      await refuse(socket, reply, requestId);
    }
    const method = request.method ?? '';
    const ms = clock.nowMs() - startMs;
    const whole = !socket.destroyed;
    logRequest(log, { requestId, method, path: pathOf(request), status, whole, ms, by });
  };

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', ignore);
    const given = request.headers[REQUEST_ID_HEADER];
    inRequest(requestIdFrom(String(given ?? '')), () => void answer(request, socket, head));
  });

  return {
    get sessions(): number {
      return sockets.size;
    },
    /** Ends all sessions; clients see 1001. */
    close: async (): Promise<void> => {
      isClosing = true;
      const ends = [...sockets.keys()].map(async (socket) => {
        const closed = new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
        });
        socket.close(CLOSE.away, 'the service stops');
        await closed;
      });
      await Promise.all(ends);
    },
  };
};
