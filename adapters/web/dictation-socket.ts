import { upgradeWebSocket } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import type { Log } from '../../src/log.ts';
import type { DictationPeer, DictationSession } from './dictation-session.ts';
import type { Dictations } from './dictations.ts';
import { DICTATION_LIMITS } from './limits.ts';
import type { Profile } from './profiles.ts';

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

/** Creates the handler of the path on which pages send what is being recorded. */
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
