import { describe, expect, it } from 'vitest';
import type { StreamedText } from '../../../../service/engine.ts';
import type {
  StreamReply,
  StreamRequest,
} from '../../../../service/engines/sherpa-onnx/stream-worker.ts';
import { createStreams } from '../../../../service/engines/sherpa-onnx/streams.ts';
import { AppError } from '../../../../src/errors.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const never = new AbortController().signal;
const lost = () => new AppError('timeout', 'streams took too long', { retryable: true });
const packet = (): Float32Array => new Float32Array(1_600);

/** Streams of processes of which the next `hangs` calls with sound hang. */
const setUp = () => {
  const clock = createTestClock(0);
  const state = { hangs: 0, loads: 0, isRunning: false, isShutDown: false, refused: 0 };
  const child = {
    get isRunning() {
      return state.isRunning;
    },
    call: async ({ turns }: StreamRequest): Promise<StreamReply> => {
      if (state.isShutDown) {
        // It would go on without end, and nothing else would come to its turn.
        if ((state.refused += 1) > 3) return new Promise(() => {});
        throw new AppError('unavailable', 'streams are shut down');
      }
      if (!state.isRunning) state.loads += 1;
      state.isRunning = true;
      if (turns.length > 0 && state.hangs > 0) {
        state.hangs -= 1;
        state.isRunning = false;
        throw lost();
      }
      const heard = turns.map(({ id, ends }) => ({
        id,
        text: 'heard',
        words: undefined,
        isFinal: ends,
        isLast: ends,
        endMs: 0,
      }));
      return { heard, isBusy: false, tookMs: 1 };
    },
  };
  const streams = createStreams(child as never, clock);
  const open = () => {
    const heard: StreamedText[] = [];
    const failed: AppError[] = [];
    const stream = streams.open('en', {
      heard: (text) => void heard.push(text),
      failed: (error) => void failed.push(error),
    });
    return { ...stream, heard, failed };
  };
  /** Loses the process to sound that it hangs with. */
  const hang = async () => {
    state.hangs = 1;
    const one = open();
    one.feed(packet());
    await clock.advance(0);
    return one;
  };
  return { streams, clock, state, open, hang };
};

describe('streams of a process that hangs', () => {
  it('fail at once and once, and those behind them are served by another, which is loaded at once', async () => {
    const { streams, clock, state, open, hang } = setUp();
    const before = open();
    before.feed(packet());
    await clock.advance(0);
    expect([before.heard.length, state.loads]).toEqual([1, 1]);
    const one = await hang();
    expect([before.failed, one.failed]).toMatchObject([
      [{ code: 'unavailable', retryable: true }],
      [{ code: 'unavailable', retryable: true }],
    ]);
    expect([state.loads, state.isRunning, streams.isPaused]).toEqual([2, true, false]);
    const next = open();
    next.feed(packet());
    expect(await next.finish()).toMatchObject({ text: 'heard' });
    expect(next.failed).toEqual([]);
  });

  it('are not opened for ever longer while one process after another hangs, and are again in time', async () => {
    const { streams, clock, state, hang } = setUp();
    await hang();
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await hang();
      expect(state.isRunning).toBe(false);
      await clock.advance(pauseMs - 1);
      expect(streams.isPaused).toBe(true);
      await clock.advance(1);
      expect(streams.isPaused).toBe(false);
    }
    await clock.advance(60_001);
    await hang();
    expect([streams.isPaused, state.isRunning]).toEqual([false, true]);
  });

  it('are given up once where it is shut down with its model', async () => {
    const { clock, state, open } = setUp();
    const one = open();
    one.feed(packet());
    await clock.advance(0);
    Object.assign(state, { isRunning: false, isShutDown: true });
    one[Symbol.dispose]();
    await clock.advance(0);
    expect(state.refused).toBe(1);
  });

  it('cost a recording that is recognised beside them another try', async () => {
    const { streams, state } = setUp();
    state.hangs = 1;
    expect(await streams.recognise(packet(), 'en', never)).toMatchObject({ text: 'heard' });
    state.hangs = 2;
    await expect(streams.recognise(packet(), 'en', never)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
