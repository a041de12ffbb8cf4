import type { ServiceClient } from '../../api/client.ts';
import { isBusy } from '../../api/service-error.ts';
import { createLru } from '../../async/lru.ts';
import { AppError, reasonSentence, type ErrorCode, type Sentence } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import { OutageError } from './breaker.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';

/** Time between two recordings that are sent during an outage. */
const SENT_EVERY_MS = 30_000;
/** Recordings in a row of which none was recognised, after which it is no fault of theirs. */
const FAILING = 2;
/** Spaces and keys whose state is kept. */
const MOST_KEPT = 2_000;

/** Error codes of refusals that may be about every recording; others are about what is in one. */
const MAY_BE_OF_ALL: ReadonlySet<ErrorCode> = new Set([
  'config',
  'forbidden',
  'missing',
  'bad-reply',
]);

/**
 * Creates what tells a recording that cannot be recognised from a service that recognises none. There
 * is no speech of ours for a probe, so that one of those that wait is sent now and then.
 */
export const createRecognitionBreaker = (nowMs: () => number) => {
  const failing = new Set<string>();
  let hasHeard = false;
  let reason: AppError | undefined;
  let sendAtMs = -Infinity;

  const over = (): void => {
    failing.clear();
    reason = undefined;
  };
  const isOfAll = ({ code, sentence, retryable }: AppError): boolean =>
    retryable ||
    // Where nothing was ever heard, nobody may have installed a recogniser; of one language, others are none.
    (MAY_BE_OF_ALL.has(code) &&
      sentence.key !== 'service.no-recognition-of' &&
      (hasHeard || sentence.key !== 'service.no-recognition'));

  return {
    /** Throws an `OutageError` while a recording may not be sent. */
    assertReady: (): void => {
      if (!reason) return;
      const leftMs = sendAtMs - nowMs();
      if (leftMs > 0) throw new OutageError(reason, leftMs);
      sendAtMs = nowMs() + SENT_EVERY_MS;
    },
    /** Notes an answer to a recording. */
    heard: (): void => {
      hasHeard = true;
      over();
    },
    /**
     * The failure of a message's recording: its own, or that of an outage. The first one that may be
     * of all is tried again, as nobody knows yet.
     */
    judged: (error: AppError, message: string): AppError => {
      if (error instanceof OutageError || isBusy(error) || !isOfAll(error)) return error;
      if (!reason) failing.add(message);
      if (failing.size >= FAILING) {
        reason = error;
        sendAtMs = nowMs() + SENT_EVERY_MS;
        return new OutageError(error, SENT_EVERY_MS);
      }
      if (error.retryable) return error;
      const { code, message: said, sentence, remedy, retryAfterMs } = error;
      const again = { cause: error, sentence, retryable: true, retryAfterMs };
      return new AppError(code, said, remedy ? { ...again, remedy } : again);
    },
    reason: (): AppError | undefined => reason,
    /** Lets everything that waits be sent. */
    tryAgain: over,
  };
};

export type RecognitionOutages = ReturnType<typeof createRecognitionOutages>;

export interface RecognitionOutagesDeps {
  readonly serviceKeyOf: ServiceClient['serviceKeyOf'];
  readonly moderators: Pick<ModeratorNotices, 'recordingsPaused' | 'recordingsResumed'>;
  /** Monotonic time. */
  readonly nowMs: () => number;
}

/**
 * Creates such a breaker for each space and its key of the service: recordings that one space sends hold up no other, and
 * one that is recognised is proof for all of its key. Each space whose recordings wait is told, and when that is over.
 */
export const createRecognitionOutages = ({
  serviceKeyOf,
  moderators,
  nowMs,
}: RecognitionOutagesDeps) => {
  const breakers = createLru<string, ReturnType<typeof createRecognitionBreaker>>(MOST_KEPT);
  const find = async (space: Space) => {
    const key = await serviceKeyOf(space).catch(() => undefined);
    const prefix = `${key?.id ?? 'unreadable'} `;
    const id = `${prefix}${keyOf(space)}`;
    const breaker = breakers.get(id) ?? createRecognitionBreaker(nowMs);
    breakers.set(id, breaker);
    const heard = (): void => {
      for (const [each, its] of breakers) if (each.startsWith(prefix)) its.heard();
    };
    return { breaker, heard };
  };
  return {
    /** The breaker for a space's recordings. */
    of: async (space: Space) => {
      const { breaker, heard } = await find(space);
      const told = (error: AppError): AppError => {
        if (error instanceof OutageError) moderators.recordingsPaused(space, error);
        return error;
      };
      return {
        assertReady: (): void => {
          try {
            breaker.assertReady();
          } catch (thrown) {
            throw thrown instanceof AppError ? told(thrown) : thrown;
          }
        },
        heard: (): void => {
          heard();
          moderators.recordingsResumed(space);
        },
        judged: (error: AppError, message: string): AppError =>
          told(breaker.judged(error, message)),
      };
    },
    /** Says why recordings of a space wait; undefined where none does. */
    reasonOf: async (space: Space): Promise<Sentence | undefined> => {
      const reason = (await find(space)).breaker.reason();
      return reason && reasonSentence(reason);
    },
    /** Lets all recordings of a space be sent that wait. */
    tryAgain: async (space: Space): Promise<void> => (await find(space)).breaker.tryAgain(),
  };
};
