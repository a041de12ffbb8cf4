import type { IncomingMessage } from 'node:http';
import { upgradeWebSocket } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import type { Log } from '../../src/telemetry/log.ts';
import type { DictationPeer, DictationSession } from './dictation-session.ts';
import type { Dictations } from './dictations.ts';
import { DICTATION_LIMITS } from './limits.ts';
import type { Profile } from './profiles.ts';

/** The path on which pages send what is being recorded. */
export const DICTATION_PATH = '/api/dictation';

/** True for a request that begins a connection for a recording. */
export const isDictation = ({ url = '', headers }: IncomingMessage): boolean =>
  url.split('?')[0] === DICTATION_PATH && headers.upgrade?.toLowerCase() === 'websocket';

/** Longest wait for a browser's half of a close. */
const CLOSE_MS = 2_000;

/** Creates the server of the page's WebSocket, which the HTTP server hands its upgrades. */
export const createSocketServer = (): WebSocketServer => {
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    maxPayload: DICTATION_LIMITS.messageBytes,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
  };
  return new WebSocketServer(options);
};

const peerOf = (socket: WebSocket): DictationPeer => ({
  send: (words) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(words));
    if (socket.bufferedAmount > DICTATION_LIMITS.waitingBytes) socket.terminate();
  },
  close: (code) => socket.close(code),
});

/** Creates the handler of `DICTATION_PATH`. */
export const createDictationHandler = (
  dictations: Dictations,
  log: Pick<Log, 'error'>,
): MiddlewareHandler =>
  upgradeWebSocket(
    async (c) => {
      const begin = await dictations.open(c.get('member') as Profile);
      let session: DictationSession | undefined;
      return {
        onOpen: (_, { raw }) => {
          session = begin(peerOf(raw as WebSocket));
        },
        onMessage: ({ data }) => {
          if (typeof data === 'string') session?.text(data);
          else session?.bytes(new Uint8Array(data as ArrayBuffer));
        },
        onClose: () => session?.closed(),
      };
    },
    { onError: (error) => log.error({ err: error }, 'a dictation failed') },
  );
