/**
 * The inside of @discordjs/voice 0.19 that hearing needs: its receiver has no sequence numbers, opens every
 * packet, and passes encrypted ones on as sound, so packets are taken from its sockets instead. Nothing
 * else knows that it has an inside.
 */
import {
  NetworkingStatusCode,
  type DAVESession,
  type Networking,
  type VoiceConnection,
  type VoiceUDPSocket,
  type VoiceWebSocket,
} from '@discordjs/voice';
import { ENCRYPTION_MODE } from './rtp.ts';

/** What the voice gateway says in JSON. */
export interface VoicePacketIn {
  readonly op: number;
  /** Null with some ops. */
  readonly d: Readonly<Record<string, unknown>> | null;
}

interface BinaryIn {
  readonly op: number;
  readonly payload: Buffer;
}

/** What one connection to a voice server gives; it is another one after each reconnect. */
export interface WireListener {
  /** A packet from the UDP socket, whatever it is. */
  datagram(message: Buffer): void;
  packet(packet: VoicePacketIn): void;
  /** Another voice server, or a new session with the same. */
  renewed(): void;
  /** The library choked on what the gateway said of the encryption. */
  choked(): void;
}

/** The library's own session, with what it hides of its state. */
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

export interface Wires extends Disposable {
  /** Of the packets between us and the voice server; undefined while there is no session. */
  key(): Uint8Array | undefined;
  /** The end-to-end encryption; undefined while there is none. */
  dave(): DaveSession | undefined;
}

/** Its handlers, which it keeps to itself. */
interface Handlers {
  readonly onWsPacket: (packet: VoicePacketIn) => void;
  readonly onWsBinary: (message: BinaryIn) => void;
}
interface ReceiverHandlers {
  readonly onWsPacket: (packet: unknown) => void;
  readonly onUdpMessage: (message: Buffer) => void;
}

const READY_OP = 2;
/** What is said of the encryption in JSON: transitions and epochs. */
const DAVE_OPS: readonly number[] = [21, 22, 24];
/** More than the handshake of a full room; the gateway sends no more before it is through. */
const MOST_EARLY = 256;

const socketsOf = (
  networking: Networking,
): { ws?: VoiceWebSocket | undefined; udp?: VoiceUDPSocket | undefined } =>
  networking.state as never;

/** The library takes the first mode on offer that it knows, needed libraries or not. */
const preferMode = (packet: VoicePacketIn): VoicePacketIn => {
  const modes = packet.op === READY_OP ? packet.d?.['modes'] : undefined;
  if (!Array.isArray(modes) || !modes.includes(ENCRYPTION_MODE)) return packet;
  return { ...packet, d: { ...packet.d, modes: [ENCRYPTION_MODE] } };
};

/** Follows one `Networking`: its sockets change while it resumes. */
const follow = (
  connection: VoiceConnection,
  networking: Networking,
  listener: WireListener,
): Disposable => {
  const handlers = networking as unknown as Handlers;
  const own = connection.receiver as unknown as ReceiverHandlers;
  let ws: VoiceWebSocket | undefined;
  let udp: VoiceUDPSocket | undefined;
  /** What must not be lost, nor overtake each other. */
  const early: (() => void)[] = [];

  const guarded = (run: () => void): void => {
    try {
      run();
    } catch {
      listener.choked();
    }
  };
  /** It loses binary messages that come before it is ready, and throws where it has no session yet. */
  const takesBinary = (): boolean =>
    networking.state.code === NetworkingStatusCode.Ready &&
    networking.state.dave?.session !== undefined;
  const takeEarly = (): void => {
    while (early.length > 0 && takesBinary()) guarded(early.shift()!);
  };
  const keep = (take: () => void): void => {
    if (early.length < MOST_EARLY) early.push(take);
  };
  const onBinary = (message: BinaryIn): void => {
    keep(() => handlers.onWsBinary(message));
    takeEarly();
  };
  const onPacket = (packet: VoicePacketIn): void => {
    const take = (): void => handlers.onWsPacket(preferMode(packet));
    const isResuming = networking.state.code === NetworkingStatusCode.Resuming;
    if (isResuming && DAVE_OPS.includes(packet.op)) keep(take);
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
    if (next.ws !== ws) {
      ws?.off('packet', onPacket);
      ws?.off('binary', onBinary);
      ({ ws } = next);
      ws?.off('packet', handlers.onWsPacket as never);
      ws?.off('binary', handlers.onWsBinary as never);
      ws?.on('packet', onPacket);
      ws?.on('binary', onBinary);
    }
    ws?.off('packet', own.onWsPacket);
    if (next.udp !== udp) {
      udp?.off('message', onDatagram);
      ({ udp } = next);
      udp?.on('message', onDatagram);
    }
    udp?.off('message', own.onUdpMessage);
    takeEarly();
  };
  networking.on('stateChange', bind);
  bind();
  return {
    [Symbol.dispose]: () => {
      networking.off('stateChange', bind);
      leave();
    },
  };
};

export const attachWires = (connection: VoiceConnection, listener: WireListener): Wires => {
  let networking: Networking | undefined;
  let followed: Disposable | undefined;

  const change = (): void => {
    const { state } = connection;
    const next = 'networking' in state ? state.networking : undefined;
    if (next === networking) return;
    followed?.[Symbol.dispose]();
    networking = next;
    followed = next && follow(connection, next, listener);
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
