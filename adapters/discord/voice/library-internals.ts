/**
 * Internals of @discordjs/voice 0.19 that receiving needs: its receiver has no sequence numbers,
 * decrypts every packet, and passes encrypted ones on as audio, so packets are taken from its
 * sockets instead. Only this file depends on internals of the library.
 */
import {
  type DAVESession,
  type Networking,
  NetworkingStatusCode,
  type VoiceConnection,
  type VoiceUDPSocket,
  type VoiceWebSocket,
} from '@discordjs/voice';
import type { Clock } from '../../../src/async/clock.ts';
import { ENCRYPTION_MODE } from './rtp.ts';

/** A JSON message of the voice gateway. */
export interface VoicePacketIn {
  readonly op: number;
  /** Data; null with some ops. */
  readonly d: Readonly<Record<string, unknown>> | null;
}

/** Receives the events of one connection to a voice server; each reconnect makes another one. */
export interface LibraryListener {
  /** Takes a packet of any kind from the UDP socket. */
  datagram(message: Buffer): void;
  packet(packet: VoicePacketIn): void;
  /** Reports another voice server, or a new session with the same one. */
  renewed(): void;
  /** Reports that the library failed on a message about the encryption. */
  failed(): void;
}

interface BinaryIn {
  readonly op: number;
  readonly payload: Buffer;
}

interface Handlers {
  readonly onWsPacket: (packet: VoicePacketIn) => void;
  readonly onWsBinary: (message: BinaryIn) => void;
}

interface ReceiverHandlers {
  readonly onWsPacket: (packet: unknown) => void;
  readonly onUdpMessage: (message: Buffer) => void;
}

/** A message that must not be lost, and cannot be handled yet. */
interface Early {
  readonly isBinary: boolean;
  readonly take: () => void;
}

const READY_OP = 2;

/** JSON messages about the encryption: transitions and epochs. */
const DAVE_OPS: readonly number[] = [21, 22, 24];

/** Most messages that are kept: more than the handshake of a full room. */
const MOST_EARLY = 256;

/** Repetitions of a request over UDP that the library sends only once. */
const ASK_AGAIN = { most: 5, everyMs: 1_000 };

const socketsOf = (
  networking: Networking,
): { ws?: VoiceWebSocket | undefined; udp?: VoiceUDPSocket | undefined } =>
  networking.state as never;

/** Offers the library a single mode: it would take the first that it knows, available or not. */
const preferMode = (packet: VoicePacketIn): VoicePacketIn => {
  const modes = packet.op === READY_OP ? packet.d?.['modes'] : undefined;
  if (!Array.isArray(modes) || !modes.includes(ENCRYPTION_MODE)) return packet;
  return { ...packet, d: { ...packet.d, modes: [ENCRYPTION_MODE] } };
};

/** Catches errors of work that a socket of the library does by itself. */
const calm = (socket: object, name: string): void => {
  const hidden = socket as Record<string, ((...given: unknown[]) => void) | undefined>;
  const run = hidden[name]?.bind(socket);
  hidden[name] = (...given) => {
    try {
      run?.(...given);
    } catch {
      // The failed call was a keep-alive or an unreadable message, which can be skipped.
    }
  };
};

/** Repeats the request for the bot's external address while the voice server does not answer. */
const createAddressRequest = (networking: Networking, { after }: Clock) => {
  let cancel: (() => void) | undefined;
  let left = ASK_AGAIN.most;
  const wait = (): void => {
    cancel = after(ASK_AGAIN.everyMs, () => {
      const { state } = networking;
      if (state.code !== NetworkingStatusCode.UdpHandshaking || left <= 0) return;
      left -= 1;
      state.udp.performIPDiscovery(state.connectionData.ssrc).catch(() => undefined);
      wait();
    });
  };
  return {
    adjust: (): void => {
      if (networking.state.code !== NetworkingStatusCode.UdpHandshaking) cancel?.();
      else if (!cancel) wait();
    },
    stop: (): void => cancel?.(),
  };
};

