/**
 * The inside of @discordjs/voice 0.19 that receiving needs: its receiver has no sequence numbers, decrypts
 * every packet, and passes encrypted ones on as sound, so packets are taken from its sockets instead. Only
 * this file knows that the library has an inside.
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

/** Receives what one connection to a voice server gives; each reconnect makes another one. */
export interface LibraryListener {
  /** A packet from the UDP socket, whatever it is. */
  datagram(message: Buffer): void;
  packet(packet: VoicePacketIn): void;
  /** Another voice server, or a new session with the same one. */
  renewed(): void;
  /** The library failed on a message about the encryption. */
  failed(): void;
}

interface BinaryIn {
  readonly op: number;
  readonly payload: Buffer;
}

/** Handlers of the library, which it keeps to itself. */
interface Handlers {
  readonly onWsPacket: (packet: VoicePacketIn) => void;
  readonly onWsBinary: (message: BinaryIn) => void;
}

interface ReceiverHandlers {
  readonly onWsPacket: (packet: unknown) => void;
  readonly onUdpMessage: (message: Buffer) => void;
}

/** A message that must not be lost, and cannot be taken yet. */
interface Early {
  readonly isBinary: boolean;
  readonly take: () => void;
}

const READY_OP = 2;

/** JSON messages about the encryption: transitions and epochs. */
const DAVE_OPS: readonly number[] = [21, 22, 24];

/** More than the handshake of a full room; the gateway sends no more before it is through. */
const MOST_EARLY = 256;

/** Repetitions of a request that the library sends once, over UDP. */
const ASK_AGAIN = { most: 5, everyMs: 1_000 };

const socketsOf = (
  networking: Networking,
): { ws?: VoiceWebSocket | undefined; udp?: VoiceUDPSocket | undefined } =>
  networking.state as never;

/** Offers the library one mode: it takes the first that it knows, needed libraries or not. */
const preferMode = (packet: VoicePacketIn): VoicePacketIn => {
  const modes = packet.op === READY_OP ? packet.d?.['modes'] : undefined;
  if (!Array.isArray(modes) || !modes.includes(ENCRYPTION_MODE)) return packet;
  return { ...packet, d: { ...packet.d, modes: [ENCRYPTION_MODE] } };
};

/** Catches faults of work that a socket of the library does by itself. */
const calm = (socket: object, name: string): void => {
  const hidden = socket as Record<string, ((...given: unknown[]) => void) | undefined>;
  const run = hidden[name]?.bind(socket);
  hidden[name] = (...given) => {
    try {
      run?.(...given);
    } catch {
      // Nobody is there to be kept awake, or nothing was said.
    }
  };
};

/** Asks again for the address under which the voice server sees the bot, while no answer comes. */
const createAsking = (networking: Networking, { after }: Clock) => {
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
  const asking = createAsking(networking, clock);
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
  /**
   * True when the library takes a message: it loses binary ones before it is ready, and throws where it has
   * no session yet.
   */
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
    // Its answers to these would go nowhere while it resumes.
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
      // It reads messages that are too short to be read.
      if (ws && isFresh.ws) calm(ws, 'onMessage');
      // Its first keep-alive goes out a moment later, when it may be closed already.
      if (udp && isFresh.udp) calm(udp, 'keepAlive');
    }
    // The library's own receiver is bound anew with each change.
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

/** The library's own encryption session, with what it hides of its state. */
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

export interface LibraryInternals extends Disposable {
  /** Key of the packets between the bot and the voice server; undefined while there is no session. */
  key(): Uint8Array | undefined;
  /** End-to-end encryption; undefined while there is none. */
  dave(): DaveSession | undefined;
}

export const attachInternals = (
  connection: VoiceConnection,
  listener: LibraryListener,
  clock: Clock,
): LibraryInternals => {
  let networking: Networking | undefined;
  let followed: Disposable | undefined;

  const change = (): void => {
    const { state } = connection;
    const next = 'networking' in state ? state.networking : undefined;
    if (next === networking) return;
    followed?.[Symbol.dispose]();
    networking = next;
    followed = next && followSockets(connection, next, listener, clock);
    listener.renewed();
  };
  connection.on('stateChange', change);
  change();

  const ready = () => {
    const state = networking?.state;
    return state?.code === NetworkingStatusCode.Ready ||
      state?.code === NetworkingStatusCode.Resuming
      ? state
      : undefined;
  };
  return {
    key: () => ready()?.connectionData.secretKey,
    dave: () => ready()?.dave as DaveSession | undefined,
    [Symbol.dispose]: () => {
      connection.off('stateChange', change);
      followed?.[Symbol.dispose]();
    },
  };
};
