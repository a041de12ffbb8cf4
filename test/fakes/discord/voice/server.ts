import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { VoiceClose } from './codes.ts';

/** One voice server of Discord's, at an address of its own. */
export interface VoiceServer {
  /** As VOICE_SERVER_UPDATE tells it: `127.0.0.1:PORT`. */
  readonly endpoint: string;
  stop(): void;
}

/** `admits` is asked for each connection before anything is said: false resets it. */
export const startVoiceServer = async (
  certificate: { readonly cert: string; readonly key: string },
  admits: () => boolean,
  open: (socket: WebSocket, endpoint: string) => void,
): Promise<VoiceServer> => {
  const https = createServer(certificate);
  const sockets = new WebSocketServer({ noServer: true });
  https.on('connection', (socket: Socket) => {
    if (!admits()) socket.resetAndDestroy();
  });
  https.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) => {
      const version = new URL(request.url ?? '', 'wss://voice').searchParams.get('v');
      if (version === '8') open(client, endpoint);
      else client.close(VoiceClose.UnknownProtocol);
    }),
  );
  await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
  const endpoint = `127.0.0.1:${(https.address() as AddressInfo).port}`;
  return {
    endpoint,
    stop: () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      https.closeAllConnections();
      https.close();
    },
  };
};
