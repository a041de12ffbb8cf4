import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { CloseCode, Intent, Opcode } from '../codes.ts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Json } from '../faults.ts';
import type { GatewayEvent, World } from '../state.ts';
import { clientOf } from '../router.ts';
import { openConnection } from './connection.ts';
import { Session, type EventFault } from './session.ts';

export interface GatewayOptions {
  readonly heartbeatMs: number;
  /** IDENTIFYs of different shards that may come at once. */
  readonly maxConcurrency: number;
  /** What `/gateway/bot` recommends. */
  readonly shards: number;
  /** Events kept for a RESUME; above it a session cannot be resumed. */
  readonly replayLimit: number;
}

/** How long a session without a connection can be resumed, on the fake's clock. */
const SESSION_LIFE_MS = 5 * 60_000;

/** Session starts of a day. */
const STARTS = 1_000;

const ALL_INTENTS = Object.values(Intent).reduce<number>(
  (sum, bit) => (typeof bit === 'number' ? sum | bit : sum),
  0,
);

/** A session that was connected or is no more. */
export interface ShardEntry {
  /** Name of the client, where it uses `urlFor`. */
  readonly client: string;
  readonly session: string;
  readonly shard: readonly [id: number, count: number];
  readonly what: 'identified' | 'resumed' | 'closed';
  /** Real time, ms, as of `performance.now`. */
  readonly atMs: number;
}

/** What a test does to the gateway. */
export interface GatewayDriver {
  /** Sessions that exist, connected or not. */
  readonly sessions: readonly {
    readonly id: string;
    readonly connected: boolean;
    readonly shard: readonly [number, number];
    readonly intents: number;
    readonly client: string;
  }[];
  /** Who had which shard when, in the order of the events. */
  readonly log: readonly ShardEntry[];
  /** IDENTIFYs that came too soon after another of their key. */
  readonly throttled: number;
  /** Session starts that are left today; at none, the token is reset. */
  startsLeft: number;
  /** IDENTIFYs and RESUMEs that were accepted. */
  readonly identifies: number;
  readonly resumes: number;
  /** Connections that were reset while `refuse` was on. */
  readonly refusals: number;
  /** Cuts every connection without a word; events go on being kept for a RESUME. */
  drop(): void;
  /** Closes every connection with a code, e.g. 4000 or 1001. */
  close(code: number): void;
  /** Asks every client to reconnect (op 7). */
  reconnect(): void;
  /** Forgets all sessions: what happens until the next IDENTIFY is lost. Connected clients get op 9. */
  invalidate(): void;
  /** True: connections are reset until it is called with false. */
  refuse(refused: boolean): void;
  /** True: heartbeats are not acknowledged, as on a connection that is dead without knowing. */
  mute(muted: boolean): void;
  /** Spoils the next `times` events of a type, in every session that gets them. */
  spoil(event: string, fault: EventFault, times?: number): void;
}

export interface Gateway extends GatewayDriver {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: GatewayEvent): void;
  readonly starts: { readonly count: number; readonly concurrency: number; readonly left: number };
  stop(): void;
}

