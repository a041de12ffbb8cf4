import type { Clock } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import {
  type OpenReport,
  createReportOpener,
  type ReportOpenerDeps,
  type TracedReport,
} from './call-report.ts';
import type { Metrics } from '../ops/metrics.ts';
import { createKeyGates } from './key-gates.ts';
import type { Attempt, Call, Caller, Endpoint } from './caller.ts';
import type { ServiceKey, ServiceKeys } from './keys.ts';
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
import { createSharedPaces, type PaceSharing } from './scheduler/shared-pace.ts';
import type { Transport } from './transport.ts';

export interface CallerDeps extends ReportOpenerDeps {
  readonly transport: Pick<Transport, 'send'>;
  readonly keys: ServiceKeys;
  readonly retry: Partial<RetryPolicy>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly sharing: PaceSharing | undefined;
}

/** A call under way. */
interface Started {
  readonly deadline: Deadline;
  readonly report: TracedReport;
  readonly key: ServiceKey;
}

/** Endpoints whose answers cost nothing. */
const FREE: ReadonlySet<Endpoint> = new Set(['voices', 'models']);

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

/** Creates the caller of one service: calls with the same key share what is learnt of its limits. */
export const createCaller = (deps: CallerDeps): Caller => {
  const { transport, keys, retry, clock, metrics, sharing } = deps;
  const open = createReportOpener(deps);
  const { random = DEFAULT_RETRY.random } = retry;
  const paces = sharing && createSharedPaces({ ...sharing, clock, random });
  const gates = createKeyGates({ clock, random, metrics, paces });
  const policyFor = ({ options: { hasFallback = false } }: Call, key: ServiceKey): RetryPolicy => ({
    ...DEFAULT_RETRY,
    takeRetry: () => gates.budgetOf(key).take(),
    ...retry,
    ...(hasFallback ? { mayRetry: isNoAnswer } : {}),
  });

  const keyFor = async ({ options: { key, space } }: Call): Promise<ServiceKey> =>
    key ?? keys.of(space);

  const attemptOf = ({ deadline, report, key }: Started): Attempt => ({
    signal: deadline.signal,
    send: async ({ headers, ...request }) =>
      transport.send(
        { ...request, headers: { ...headers, ...report.headers } },
        key,
        deadline.signal,
      ),
    used: ({ total_tokens: tokens }) => {
      if (typeof tokens === 'number') report.used(tokens);
    },
  });

  /** Waits for an attempt's turn; resolves with what ends it. */
  const enter = async (
    { endpoint, options }: Call,
    { deadline, report, key }: Started,
    { number, wasRefused }: AttemptNumber,
  ): Promise<(thrown?: unknown) => void> => {
    const leave = await gates.of(key, endpoint).enter(options, deadline, report, wasRefused);
    if (number === 0 && !wasRefused) gates.budgetOf(key).called();
    return (thrown) => {
      leave(thrown);
      const isFree = FREE.has(endpoint);
      if (thrown === undefined) key.answered(undefined, isFree);
      else if (thrown instanceof ServiceError) key.answered(thrown, isFree);
    };
  };
  const attempts = async <T>(
    call: Call,
    deadline: Deadline,
    report: TracedReport,
    run: (attempt: Attempt) => Promise<T>,
  ): Promise<T> => {
    const started = { deadline, report, key: await keyFor(call) };
    return retrying(policyFor(call, started.key), deadline, async (number) => {
      const leave = await enter(call, started, number);
      try {
        const result = await run(attemptOf(started));
        leave();
        return result;
      } catch (thrown) {
        leave(thrown);
        throw thrown;
      }
    });
  };

  return {
    once: async (call, run) => {
      using deadline = start(call);
      const report = open(call);
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
      const report = open(call);
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
      const report = open(call);
      const attempt = async function* (started: Started, number: AttemptNumber) {
        const leave = await enter(call, started, number);
        try {
          const result = yield* run(attemptOf(started));
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
        const started = { deadline, report, key: await keyFor(call) };
        const result = yield* retryingStates(policyFor(call, started.key), deadline, (number) =>
          attempt(started, number),
        );
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
