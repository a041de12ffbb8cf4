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
  readonly transport: Pick<Transport, 'send' | 'understands'>;
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

type End = (thrown?: unknown) => void;

/** Does work, then calls `end` with nothing, or with what the work threw. */
const ended = async <T>(work: () => Promise<T>, end: End): Promise<T> => {
  try {
    const result = await work();
    end();
    return result;
  } catch (thrown) {
    end(thrown);
    throw thrown;
  }
};

/** Passes items on, then calls `end` as `ended` does, or with `ABANDONED` when their consumer leaves. */
const endedItems = async function* <T, R>(
  items: AsyncIterable<T, R, void>,
  end: End,
): AsyncGenerator<T, R, void> {
  try {
    const result = yield* items;
    end();
    return result;
  } catch (thrown) {
    end(thrown);
    throw thrown;
  } finally {
    end(ABANDONED);
  }
};

const until = async function* <T>(
  items: AsyncIterable<T, unknown, void>,
  deadline: Disposable,
  report: OpenReport,
) {
  using _ = deadline;
  yield* endedItems(items, report.end);
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
    understands: transport.understands,
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
  ): Promise<End> => {
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
      return ended(() => run(attemptOf(started)), leave);
    });
  };

  return {
    once: async (call, run) => {
      using deadline = start(call);
      const report = open(call);
      return await ended(() => attempts(call, deadline, report, run), report.end);
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
      const states = async function* () {
        const started = { deadline, report, key: await keyFor(call) };
        const policy = policyFor(call, started.key);
        return yield* retryingStates(policy, deadline, async function* (number) {
          const leave = await enter(call, started, number);
          return yield* endedItems(run(attemptOf(started)), leave);
        });
      };
      return yield* endedItems(states(), report.end);
    },
  };
};
