import { describe, expect, it, vi } from 'vitest';
import {
  DEFAULT_RETRY,
  retrying,
  retryingStates,
  startDeadline,
  type RetryPolicy,
} from '../../../src/api/retry.ts';
import { AppError } from '../../../src/errors.ts';

const busy = (retryAfterMs?: number): AppError =>
  new AppError('rate-limited', 'busy', {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const policyWith = (random: number): { policy: RetryPolicy; slept: number[] } => {
  const slept: number[] = [];
  const policy = {
    ...DEFAULT_RETRY,
    random: () => random,
    sleep: async (ms: number) => void slept.push(ms),
  };
  return { policy, slept };
};

const failing = (times: number, error: () => Error) => {
  let calls = 0;
  return async (): Promise<number> => {
    calls += 1;
    if (calls <= times) throw error();
    return calls;
  };
};

const noDeadline = () => startDeadline(new AbortController().signal, 60_000);

describe('retrying', () => {
  it('spreads its tries over a doubling span', async () => {
    const { policy, slept } = policyWith(0.5);
    expect(await retrying(policy, noDeadline(), failing(3, busy))).toBe(4);
    expect(slept).toEqual([150, 300, 600]);
  });

  it('waits at least as long as the service says', async () => {
    const { policy, slept } = policyWith(0.5);
    await retrying(
      policy,
      noDeadline(),
      failing(1, () => busy(1_720)),
    );
    expect(slept).toEqual([1_870]);
  });

  it('gives up after its last try with the error itself', async () => {
    const { policy, slept } = policyWith(0);
    await expect(retrying(policy, noDeadline(), failing(9, busy))).rejects.toThrow('busy');
    expect(slept).toHaveLength(3);
  });

  it('does not try again what will not get better', async () => {
    const { policy, slept } = policyWith(0);
    const refused = (): AppError => new AppError('bad-input', 'refused');
    await expect(retrying(policy, noDeadline(), failing(1, refused))).rejects.toThrow('refused');
    expect(slept).toEqual([]);
  });

  it('does not wait past its deadline', async () => {
    const { policy, slept } = policyWith(0);
    const run = retrying(
      policy,
      noDeadline(),
      failing(1, () => busy(120_000)),
    );
    await expect(run).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 120_000 });
    expect(slept).toEqual([]);
  });

  it('tells an asker who left from a deadline that passed', async () => {
    const { policy } = policyWith(0);
    const gone = new AbortController();
    gone.abort();
    const fail = failing(1, busy);
    await expect(retrying(policy, startDeadline(gone.signal, 1_000), fail)).rejects.toMatchObject({
      code: 'cancelled',
    });
    const passed = {
      signal: AbortSignal.abort(new DOMException('', 'TimeoutError')),
      endsAtMs: 0,
      [Symbol.dispose]: () => {},
    };
    await expect(retrying(policy, passed, failing(1, busy))).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('leaves no timer behind when the job has ended', () => {
    vi.useFakeTimers();
    try {
      const [ended, passed] = [1, 2].map(() => startDeadline(new AbortController().signal, 45_000));
      ended![Symbol.dispose]();
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(45_000);
      expect([ended, passed].map((one) => one!.signal.aborted)).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('begins a broken stream of states again', async () => {
    const { policy } = policyWith(0);
    let calls = 0;
    const run = async function* () {
      calls += 1;
      yield 'a';
      if (calls === 1) throw busy();
      yield 'ab';
      return 'ab!';
    };
    const states = retryingStates(policy, noDeadline(), run);
    const seen: string[] = [];
    let step = await states.next();
    for (; !step.done; step = await states.next()) seen.push(step.value);
    expect([...seen, step.value]).toEqual(['a', 'a', 'ab', 'ab!']);
  });
});
