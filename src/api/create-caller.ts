import type { Clock } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import { openReport, type OnCall, type OpenReport } from './call-report.ts';
import type { Attempt, Call, Caller, Endpoint } from './caller.ts';
import { createGate, type Gate } from './gate.ts';
import { createRetryBudget } from './retry-budget.ts';
import {
  DEFAULT_RETRY,
  retrying,
  retryingStates,
  startDeadline,
  type AttemptNumber,
  type Deadline,
  type RetryPolicy,
} from './retry.ts';
import { ServiceError } from './service-error.ts';
import type { Transport } from './transport.ts';

export interface CallerDeps {
  readonly transport: Transport;
  readonly retry: Partial<RetryPolicy>;
  readonly clock: Clock;
  readonly onCall: OnCall;
}

const isNoAnswer = (error: AppError): boolean =>
  error.retryable && !(error instanceof ServiceError);

const start = ({ options: { signal, deadlineMs }, defaultMs }: Call): Deadline =>
  startDeadline(signal, deadlineMs ?? defaultMs);

const ABANDONED = new DOMException('the reply is not read to its end', 'AbortError');

const until = async function* <T>(
  items: AsyncIterable<T>,
  deadline: Disposable,
  report: OpenReport,
) {
  using _ = deadline;
  try {
    yield* items;
    report.end();
  } catch (thrown) {
    report.end(thrown);
    throw thrown;
  } finally {
    report.end(ABANDONED);
  }
};

const attemptOf = ({ signal }: Deadline, report: OpenReport): Attempt => ({
  signal,
  used: ({ total_tokens: tokens }) => {
    if (typeof tokens === 'number') report.used(tokens);
  },
});

/** Creates the caller of one service with one key: all its calls share what is learnt of its limits. */
export const createCaller = ({ transport, retry, clock, onCall }: CallerDeps): Caller => {
  const budget = createRetryBudget(clock.nowMs);
  const policy = { ...DEFAULT_RETRY, takeRetry: () => budget.take(), ...retry };
  const policyFor = ({ options: { hasFallback = false } }: Call): RetryPolicy =>
    hasFallback ? { ...policy, retries: isNoAnswer } : policy;
  const gates = new Map<Endpoint, Gate>();
  const gateOf = (endpoint: Endpoint): Gate => {
    const gate = gates.get(endpoint) ?? createGate({ clock, random: policy.random });
    gates.set(endpoint, gate);
    return gate;
  };

  /** Waits for an attempt's turn; resolves with what ends it. */
  const enter = async (
    { endpoint, options }: Call,
    deadline: Deadline,
    report: OpenReport,
    { number, isAgain }: AttemptNumber,
  ): Promise<(thrown?: unknown) => void> => {
    const leave = await gateOf(endpoint).enter(options, deadline, report, isAgain);
    if (number === 0 && !isAgain) budget.called();
    return leave;
  };
  const attempts = async <T>(
    call: Call,
    deadline: Deadline,
    report: OpenReport,
    run: (attempt: Attempt) => Promise<T>,
  ): Promise<T> =>
    retrying(policyFor(call), deadline, async (number) => {
      const leave = await enter(call, deadline, report, number);
      try {
        const result = await run(attemptOf(deadline, report));
        leave();
        return result;
      } catch (thrown) {
        leave(thrown);
        throw thrown;
      }
    });

  return {
    transport,
    once: async (call, run) => {
      using deadline = start(call);
      const report = openReport(call, onCall);
      try {
        const result = await attempts(call, deadline, report, run);
        report.end();
        return result;
      } catch (thrown) {
        report.end(thrown);
        throw thrown;
      }
    },
    opened: async (call, run) => {
      using started = new DisposableStack();
      const deadline = started.use(start(call));
      const report = openReport(call, onCall);
      try {
        const items = await attempts(call, deadline, report, run);
        return until(items, started.move(), report);
      } catch (thrown) {
        report.end(thrown);
        throw thrown;
      }
    },
    async *states(call, run) {
      using deadline = start(call);
      const report = openReport(call, onCall);
      const attempt = async function* (number: AttemptNumber) {
        const leave = await enter(call, deadline, report, number);
        try {
          const result = yield* run(attemptOf(deadline, report));
          leave();
          return result;
        } catch (thrown) {
          leave(thrown);
          throw thrown;
        } finally {
          leave(ABANDONED);
        }
      };
      try {
        const result = yield* retryingStates(policyFor(call), deadline, attempt);
        report.end();
        return result;
      } catch (thrown) {
        report.end(thrown);
        throw thrown;
      } finally {
        report.end(ABANDONED);
      }
    },
  };
};
