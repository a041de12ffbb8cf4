import { describe, expect, it } from 'vitest';
import { createPlayer } from '../../../../adapters/discord/voice/player.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const SILENCE = 'f8fffe';

const start = () => {
  const clock = createTestClock(0);
  const sent: { readonly atMs: number; readonly packet: string }[] = [];
  const state = { connected: true, hushes: 0, error: undefined as Error | undefined };
  const player = createPlayer({
    clock,
    send: (packet) => {
      if (state.error) throw state.error;
      if (state.connected) sent.push({ atMs: clock.nowMs(), packet: packet.toString('hex') });
      return state.connected;
    },
    silence: () => (state.hushes += 1),
  });
  const signal = new AbortController();
  return { clock, sent, state, player, signal };
};

async function* packets(count: number, from = 1): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < count; at += 1) yield Uint8Array.of(from + at);
}
const hex = (value: number): string => value.toString(16).padStart(2, '0');
const spoken = (sent: readonly { packet: string }[]): string[] =>
  sent.map(({ packet }) => packet).filter((packet) => packet !== SILENCE);

describe('playing', () => {
  it('sends the first packet at once and one every 20 ms, then silence, and then is quiet', async () => {
    const { clock, sent, state, player, signal } = start();
    const played = player.play(packets(30), signal.signal);
    await clock.advance(0);
    expect(sent).toHaveLength(1);
    await clock.advance(29 * 20);
    await played;
    expect(sent.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 30 }, (_, at) => at * 20));
    await clock.advance(1_000);
    expect(sent.slice(30).map(({ packet }) => packet)).toEqual(Array(5).fill(SILENCE));
    expect(state.hushes).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  it('goes on without a gap when the next speech follows at once', async () => {
    const { clock, sent, player, signal } = start();
    const both = player
      .play(packets(3), signal.signal)
      .then(() => player.play(packets(3, 4), signal.signal));
    await clock.advance(200);
    await both;
    expect(spoken(sent)).toEqual([1, 2, 3, 4, 5, 6].map(hex));
    expect(sent.slice(0, 6).map(({ atMs }) => atMs)).toEqual([0, 20, 40, 60, 80, 100]);
  });

  it('fills with silence what comes too late, and loses nothing of it', async () => {
    const { clock, sent, state, player, signal } = start();
    const late = async function* (): AsyncGenerator<Uint8Array, void, void> {
      yield* packets(2);
      await new Promise<void>((resolve) => clock.after(400, resolve));
      yield* packets(2, 3);
    };
    const played = player.play(late(), signal.signal);
    await clock.advance(1_000);
    await played;
    expect(spoken(sent)).toEqual([1, 2, 3, 4].map(hex));
    expect(sent.find(({ packet }) => packet === '03')?.atMs).toBe(400);
    expect(state.hushes).toBe(2);
  });

  it('waits while there is no connection, and goes on where it stopped', async () => {
    const { clock, sent, state, player, signal } = start();
    const played = player.play(packets(4), signal.signal);
    await clock.advance(20);
    state.connected = false;
    await clock.advance(5_000);
    expect(sent).toHaveLength(2);
    state.connected = true;
    await clock.advance(40);
    await played;
    expect(spoken(sent)).toEqual([1, 2, 3, 4].map(hex));
    expect(sent.slice(2, 4).map(({ atMs }) => atMs)).toEqual([5_040, 5_060]);
  });

  it('makes up for no short break by a burst', async () => {
    const { clock, sent, state, player, signal } = start();
    const played = player.play(packets(6), signal.signal);
    await clock.advance(20);
    state.connected = false;
    await clock.advance(60);
    state.connected = true;
    await clock.advance(200);
    await played;
    expect(sent.slice(0, 6).map(({ atMs }) => atMs)).toEqual([0, 20, 100, 120, 140, 160]);
  });

  it('waits for no connection when all was said', async () => {
    const { clock, state, player, signal } = start();
    const played = player.play(packets(1), signal.signal);
    await clock.advance(0);
    await played;
    state.connected = false;
    await clock.advance(100);
    expect(clock.waiting).toBe(0);
  });

  it('ends with the link, and is not begun after it', async () => {
    const { clock, sent, player, signal } = start();
    const played = player.play(packets(100), signal.signal);
    await clock.advance(40);
    player[Symbol.dispose]();
    await expect(played).rejects.toMatchObject({ code: 'cancelled' });
    await expect(player.play(packets(1), signal.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    await clock.advance(1_000);
    expect(sent).toHaveLength(3);
    expect(clock.waiting).toBe(0);
  });

  it('is silent at once when it is told to stop, and closes its source', async () => {
    const { clock, sent, player, signal } = start();
    let isClosed = false;
    const source = async function* (): AsyncGenerator<Uint8Array, void, void> {
      try {
        yield* packets(1_000);
      } finally {
        isClosed = true;
      }
    };
    const played = player.play(source(), signal.signal);
    await clock.advance(60);
    signal.abort(new Error('skipped'));
    await expect(played).rejects.toThrow('skipped');
    await clock.advance(1_000);
    expect(spoken(sent)).toEqual([1, 2, 3, 4].map(hex));
    expect(isClosed).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('stops at once also while its source gives nothing', async () => {
    const { clock, player, signal } = start();
    const never = async function* (): AsyncGenerator<Uint8Array, void, void> {
      await new Promise(() => {});
      yield Uint8Array.of(1);
    };
    const played = player.play(never(), signal.signal);
    await clock.advance(10);
    signal.abort(new Error('skipped'));
    await expect(played).rejects.toThrow('skipped');
    await player.play(packets(0), new AbortController().signal);
  });

  it('tells what its source throws', async () => {
    const { clock, sent, player, signal } = start();
    const broken = async function* (): AsyncGenerator<Uint8Array, void, void> {
      yield* packets(1);
      throw new Error('no voice');
    };
    const played = player.play(broken(), signal.signal);
    await expect(played).rejects.toThrow('no voice');
    await clock.advance(200);
    expect(spoken(sent)).toEqual(['01']);
  });

  it('tells why it cannot be heard, and is quiet until something else is said', async () => {
    const { clock, sent, state, player, signal } = start();
    const played = player.play(packets(100), signal.signal);
    played.catch(() => undefined);
    await clock.advance(40);
    state.error = new Error('not on this stage');
    await clock.advance(20);
    await expect(played).rejects.toThrow('not on this stage');
    await clock.advance(1_000);
    expect([spoken(sent), state.hushes, clock.waiting]).toEqual([['01', '02', '03'], 1, 0]);
    state.error = undefined;
    const next = player.play(packets(2, 8), signal.signal);
    await clock.advance(1_000);
    await next;
    expect(spoken(sent).slice(3)).toEqual(['08', '09']);
  });

  it('complains of nothing when it is over', async () => {
    const { clock, state, player, signal } = start();
    const played = player.play(packets(1), signal.signal);
    await clock.advance(0);
    await played;
    state.error = new Error('not on this stage');
    await clock.advance(1_000);
    expect(clock.waiting).toBe(0);
  });

  it('fetches no more than it soon needs', async () => {
    const { clock, player, signal } = start();
    let given = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array, void, void> {
      for await (const packet of packets(100)) {
        given += 1;
        yield packet;
      }
    };
    const played = player.play(counted(), signal.signal);
    await clock.advance(0);
    expect(given).toBeLessThanOrEqual(12);
    await clock.advance(2_000);
    await played;
    expect(given).toBe(100);
  });

  it('makes up for no stall by a burst', async () => {
    const { clock, signal } = start();
    const stall = { ms: 0 };
    const nowMs = (): number => clock.nowMs() + stall.ms;
    const times: number[] = [];
    const player = createPlayer({
      clock: { nowMs, after: clock.after },
      send: () => times.push(nowMs()) > 0,
      silence: () => {},
    });
    const played = player.play(packets(10), signal.signal);
    await clock.advance(60);
    stall.ms = 500;
    await clock.advance(1_000);
    await played;
    const gaps = times.slice(1).map((atMs, at) => atMs - times[at]!);
    expect(Math.min(...gaps)).toBe(20);
    expect(gaps.filter((gap) => gap > 20)).toEqual([520]);
  });
});
