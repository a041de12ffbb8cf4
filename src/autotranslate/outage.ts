import { resultOf } from '../async/abort.ts';
import type { ServiceClient } from '../api/client.ts';
import { UnreadableKeyError, type ServiceKey } from '../api/keys.ts';
import { isKeyRefused } from '../api/service-error.ts';
import { createLru } from '../async/lru.ts';
import { AppError, reasonSentence, toAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { plainWords } from '../rich-text/compose.ts';
import { NO_SPACE } from '../model/service.ts';
import { keyOf, type Space } from '../model/place.ts';
import type { Outage } from '../store/inbox/backlog.ts';
import { sameLanguage } from '../text/language/languages.ts';
import type { Translator } from '../translation/translator.ts';

/** Time between two probes of a service that is down. */
export const PROBE_EVERY_MS = 5_000;
/** Time between two probes with a key that is refused or unreadable: people have to act first. */
const REFUSED_EVERY_MS = 60_000;

/** True for an error of the whole key, which lasts until people act. */
const isOfKey = (error: AppError): boolean =>
  isKeyRefused(error) || error instanceof UnreadableKeyError;

/** True for an error that may concern every message, and may pass. */
export const mayBeOutage = (error: AppError): boolean => error.retryable || isOfKey(error);

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

/** The state after an event. */
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
      const everyMs = isOfKey(error) ? REFUSED_EVERY_MS : PROBE_EVERY_MS;
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

  /** @param cause the error of the probe */
  constructor(cause: AppError, retryAfterMs: number) {
    const { code, message, sentence } = cause;
    super(code, message, { cause, sentence, retryAfterMs, retryable: true });
  }
}

export interface BreakerDeps {
  /** Sends the service something harmless. Rejects with an error of `mayBeOutage` where it fails. */
  readonly probe: () => Promise<unknown>;
  /** Monotonic time: a wall clock that is set back would put off the next probe. */
  readonly nowMs: () => number;
  /** Called with the reason when an outage begins, and without one when it ends. */
  readonly changed?: (reason: AppError | undefined) => void;
}

/** The error for which nothing may be sent; undefined while something may. */
const reasonOfState = (state: BreakerState): AppError | undefined =>
  'error' in state ? state.error : undefined;

export type Breaker = ReturnType<typeof createBreaker>;

/**
 * Creates a circuit breaker that tells a message that cannot be translated from a service that
 * cannot translate. Probes are texts of ours, because a person's text may be what the service fails
 * at.
 */
export const createBreaker = ({ probe, nowMs, changed }: BreakerDeps) => {
  let state: BreakerState = CLOSED;
  let answers = 0;
  let check: Promise<void> | undefined;

  const take = (event: BreakerEvent): void => {
    const before = reasonOfState(state);
    state = nextState(state, event);
    const after = reasonOfState(state);
    const isChange = (before === undefined) !== (after === undefined);
    if (isChange) changed?.(after);
  };

  const runProbe = async (): Promise<void> => {
    take({ kind: 'probing' });
    try {
      await probe();
      take({ kind: 'answered' });
    } catch (thrown) {
      const error = toAppError(thrown);
      // A refusal of the probe's text is an answer.
      if (mayBeOutage(error)) take({ kind: 'probe-failed', error, atMs: nowMs() });
      else take({ kind: 'answered' });
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
    /** The number of answers so far. */
    answers: (): number => answers,
    /** Records an answer to a message. */
    answered: (): void => {
      answers += 1;
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
     * @param before `answers` before the message was sent: others that passed since are proof
     */
    judge: async (before: number): Promise<void> => {
      if (answers === before && state.kind !== 'open') await checked();
      assertClosed();
    },
  };
};

/** Longest wait for a probe. */
const PROBE_MS = 30_000;

/** Name of the key of a space, which may be unreadable. */
const idOf = (key: ServiceKey | undefined, space: Space): string =>
  key?.id ?? `unreadable ${keyOf(space)}`;

const breakerId = (keyId: string, language: string): string => `${keyId} ${language}`;

/** Keys and languages whose breakers are kept. */
const MOST_BREAKERS = 2_000;

export interface OutagesDeps {
  readonly serviceKeyOf: ServiceClient['serviceKeyOf'];
  readonly translator: Translator;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Monotonic time. */
  readonly nowMs: () => number;
}

export type Outages = ReturnType<typeof createOutages>;

/**
 * Creates a breaker for each key of the service, which may be refused what others are not, and
 * for each target language, because a service may have an engine of its own for each. A probe is one
 * word.
 */
export const createOutages = ({ serviceKeyOf, translator, log, nowMs }: OutagesDeps) => {
  const breakers = createLru<string, Breaker>(MOST_BREAKERS);

  const probe = async (to: string, space: Space, key: ServiceKey): Promise<void> => {
    const isEnglish = sameLanguage(to, 'en');
    const text = plainWords(isEnglish ? 'Hola' : 'Hello');
    const from = isEnglish ? 'es' : 'en';
    const place = key.isOwn ? space : NO_SPACE;
    const request = { text, from, to, place, key, lane: 'ambient', whole: true } as const;
    await resultOf(translator.translate(request, AbortSignal.timeout(PROBE_MS)));
  };

  const logChange = (
    about: { readonly language: string; readonly space?: Space },
    reason: AppError | undefined,
  ): void => {
    if (reason) log.warn({ ...about, code: reason.code, err: reason }, 'translation is paused');
    else log.info(about, 'translation goes on');
  };

  /** The key of a space; undefined where it cannot be read. */
  const readKey = async (space: Space): Promise<ServiceKey | undefined> =>
    serviceKeyOf(space).catch(() => undefined);

  return {
    /** The breaker for a space's translations into a language. */
    of: async (to: string, space: Space): Promise<Breaker> => {
      const key = await readKey(space);
      const id = breakerId(idOf(key, space), to);
      const about = { language: to, ...(key?.isOwn === false ? {} : { space }) };
      const breaker =
        breakers.get(id) ??
        createBreaker({
          // A key that cannot be read stays so until another takes its place.
          probe: () => (key ? probe(to, space, key) : serviceKeyOf(space)),
          nowMs,
          changed: (reason) => logChange(about, reason),
        });
      breakers.set(id, breaker);
      return breaker;
    },
    /** The outages of a space among these languages, as one; undefined where there is none. */
    among: async (languages: Iterable<string>, space: Space): Promise<Outage | undefined> => {
      const keyId = idOf(await readKey(space), space);
      const found = [...new Set(languages)].flatMap((language) => {
        const error = breakers.get(breakerId(keyId, language))?.outage();
        return error ? [{ language, error }] : [];
      });
      const [first] = found;
      return (
        first && {
          languages: found.map(({ language }) => language),
          reason: reasonSentence(first.error),
        }
      );
    },
  };
};
