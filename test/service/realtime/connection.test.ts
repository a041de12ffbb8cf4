import { EventEmitter } from 'node:events';
import { describe, expect, it, afterEach, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { operatorAccount } from '../../../service/keys/account.ts';
import { runConnection, socketPeer } from '../../../service/realtime/connection.ts';
import type { Peer } from '../../../service/realtime/peer.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createTestClock } from '../../fakes/clock.ts';

const IDLE_MS = 180_000;

const open = () => {
  const clock = createTestClock();
  const closes: number[] = [];
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    send: () => undefined,
    close: (code: number) => {
      closes.push(code);
      socket.emit('close', code);
    },
  });
  let isBusy = false;
  let peer: Peer | undefined;
  runConnection({
    socket: socket as unknown as WebSocket,
    network: { setTimeout: () => undefined as never, on: () => undefined as never },
    account: operatorAccount('one'),
    access: 'speech',
    idleMs: IDLE_MS,
    start: (given) => {
      peer = given;
      const ignore = (): void => undefined;
      return { message: ignore, bytes: ignore, closed: ignore, isBusy: () => isBusy };
    },
    requestId: 'r',
    clock,
    log: silentLog,
  });
  return {
    clock,
    closes,
    peer: peer!,
    work: (is: boolean): void => {
      isBusy = is;
    },
  };
};

describe('the connection of a session', () => {
  it('is closed once nobody has said anything for too long', async () => {
    const { clock, closes } = open();
    await clock.advance(IDLE_MS - 1);
    expect(closes).toEqual([]);
    await clock.advance(1);
    expect([closes, clock.waiting]).toEqual([[1001], 0]);
  });

  it('is kept while the client waits for the service, and for a whole pause after that', async () => {
    const { clock, closes, peer, work } = open();
    work(true);
    await clock.advance(5 * IDLE_MS - 1);
    peer.send({ type: 'tts.audio.done' });
    work(false);
    await clock.advance(IDLE_MS - 1);
    expect(closes).toEqual([]);
    await clock.advance(1);
    expect(closes).toEqual([1001]);
  });
});

describe('socket peer', () => {
  const MIB = 1_048_576;

  const openPeer = () => {
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
      const { socket, network, peer, take } = openPeer();
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
      const { socket, network } = openPeer();
      network.emit('timeout');
      expect(socket.terminate).toHaveBeenCalledOnce();
    });
  });
});
