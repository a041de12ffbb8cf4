import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Log } from '../../../src/log.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import type { Used } from './invocations.ts';

/** Tells Discord what comes of an interaction; false when it is too late or somebody else has. */
export type Acknowledge = (interaction: Used, response: object) => Promise<boolean>;

const TRIES = 3;
/** All tries fit into the three seconds that there are ("Receiving and Responding"). */
const TRY_MS = 900;

export const createAcknowledge =
  (api: Api, log: Log): Acknowledge =>
  async ({ id, token, type }, response) => {
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.timeout(TRY_MS);
      try {
        await api.sendOnce('POST', Routes.interactionCallback(id, token), {
          auth: false,
          body: response,
          signal,
        });
        return true;
      } catch (thrown) {
        const error = toAppError(thrown);
        const isDone = isRefusal(thrown, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        // The answer to an earlier try was lost on its way, the acknowledgement was not.
        if (isDone && attempt > 1) return true;
        if ((error.retryable || signal.aborted) && attempt < TRIES) continue;
        log.warn({ type, reason: error.message }, 'an interaction was not acknowledged');
        return false;
      }
    }
  };
