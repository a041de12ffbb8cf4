import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { tickets } from '../methods/apps.ts';
import type { Json } from '../json.ts';
import type { World } from '../state.ts';
import type { Outcome, Transport } from './transport.ts';

/** Sockets that an app may have open ("Socket Mode": up to 10). */
const SOCKETS = 10;
/** Slack pings its clients; Bolt reconnects after 30 s without one. */
const PING_MS = 10_000;
/** Wait for clients to close their side. */
const CLOSE_MS = 200;

export interface SocketDriver {
  /** Sockets that are open. */
  readonly connected: number;
  /** Sockets that were opened so far. */
  readonly opened: number;
  /** Tells every client to go away, as Slack does to renew its servers. */
  disconnect(reason?: 'warning' | 'refresh_requested'): void;
  /** Cuts every connection without a word. */
  drop(): void;
  /** True: new connections are refused. */
  refuse(refused: boolean): void;
  /** True: connections stand still: nothing is sent, and acknowledgements are not read. */
  freeze(frozen: boolean): void;
}

export interface Sockets extends SocketDriver, Transport {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  stop(): Promise<void>;
}

/** @param ackMs time to acknowledge */
export const createSockets = (world: World, ackMs: number): Sockets => {
  const server = new WebSocketServer({ noServer: true });
  const open = new Set<WebSocket>();
  const waiting = new Map<string, (body: unknown) => void>();
  let opened = 0;
  let next = 0;
  let refused = false;
  let frozen = false;

  const take = (data: unknown): void => {
    if (frozen) return;
    const { envelope_id: id, payload } = JSON.parse(String(data)) as Json;
    waiting.get(String(id))?.(payload);
  };

  const accept = (socket: WebSocket): void => {
    opened += 1;
    open.add(socket);
    // Each delivery waits for its end.
    socket.setMaxListeners(0);
    const pinging = setInterval(() => frozen || socket.ping(), PING_MS);
    socket.on('message', take);
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearInterval(pinging);
      open.delete(socket);
      world.changed();
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: open.size,
        connection_info: { app_id: world.app.id },
        debug_info: { host: 'fake', approximate_connection_time: 18_060 },
      }),
    );
    world.changed();
  };

  return {
    get connected() {
      return open.size;
    },
    get opened() {
      return opened;
    },
    disconnect: (reason = 'refresh_requested') => {
      for (const socket of open) socket.send(JSON.stringify({ type: 'disconnect', reason }));
    },
    drop: () => {
      for (const socket of open) socket.terminate();
    },
    refuse: (value) => {
      refused = value;
    },
    freeze: (value) => {
      frozen = value;
    },
    upgrade: (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'ws://fake').searchParams.get('ticket') ?? '';
      if (refused || open.size >= SOCKETS || !tickets(world).delete(ticket)) {
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, accept);
    },
    deliver: ({ kind, payload, retry, reason }) =>
      new Promise<Outcome>((resolve) => {
        const sockets = [...open];
        next += 1;
        const socket = sockets[next % Math.max(1, sockets.length)];
        if (!socket || frozen) return resolve({ acked: false, reason: 'connection_failed' });
        const id = randomUUID();
        const sentAt = Date.now();
        const end = (outcome: Outcome): void => {
          waiting.delete(id);
          clearTimeout(timer);
          socket.off('close', lost);
          resolve(outcome);
        };
        const lost = (): void => end({ acked: false, reason: 'connection_failed' });
        const timer = setTimeout(() => end({ acked: false, reason: 'timeout' }), ackMs);
        socket.once('close', lost);
        waiting.set(id, (body) => end({ acked: true, body, afterMs: Date.now() - sentAt }));
        socket.send(
          JSON.stringify({
            envelope_id: id,
            type: kind,
            payload,
            accepts_response_payload: kind !== 'events_api',
            ...(kind === 'events_api' ? { retry_attempt: retry, retry_reason: reason ?? '' } : {}),
          }),
        );
      }),
    stop: async () => {
      const closing = [...open].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      );
      for (const socket of open) socket.close(1001);
      const patience = setTimeout(() => open.forEach((socket) => socket.terminate()), CLOSE_MS);
      await Promise.all(closing);
      clearTimeout(patience);
      server.close();
    },
  };
};