export const createGateway = (world: World, options: GatewayOptions): Gateway => {
  const server = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  const spoilt: { event: string; fault: EventFault; left: number }[] = [];
  const counts = { identifies: 0, resumes: 0, refusals: 0, throttled: 0 };
  const log: ShardEntry[] = [];
  let startsLeft = STARTS;

  const note = ({ client, id, shard }: Session, what: ShardEntry['what']): void =>
    void log.push({ client, session: id, shard, what, atMs: performance.now() });
  let refused = false;
  let muted = false;

  const connected = (): Session[] => [...sessions.values()].filter((one) => one.socket);

  const expire = (): void => {
    for (const one of sessions.values())
      if (one.goneAt !== undefined && one.goneAt + SESSION_LIFE_MS < world.clock.now())
        sessions.delete(one.id);
  };

  const faultFor = (event: string): EventFault | undefined => {
    const hit = spoilt.find((one) => one.event === event && one.left > 0);
    if (hit !== undefined) hit.left -= 1;
    return hit?.fault;
  };

  const attach = (session: Session, socket: WebSocket): void => {
    if (session.socket !== socket) session.socket?.terminate();
    session.socket = socket;
    session.goneAt = undefined;
    socket.once('close', (code) => {
      if (session.socket !== socket) return;
      session.socket = undefined;
      note(session, 'closed');
      session.goneAt = world.clock.now();
      // A client that closes with these codes ends its session.
      if (code === 1000 || code === 1001) sessions.delete(session.id);
      world.changed();
    });
  };

  const identify = (socket: WebSocket, d: Json, client: string): Session | number | 'throttled' => {
    const intents = d['intents'];
    const [id, count] = (d['shard'] ?? [0, 1]) as [number, number];
    if (d['token'] !== world.token) return CloseCode.AuthenticationFailed;
    if (typeof intents !== 'number' || intents & ~ALL_INTENTS) return CloseCode.InvalidIntents;
    const asked = intents & ((1 << 1) | (1 << 8) | (1 << 15));
    if (asked & ~world.privileged) return CloseCode.DisallowedIntents;
    if (!(Number.isInteger(id) && Number.isInteger(count) && id >= 0 && id < count))
      return CloseCode.InvalidShard;
    const rate = { count: 1, windowMs: 5000 };
    if (!world.limits.allows(`identify ${id % options.maxConcurrency}`, rate)) {
      counts.throttled += 1;
      return 'throttled';
    }
    if (startsLeft <= 0) return CloseCode.AuthenticationFailed;
    startsLeft -= 1;
    const session = new Session({
      intents,
      shard: [id, count],
      client,
      compress: d['compress'] === true,
      keep: options.replayLimit,
      socket,
    });
    counts.identifies += 1;
    sessions.set(session.id, session);
    attach(session, socket);
    note(session, 'identified');
    return session;
  };

  const resume = (socket: WebSocket, d: Json): Session | number | 'throttled' => {
    expire();
    const session = sessions.get(String(d['session_id']));
    const seq = Number(d['seq']);
    if (d['token'] !== world.token) return CloseCode.AuthenticationFailed;
    if (session === undefined) return 'throttled';
    if (seq > session.seq) return CloseCode.InvalidSeq;
    attach(session, socket);
    if (!session.replay(seq)) {
      sessions.delete(session.id);
      return 'throttled';
    }
    counts.resumes += 1;
    note(session, 'resumed');
    return session;
  };

  return {
    upgrade: (request, socket, head) => {
      const url = new URL(request.url ?? '', 'ws://gateway');
      if (refused) {
        counts.refusals += 1;
        world.changed();
        (socket as { resetAndDestroy?: () => void }).resetAndDestroy?.();
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => {
        if (url.searchParams.get('v') !== '10') return client.close(CloseCode.InvalidAPIVersion);
        // Only JSON without a compressed stream is spoken here.
        if (url.searchParams.get('encoding') !== 'json' || url.searchParams.has('compress'))
          return client.close(CloseCode.DecodeError);
        openConnection(world, client, {
          heartbeatMs: options.heartbeatMs,
          identify,
          resume,
          isMuted: () => muted,
          client: clientOf(url.pathname).client,
        });
      });
    },
    dispatch: (event) => {
      expire();
      const wanting = [...sessions.values()].filter((one) => one.wants(event));
      if (wanting.length === 0) return;
      const fault = faultFor(event.t);
      for (const one of wanting) one.dispatch(event.t, event.d(one.readsContent), fault);
    },
    get sessions() {
      expire();
      return [...sessions.values()].map((one) => ({
        id: one.id,
        connected: one.socket !== undefined,
        shard: one.shard,
        intents: one.intents,
        client: one.client,
      }));
    },
    get identifies() {
      return counts.identifies;
    },
    get resumes() {
      return counts.resumes;
    },
    log,
    get throttled() {
      return counts.throttled;
    },
    get startsLeft() {
      return startsLeft;
    },
    set startsLeft(left) {
      startsLeft = left;
    },
    get refusals() {
      return counts.refusals;
    },
    get starts() {
      return {
        count: options.shards,
        concurrency: options.maxConcurrency,
        left: startsLeft,
      };
    },
    drop: () => connected().forEach((one) => one.socket?.terminate()),
    close: (code) => connected().forEach((one) => one.socket?.close(code)),
    reconnect: () =>
      connected().forEach((one) => one.write(JSON.stringify({ op: Opcode.Reconnect, d: null }))),
    invalidate: () => {
      for (const one of connected())
        one.write(JSON.stringify({ op: Opcode.InvalidSession, d: false }));
      sessions.clear();
    },
    refuse: (value) => {
      refused = value;
    },
    mute: (value) => {
      muted = value;
    },
    spoil: (event, fault, times = 1) => {
      spoilt.push({ event, fault, left: times });
    },
    stop: () => {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
};
