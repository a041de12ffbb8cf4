import { AppError, toAppError } from '../../errors.ts';

/** Time between two probes of a service that is down. */
export const PROBE_EVERY_MS = 5_000;
/** Time between two probes of one that refuses everything: mostly, people have to act first. */
const REFUSED_EVERY_MS = 30_000;

/**
 * State of a circuit breaker. `checking` is closed with a first probe under way: others still go
 * on. `open` lets nothing through; `half-open` neither, but its probe is under way.
 */
export type BreakerState =
  | { readonly kind: 'closed' | 'checking' }
  | { readonly kind: 'open'; readonly error: AppError; readonly probeAtMs: number }
  | { readonly kind: 'half-open'; readonly error: AppError };

export type BreakerEvent =
  | { readonly kind: 'answered' | 'probing' }
  | { readonly kind: 'probe-failed'; readonly error: AppError; readonly atMs: number };

const CLOSED: BreakerState = { kind: 'closed' };

/**
 * Time after which a probe that is due ends an outage, if nobody has sent it: then no message waits
 * for its end.
 */
const OVER_AFTER_MS = 60_000;

export const nextState = (state: BreakerState, event: BreakerEvent): BreakerState => {
  switch (event.kind) {
    case 'answered':
      return CLOSED;
    case 'probing':
      if (state.kind === 'closed') return { kind: 'checking' };
      return state.kind === 'open' ? { kind: 'half-open', error: state.error } : state;
    case 'probe-failed': {
      // Something was answered since the probe was sent.
      if (state.kind === 'closed') return state;
      const { error, atMs } = event;
      const everyMs = error.retryable ? PROBE_EVERY_MS : REFUSED_EVERY_MS;
      const waitMs = Math.max(everyMs, error.retryAfterMs ?? 0);
      return { kind: 'open', error, probeAtMs: atMs + waitMs };
    }
    default:
      return event satisfies never;
  }
};

/** The fault of a message that waits for the end of an outage; it is no attempt of the message. */
export class OutageError extends AppError {
  override readonly name = 'OutageError';
  /** True where the service refuses everything: mostly, people have to act first. */
  readonly isRefusal: boolean;

  /** @param cause the error of the probe */
  constructor(cause: AppError, retryAfterMs: number) {
    const { code, message, sentence } = cause;
    super(code, message, { cause, sentence, retryAfterMs, retryable: true });
    this.isRefusal = !cause.retryable;
  }
}

export interface BreakerDeps {
  /**
   * Sends the service something harmless; rejects where it can do nothing.
   *
   * @param source language of the last text that was translated; undefined where none was
   */
  readonly probe: (source: string | undefined) => Promise<unknown>;
  /** Monotonic time: a wall clock that is set back would put off the next probe. */
  readonly nowMs: () => number;
  /** Called with the reason when an outage begins, and without one when it ends. */
  readonly changed?: (reason: AppError | undefined) => void;
}

/** The error for which nothing may be sent; undefined while something may. */
const reasonOfState = (state: BreakerState): AppError | undefined =>
  'error' in state ? state.error : undefined;

/** Numbers of the answers and of the outages so far. */
interface Mark {
  readonly answers: number;
  readonly outages: number;
}

const NOTHING: Mark = { answers: 0, outages: 0 };

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * Creates a circuit breaker that tells a message that cannot be translated from a service that
 * cannot translate. Probes are texts of ours, because a person's text may be what the service fails
 * at.
 */
export const createBreaker = ({ probe, nowMs, changed }: BreakerDeps) => {
  let state: BreakerState = CLOSED;
  let answers = 0;
  let outages = 0;
  /** The reason of the last outage that ended. */
  let ended: AppError | undefined;
  let source: string | undefined;
  let check: Promise<void> | undefined;

  const take = (event: BreakerEvent): void => {
    const before = reasonOfState(state);
    state = nextState(state, event);
    const after = reasonOfState(state);
    const isChange = (before === undefined) !== (after === undefined);
    if (!isChange) return;
    if (after) outages += 1;
    else ended = before;
    changed?.(after);
  };

  const runProbe = async (): Promise<void> => {
    take({ kind: 'probing' });
    try {
      await probe(source);
      take({ kind: 'answered' });
    } catch (thrown) {
      const error = toAppError(thrown);
      // A fault of ours says nothing of the service.
      if (error.code === 'internal') take({ kind: 'answered' });
      else take({ kind: 'probe-failed', error, atMs: nowMs() });
    } finally {
      check = undefined;
    }
  };
  /** Probes the service, once for all who ask meanwhile. */
  const checked = (): Promise<void> => (check ??= runProbe());

  const assertClosed = (): void => {
    if (state.kind === 'open')
      throw new OutageError(state.error, Math.max(0, state.probeAtMs - nowMs()));
  };

  return {
    /** The reason for which messages wait; undefined where none does. */
    outage: (): AppError | undefined => {
      if (state.kind === 'open' && nowMs() - state.probeAtMs > OVER_AFTER_MS) return undefined;
      return reasonOfState(state);
    },
    /** The mark of what is known now, by which `judge` knows what came since. */
    mark: (): Mark => ({ answers, outages }),
    /** Records an answer to a message in a language. */
    answered: (from: string): void => {
      answers += 1;
      source = from;
      take({ kind: 'answered' });
    },
    /** Resolves when a message may be sent. Rejects with an `OutageError` during an outage. */
    ready: async (): Promise<void> => {
      const isDue = state.kind === 'open' && state.probeAtMs <= nowMs();
      if (isDue || state.kind === 'half-open') await checked();
      assertClosed();
    },
    /**
     * Judges a failure: resolves when it is the message's own, and rejects with an `OutageError`
     * when the service fails at everything.
     *
     * @param since the mark from before the message was sent: others that passed since are proof
     */
    judge: async (since: Mark = NOTHING): Promise<void> => {
      if (answers === since.answers && state.kind !== 'open') await checked();
      assertClosed();
      // It may have failed during an outage that is over.
      if (ended && outages > since.outages) throw new OutageError(ended, 0);
    },
    /** Probes at once during an outage; resolves when that has shown whether it is over. */
    tryAgain: async (): Promise<void> => {
      if (reasonOfState(state)) await checked();
    },
  };
};
