import { setTimeout as delay } from 'node:timers/promises';
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Log } from '../../../src/telemetry/log.ts';
import { toAppError, type AppError } from '../../../src/errors.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import type { UsedInteraction } from './invocations.ts';

/** Tells Discord what comes of an interaction; false when it is too late or somebody else has. */
export type Acknowledge = (interaction: UsedInteraction, response: object) => Promise<boolean>;

const TRIES = 3;
/** All tries begin within the three seconds that Discord waits ("Receiving and Responding"). */
const TRY_EVERY_MS = 900;

/** Longest wait for what came of the earlier tries; an answer that takes longer is taken for a lost one. */
const EARLIER_MS = 3_000;

/** True where one of these tries may be the one that Discord took: its answer came, or was lost. */
const mayBeTaken = async (
  tries: readonly Promise<AppError | undefined>[],
  signal: AbortSignal,
): Promise<boolean> => {
  const outcomes = Promise.all(tries).then((faults) =>
    faults.some((fault) => !fault || fault.retryable),
  );
  return Promise.race([outcomes, delay(EARLIER_MS, true, { signal }).catch(() => true)]);
};

/**
 * Acknowledges interactions. A try is made again while the answer to the one before is still awaited: on
 * a busy machine an answer that is only late must not be taken for one that was lost.
 *
 * @param isHeld false once another process may have the shard, which then answers
 */
export const createAcknowledge =
  (api: Api, log: Log, isHeld: () => boolean): Acknowledge =>
  async ({ id, token, type }, response) => {
    const taken = Promise.withResolvers<undefined>();
    const ended = new AbortController();
    const tryOnce = async (
      earlier: readonly Promise<AppError | undefined>[],
    ): Promise<AppError | undefined> => {
      try {
        await api.sendOnce('POST', Routes.interactionCallback(id, token), {
          auth: false,
          body: response,
        });
      } catch (thrown) {
        // Discord took an earlier try, or that of another process, which only the earlier tries tell.
        const isDone = isRefusal(thrown, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        if (!isDone || !(await mayBeTaken(earlier, ended.signal))) return toAppError(thrown);
      }
      taken.resolve(undefined);
      return undefined;
    };

    const tries: Promise<AppError | undefined>[] = [];
    try {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        if (!isHeld()) return false;
        const tried = tryOnce([...tries]);
        tries.push(tried);
        const late = delay(TRY_EVERY_MS, 'late' as const, { signal: ended.signal });
        const outcome = await Promise.race([taken.promise, tried, late]);
        if (outcome === undefined) return true;
        if (outcome !== 'late' && !outcome.retryable) break;
      }
      const failures = await Promise.race([taken.promise, Promise.all(tries)]);
      if (!failures) return true;
      const fault = failures.at(-1);
      const reason = fault?.message;
      // While the number of shards changes, two sessions take each interaction, and the first answers it.
      const isOthers = isRefusal(fault, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
      log[isOthers ? 'debug' : 'warn']({ type, reason }, 'interaction not acknowledged');
      return false;
    } finally {
      ended.abort();
    }
  };
