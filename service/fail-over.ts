import { realClock, type Clock } from '../src/async/clock.ts';
import { AppError, toAppError } from '../src/errors.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { Ability } from './config.ts';
import type { Offer } from './engine-loader.ts';
import { BackendError, ContractError, tooManyRequests, type ErrorName } from './errors.ts';
import { currentRequestId } from './request-log.ts';

/** Statuses with which a back end refuses a request for what it holds; another would refuse it, too. */
const REFUSALS = new Set([400, 413, 415, 422]);
const OWN_FAULTS = new Set(['unavailable', 'timeout', 'bad-reply', 'rate-limited', 'internal']);

/** True when an engine is out of order, for whomever; false for a fault of the request. */
const isEngineFailure = (thrown: unknown): boolean => {
  if (thrown instanceof ContractError) return false;
  if (thrown instanceof BackendError) return !REFUSALS.has(thrown.status);
  return OWN_FAULTS.has(toAppError(thrown).code);
};

const isNamed = (thrown: unknown, ...names: readonly ErrorName[]): boolean =>
  thrown instanceof ContractError && names.includes(thrown.named);

/** True when an engine has answered one request badly: it works for others, and is not paused for that. */
const isBadReply = (thrown: unknown): boolean => isNamed(thrown, 'ErrBadReply', 'ErrBackendFailed');

/**
 * True when another engine may do what this one cannot, which works: it has too many requests of its own
 * clients, the text is too long for its model, it has no model for the language, or it refuses the text,
 * which no other gets with a prompt.
 */
const isForAnother = (thrown: unknown, ability: Ability): boolean =>
  isNamed(thrown, 'ErrRateLimited', 'ErrTextTooLong', 'ErrServiceNotRegistered') ||
  (ability === 'translation' && thrown instanceof BackendError);

export interface FailOverContext {
  readonly ability: Ability;
  readonly log: Pick<Log, 'warn' | 'debug'>;
  /** True when nobody need know that an engine is full. */
  readonly isQuiet?: boolean;
  readonly signal: AbortSignal;
  /** True where an answer may take any time to begin. */
  readonly isPatient?: boolean;
  readonly clock?: Clock;
}

/**
 * Lets the first engine answer that works. An engine that is out of order, or hangs, is asked last until
 * its pause is over; then one request tries it. Rejects with the error of the most preferred engine that
 * was tried, when all failed, and at once for a fault of the request itself.
 *
 * @param attempt asks an engine; its signal also ends what comes after it has resolved. It calls
 *   `begun` at the first words of an answer that it waits for as a whole
 */
export const withFailOver = async <A extends Ability, T>(
  offers: readonly Offer<A>[],
  attempt: (offer: Offer<A>, signal: AbortSignal, begun: () => void) => Promise<T>,
  { ability, log, isQuiet = false, signal, isPatient = false, clock = realClock }: FailOverContext,
): Promise<T> => {
  const working = offers.filter(({ health }) => health.mayTry());
  const ordered = [...working, ...offers.filter((offer) => !working.includes(offer))];
  let firstError: unknown;
  for (const [index, offer] of ordered.entries()) {
    const isLast = index === ordered.length - 1;
    const own = new AbortController();
    const startMs = clock.nowMs();
    let firstWordsMs: number | undefined;
    const giveUp = (): void =>
      own.abort(new AppError('timeout', 'the engine took too long', { retryable: true }));
    const waitMs = isPatient ? Infinity : offer.health.patienceMs(!working.includes(offer), isLast);
    const disarm = waitMs === Infinity ? () => {} : clock.after(waitMs, giveUp);
    const begun = (): void => {
      disarm();
      firstWordsMs ??= clock.nowMs() - startMs;
    };
    try {
      const answer = await attempt(offer, AbortSignal.any([signal, own.signal]), begun);
      begun();
      offer.health.succeeded(firstWordsMs ?? 0);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const isOutOfOrder = isEngineFailure(error);
      if (isOutOfOrder && toAppError(error).code === 'timeout') offer.health.hung();
      else if (isOutOfOrder) offer.health.failed(toAppError(error).retryAfterMs);
      const failed = isOutOfOrder || isBadReply(error);
      firstError ??= error;
      if (!failed && !isForAnother(error, ability)) throw error;
      if (isLast) throw firstError;
      const fields = { requestId: currentRequestId(), engine: offer.name, ability };
      if (failed) log.warn({ ...fields, err: error }, 'an engine failed; the next one is asked');
      else if (!isQuiet) log.debug(fields, 'an engine cannot take it; the next one is asked');
    } finally {
      disarm();
    }
  }
  throw firstError;
};

/** Wait that clients are asked for when no engine has a turn for them. */
const RETRY_AFTER_MS = 1_000;

/**
 * Throws what ended a wait for an engine's turn: `ErrRateLimited` where it was our patience, for the engine
 * works for others then.
 */
export const asFull = (error: unknown): never => {
  throw toAppError(error).code === 'timeout' ? tooManyRequests(RETRY_AFTER_MS) : error;
};

/** Yields an engine's words, and remembers when it breaks off after the first. */
export async function* watched<T>(
  { health }: Pick<Offer<Ability>, 'health'>,
  words: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  let begun = false;
  try {
    for await (const word of words) {
      begun = true;
      yield word;
    }
  } catch (error) {
    if (begun && !signal.aborted && isEngineFailure(error))
      health.failed(toAppError(error).retryAfterMs);
    throw error;
  }
}
