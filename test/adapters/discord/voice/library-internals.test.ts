import { EventEmitter, once } from 'node:events';
import { createSocket } from 'node:dgram';
import { setImmediate as turn } from 'node:timers/promises';
import {
  NetworkingStatusCode as Code,
  VoiceUDPSocket,
  VoiceWebSocket,
  type VoiceConnection,
} from '@discordjs/voice';
import { describe, expect, it } from 'vitest';
import { createInternals } from '../../../../adapters/discord/voice/library-internals.ts';
import { createTestClock } from '../../../fakes/clock.ts';

class Networking extends EventEmitter {
  state: Record<string, unknown> = { code: Code.OpeningWs, ws: new EventEmitter() };
  readonly taken: unknown[] = [];
  throws = false;
  readonly onWsPacket = (packet: unknown): void => this.take(packet);
  readonly onWsBinary = (message: unknown): void => this.take(message);
  constructor() {
    super();
    this.listen();
  }
  take(message: unknown): void {
    if (this.throws) throw new Error('No session available');
    this.taken.push(message);
  }
  listen(): void {
    const ws = this.state['ws'] as EventEmitter;
    ws.on('packet', this.onWsPacket).on('binary', this.onWsBinary);
  }
  become(state: Record<string, unknown>): void {
    this.state = { ...this.state, ...state };
    if (state['ws']) this.listen();
    this.emit('stateChange');
  }
}

const start = () => {
  const clock = createTestClock();
  const told: unknown[] = [];
  const library = {
    onWsPacket: () => told.push('library ws'),
    onUdpMessage: () => told.push('library'),
  };
  const state: Record<string, unknown> = {};
  const connection = Object.assign(new EventEmitter(), { state, receiver: library });
  const internals = createInternals(connection as unknown as VoiceConnection, clock);
  internals.follow({
    datagram: (message) => told.push(message.toString()),
    packet: ({ op }) => told.push(op),
    renewed: () => told.push('renewed'),
    failed: () => told.push('failed'),
  });
  const enter = () => {
    const networking = new Networking();
    connection.state = { networking };
    connection.emit('stateChange');
    return networking;
  };
  return { clock, told, connection, library, internals, enter, networking: enter() };
};

const wsOf = ({ state }: Networking): EventEmitter => state['ws'] as EventEmitter;
const binary = (op: number) => ({ op, payload: Buffer.alloc(1) });
const json = (op: number) => ({ op, d: { transition_id: 1 } });

describe('the sockets of a voice connection', () => {
  it('give what comes, and none of it to the receiver of the library', () => {
    const { told, networking, library } = start();
    const udp = new EventEmitter().on('message', library.onUdpMessage);
    wsOf(networking).on('packet', library.onWsPacket);
    networking.become({ code: Code.Ready, udp });
    udp.emit('message', Buffer.from('datagram'));
    wsOf(networking).emit('packet', json(5));
    expect(told).toEqual(['renewed', 'datagram', 5]);
    expect(networking.taken).toEqual([json(5)]);
  });

  it('ask for the one way of encryption that is spoken here, where it is on offer', () => {
    const { networking } = start();
    const ready = (...modes: string[]) => ({ op: 2, d: { ssrc: 1, modes } });
    wsOf(networking).emit('packet', ready('xchacha', 'aead_aes256_gcm_rtpsize'));
    wsOf(networking).emit('packet', ready('xchacha'));
    expect(networking.taken).toEqual([ready('aead_aes256_gcm_rtpsize'), ready('xchacha')]);
  });

  it('are followed to another session, and the old ones let go', () => {
    const { told, networking, enter, internals } = start();
    const udp = new EventEmitter();
    networking.become({ code: Code.Ready, udp });
    const next = enter();
    expect(wsOf(networking).listenerCount('packet')).toBe(0);
    expect(udp.listenerCount('message')).toBe(0);
    expect(networking.listenerCount('stateChange')).toBe(0);
    wsOf(next).emit('packet', json(5));
    expect(told).toEqual(['renewed', 'renewed', 5]);
    expect(internals.key()).toBeUndefined();
    next.become({ code: Code.Ready, connectionData: { secretKey: Uint8Array.of(1) }, dave: {} });
    expect([internals.key(), internals.dave()]).toEqual([Uint8Array.of(1), {}]);
    next.become({ code: Code.Resuming, ws: new EventEmitter() });
    expect(internals.key()).toEqual(Uint8Array.of(1));
    next.become({ code: Code.Closed });
    expect([internals.key(), internals.dave()]).toEqual([undefined, undefined]);
  });

  it('leave nothing behind when they are let go', () => {
    const { networking, connection, internals, clock } = start();
    const ws = wsOf(networking);
    const udp = Object.assign(new EventEmitter(), { performIPDiscovery: async () => undefined });
    networking.become({ code: Code.UdpHandshaking, udp, connectionData: { ssrc: 1 } });
    internals[Symbol.dispose]();
    const left = [ws, udp, networking, connection].flatMap((each) => each.eventNames());
    expect(left).toEqual([]);
    expect(clock.waiting).toBe(0);
  });
});