/** Follows one `Networking`, whose sockets change while it resumes. */
export const followSockets = (
  connection: VoiceConnection,
  networking: Networking,
  listener: LibraryListener,
  clock: Clock,
): Disposable => {
  const handlers = networking as unknown as Handlers;
  const own = connection.receiver as unknown as ReceiverHandlers;
  const asking = createAddressRequest(networking, clock);
  let ws: VoiceWebSocket | undefined;
  let udp: VoiceUDPSocket | undefined;
  const early: Early[] = [];

  const guarded = (run: () => void): void => {
    try {
      run();
    } catch {
      listener.failed();
    }
  };
  /** The library loses binary messages before it is ready, and throws without a session. */
  const isTaken = ({ isBinary }: Early): boolean =>
    networking.state.code === NetworkingStatusCode.Ready &&
    (!isBinary || networking.state.dave?.session !== undefined);
  const takeEarly = (): void => {
    for (let at = early.findIndex(isTaken); at >= 0; at = early.findIndex(isTaken)) {
      const [next] = early.splice(at, 1);
      guarded(next!.take);
    }
  };
  const keep = (message: Early): void => {
    if (early.length < MOST_EARLY) early.push(message);
  };
  const onBinary = (message: BinaryIn): void => {
    keep({ isBinary: true, take: () => handlers.onWsBinary(message) });
    takeEarly();
  };
  const onPacket = (packet: VoicePacketIn): void => {
    const take = (): void => handlers.onWsPacket(preferMode(packet));
    const isResuming = networking.state.code === NetworkingStatusCode.Resuming;
    // While the library resumes, its answers to these messages would be lost.
    if (isResuming && DAVE_OPS.includes(packet.op)) keep({ isBinary: false, take });
    else guarded(take);
    listener.packet(packet);
    takeEarly();
  };
  const onDatagram = (message: Buffer): void => listener.datagram(message);

  const leave = (): void => {
    ws?.off('packet', onPacket);
    ws?.off('binary', onBinary);
    udp?.off('message', onDatagram);
  };
  const bind = (): void => {
    const next = socketsOf(networking);
    if (next.ws !== ws || next.udp !== udp) {
      const isFresh = { ws: next.ws !== ws, udp: next.udp !== udp };
      leave();
      ({ ws, udp } = next);
      ws?.off('packet', handlers.onWsPacket as never);
      ws?.off('binary', handlers.onWsBinary as never);
      ws?.on('packet', onPacket);
      ws?.on('binary', onBinary);
      udp?.on('message', onDatagram);
      // The handler fails on messages that are too short.
      if (ws && isFresh.ws) calm(ws, 'onMessage');
      // The first keep-alive is sent a moment later, when the socket may be closed already.
      if (udp && isFresh.udp) calm(udp, 'keepAlive');
    }
    // The library binds its own receiver again with each change.
    ws?.off('packet', own.onWsPacket);
    udp?.off('message', own.onUdpMessage);
    asking.adjust();
    takeEarly();
  };
  networking.on('stateChange', bind);
  bind();
  return {
    [Symbol.dispose]: () => {
      networking.off('stateChange', bind);
      asking.stop();
      leave();
    },
  };
};

/** The library's encryption session, with the private parts of its state. */
export interface DaveSession extends Pick<
  DAVESession,
  | 'session'
  | 'protocolVersion'
  | 'lastTransitionId'
  | 'reinitializing'
  | 'recoverFromInvalidTransition'
> {
  readonly pendingTransitions: ReadonlyMap<number, number>;
}

/** Creates the access to the library's state of a connection. */
export const createInternals = (connection: VoiceConnection, clock: Clock) => {
  let listener: LibraryListener | undefined;
  let networking: Networking | undefined;
  let followed: Disposable | undefined;

  const change = (): void => {
    const { state } = connection;
    const next = 'networking' in state ? state.networking : undefined;
    if (next === networking) return;
    followed?.[Symbol.dispose]();
    networking = next;
    followed = next && listener && followSockets(connection, next, listener, clock);
    listener?.renewed();
  };

  const ready = () => {
    const state = networking?.state;
    return state?.code === NetworkingStatusCode.Ready ||
      state?.code === NetworkingStatusCode.Resuming
      ? state
      : undefined;
  };
  return {
    /** The key of packets from and to the voice server; undefined without a session. */
    key: (): Uint8Array | undefined => ready()?.connectionData.secretKey,
    /** The end-to-end encryption; undefined while there is none. */
    dave: (): DaveSession | undefined => ready()?.dave as DaveSession | undefined,
    /** Passes the events of the connection's sockets to a listener, for as long as it lasts. */
    follow: (events: LibraryListener): void => {
      listener = events;
      connection.on('stateChange', change);
      change();
    },
    [Symbol.dispose]: () => {
      connection.off('stateChange', change);
      followed?.[Symbol.dispose]();
    },
  };
};
