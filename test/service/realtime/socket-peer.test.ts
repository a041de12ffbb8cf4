import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { socketPeer } from '../../../service/realtime/socket-peer.ts';

const MIB = 1_048_576;

const open = () => {
  const taken: ((error?: Error) => void)[] = [];
  const socket = {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    send: (data: Uint8Array, done: (error?: Error) => void) => {
      socket.bufferedAmount += data.length;
      taken.push(done);
    },
    terminate: vi.fn(),
  };
  const network = Object.assign(new EventEmitter(), { setTimeout: vi.fn() });
  const peer = socketPeer(socket as unknown as WebSocket, network as never);
  return { socket, network, peer, take: () => taken.shift()?.() };
};

afterEach(() => {
  vi.useRealTimers();
});

describe('a client that takes audio slowly', () => {
  it('gets more while there is room, and has all the time in which it takes some', async () => {
    vi.useFakeTimers();
    const { socket, network, peer, take } = open();
    await peer.sendAudio(new Uint8Array(4 * MIB));
    let hasRoom = false;
    const sent = peer.sendAudio(new Uint8Array(MIB)).then(() => (hasRoom = true));
    await vi.advanceTimersByTimeAsync(600_000);
    expect([hasRoom, socket.terminate.mock.calls]).toEqual([false, []]);
    expect(network.setTimeout.mock.lastCall).toEqual([60_000]);
    take();
    take();
    await sent;
    expect(network.setTimeout.mock.lastCall).toEqual([0]);
  });

  it('is gone when it takes nothing at all', () => {
    const { socket, network } = open();
    network.emit('timeout');
    expect(socket.terminate).toHaveBeenCalledOnce();
  });
});