describe('what the voice gateway says of the encryption', () => {
  it('waits until the library can take it, in its order', () => {
    const { networking } = start();
    const ws = wsOf(networking);
    networking.become({ code: Code.SelectingProtocol });
    ws.emit('binary', binary(25));
    ws.emit('binary', binary(27));
    networking.become({ code: Code.Ready, dave: {} });
    expect(networking.taken).toEqual([]);
    networking.become({ dave: { session: {} } });
    expect(networking.taken).toEqual([binary(25), binary(27)]);
    ws.emit('binary', binary(29));
    expect(networking.taken).toHaveLength(3);
  });

  it('is kept up to 256 messages', () => {
    const { networking } = start();
    for (let at = 0; at < 1_000; at += 1) wsOf(networking).emit('binary', binary(27));
    networking.become({ code: Code.Ready, dave: { session: {} } });
    expect(networking.taken).toHaveLength(256);
    wsOf(networking).emit('binary', binary(29));
    expect(networking.taken.at(-1)).toEqual(binary(29));
  });

  it('waits for the end of a resumption, whether anything was encrypted before or not', () => {
    const { networking } = start();
    networking.become({ code: Code.Ready, dave: {} });
    wsOf(networking).emit('binary', binary(25));
    networking.become({ code: Code.Resuming, ws: new EventEmitter() });
    const ws = wsOf(networking);
    ws.emit('packet', json(24));
    expect(networking.taken).toEqual([]);
    ws.emit('packet', { op: 9, d: null });
    networking.become({ code: Code.Ready });
    expect(networking.taken).toEqual([{ op: 9, d: null }, json(24)]);
    networking.become({ dave: { session: {} } });
    expect(networking.taken.at(-1)).toEqual(binary(25));
  });

  it('ends nothing where the library fails on it', () => {
    const { networking, told } = start();
    networking.become({ code: Code.Ready, dave: { session: {} } });
    networking.throws = true;
    wsOf(networking).emit('binary', binary(25));
    wsOf(networking).emit('packet', json(24));
    expect(told).toEqual(['renewed', 'failed', 'failed', 24]);
  });
});

describe('a message that is none', () => {
  it.each([Buffer.alloc(0), Buffer.alloc(2), 'null', '{'])('ends nothing: %j', (data) => {
    const { networking } = start();
    const ws = new VoiceWebSocket('ws://127.0.0.1:9', false).on('error', () => undefined);
    networking.become({ ws });
    const { ws: socket } = ws as unknown as { ws: { onmessage(event: { data: unknown }): void } };
    socket.onmessage({ data });
    socket.onmessage({ data: '{"op":5,"d":{}}' });
    expect(networking.taken).toEqual([{ op: 5, d: {} }]);
    ws.destroy();
  });
});

describe('the UDP socket', () => {
  it('may be closed in the moment in which it was made', async () => {
    const { networking, enter } = start();
    const udp = new VoiceUDPSocket({ ip: '127.0.0.1', port: 9 });
    networking.become({ code: Code.UdpHandshaking, udp, connectionData: { ssrc: 1 } });
    enter();
    udp.destroy();
    await turn();
    await turn();
    expect(udp.listenerCount('message')).toBe(0);
  });

  it('asks for its address again when no answer comes, and not for ever', async () => {
    const { networking, clock } = start();
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    const asked: number[] = [];
    server.on('message', (message) => {
      if (message.length === 74) asked.push(message.readUInt32BE(4));
    });
    const { port } = server.address();
    const udp = new VoiceUDPSocket({ ip: '127.0.0.1', port });
    networking.become({ code: Code.UdpHandshaking, udp, connectionData: { ssrc: 77 } });
    await clock.advance(2_000);
    await expect.poll(() => asked, { interval: 2 }).toEqual([77, 77]);
    await clock.advance(20_000);
    await expect.poll(() => asked.length, { interval: 2 }).toBe(5);
    networking.become({ code: Code.Ready });
    expect(clock.waiting).toBe(0);
    udp.destroy();
    server.close();
  });
});
