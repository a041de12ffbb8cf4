import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { PATHS } from '../../src/api/contract.ts';
import { CLOSE } from '../../src/api/realtime/contract.ts';
import { realClock, type Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/log.ts';
import { chooseProtocol, upgradeAuthorization } from '../browser-origins.ts';
import type { EngineConfig } from '../config.ts';
import type { Engines } from '../engine-loader.ts';
import { ContractError, errorReply } from '../errors.ts';
import type { Purpose } from '../keys/access.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { Accounts } from '../keys/accounts.ts';
import type { Spools } from '../speech/spool.ts';
import { floodError, sendError, type Peer, type PeerSession } from './peer.ts';
import { startRecognitionSession } from './recognition-session.ts';
import { startSpeechSession } from './speech-session.ts';
import { socketPeer } from './socket-peer.ts';

/** The largest message: 6 s of audio as base64. */
const MOST_MESSAGE_BYTES = 256 * 1_024;
/** Frames over this are not even read; up to it, the client is told what is wrong. */
const MOST_FRAME_BYTES = 4 * MOST_MESSAGE_BYTES;
/** Sessions of both paths at the same time: each keeps up to 2 MB of audio. */
const MOST_SESSIONS = 64;
/** Longest pause between two messages of a client. */
const IDLE_MS = { recognition: 60_000, speech: 180_000 };
/** Access that a key needs for a path. */
const PURPOSES = {
  recognition: 'realtime-recognition',
  speech: 'speech',
} as const satisfies Record<Path, Purpose>;
/** Time between two looks at the key of an open session, which may have been revoked. */
const KEY_CHECK_MS = 2_000;
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

export interface RealtimeServer {
  /** Sessions that are open. */
  readonly sessions: number;
  /** Ends all sessions; clients see 1001. */
  close(): Promise<void>;
}

type Path = keyof typeof IDLE_MS;

const pathOf = ({ url = '' }: IncomingMessage): Path | undefined => {
  const [path] = url.split('?');
  if (path === PATHS.realtimeRecognition) return 'recognition';
  return path === PATHS.realtimeSpeech ? 'speech' : undefined;
};

const ignore = (): void => undefined;

/** Answers an upgrade with an HTTP error and closes the connection. */
const refuse = async (socket: Duplex, reply: Response): Promise<void> => {
  const body = await reply.text();
  const head = [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`,
    ...[...reply.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Serves the two WebSocket paths of contract section 4.1 on `server`. */
export const serveRealtime = (
  server: Server,
  { engines, config, log, accounts, spools, browserOrigins = [], clock = realClock }: RealtimeDeps,
): RealtimeServer => {
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
    handleProtocols: chooseProtocol,
  };
  const upgrader = new WebSocketServer(options);
  const sockets = new Set<WebSocket>();
  let isClosing = false;

  const open = (
    socket: WebSocket,
    path: Path,
    account: KeyAccount,
    start: (peer: Peer) => PeerSession,
  ): void => {
    sockets.add(socket);
    const peer = socketPeer(socket);
    let session: PeerSession | undefined;
    let stopIdle: (() => void) | undefined;
    let stopChecks: (() => void) | undefined;
    const checkKey = (): void => {
      stopChecks = clock.after(KEY_CHECK_MS, checkKey);
      try {
        account.checkOpen(PURPOSES[path]);
      } catch (error) {
        // A database that cannot be read now says nothing about the key.
        if (!(error instanceof ContractError)) return;
        sendError(peer, error, log, CLOSE.refused);
        session?.closed();
      }
    };
    const awake = (): void => {
      stopIdle?.();
      stopIdle = clock.after(IDLE_MS[path], () => {
        const error = new ContractError('ErrInvalidRequest', 'The session was idle for too long.');
        sendError(peer, error, log, CLOSE.away);
        session?.closed();
      });
    };
    socket.on('message', (data: Buffer, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      awake();
      if (data.length > MOST_MESSAGE_BYTES) {
        const text = `The message is over ${MOST_MESSAGE_BYTES} bytes.`;
        sendError(peer, new ContractError('ErrRequestTooLarge', text), log, CLOSE.tooLarge);
        session?.closed();
      } else if (isBinary) session?.bytes();
      else session?.message(data.toString('utf8'));
    });
    // The close that follows an error is all that is needed.
    socket.on('error', ignore);
    socket.on('close', () => {
      stopIdle?.();
      stopChecks?.();
      sockets.delete(socket);
      session?.closed();
    });
    session = start(peer);
    awake();
    if (account.isMetered) stopChecks = clock.after(KEY_CHECK_MS, checkKey);
  };

  /** Finds how a session of the path starts; throws when no engine serves it. */
  const starterOf = async (
    path: Path,
    account: KeyAccount,
  ): Promise<(peer: Peer) => PeerSession> => {
    if (path === 'speech') {
      const offers = await engines.offers('speech');
      if (offers.length === 0) throw engines.missing({ ability: 'speech' });
      const textLimit = config.SERVICE_TTS_TEXT_LIMIT;
      return (peer) =>
        startSpeechSession({ peer, account, engines, spools, textLimit, clock, log });
    }
    const offers = await engines.offers('recognition');
    if (offers.length === 0) throw engines.missing({ ability: 'recognition' });
    return (peer) => startRecognitionSession({ peer, account, offers, clock, log });
  };

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const path = pathOf(request);
    // As for other requests, who has no key does not learn which paths there are.
    const account = accounts.find(upgradeAuthorization(request.headers, browserOrigins));
    if (!path) throw new ContractError('ErrUnsupportedEndpoint', 'Unsupported API endpoint');
    account.admit(PURPOSES[path]);
    const start = await starterOf(path, account);
    if (sockets.size >= MOST_SESSIONS) throw floodError('too many sessions are open');
    if (isClosing) throw new ContractError('ErrBackendUnreachable', 'The service stops.');
    if (!socket.destroyed)
      upgrader.handleUpgrade(request, socket, head, (opened) => open(opened, path, account, start));
  };

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', ignore);
    upgrade(request, socket, head).then(
      () => socket.off('error', ignore),
      (thrown: unknown) => void refuse(socket, errorReply(thrown, 'realtime')),
    );
  });

  return {
    get sessions() {
      return sockets.size;
    },
    close: async () => {
      isClosing = true;
      const ends = [...sockets].map(async (socket) => {
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
