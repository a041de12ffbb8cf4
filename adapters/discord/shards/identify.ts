import { Routes, type APIGatewayBotInfo, type APIGatewaySessionStartLimit } from 'discord.js';
import { sleep, type Clock, MINUTE_MS } from '../../../src/async/clock.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Tenure, Quota } from '../../../src/ports/processes.ts';
import type { Api } from '../api.ts';

/** Time between two IDENTIFY of one key, with a margin for their ways (reference, "Sharding"). */
export const IDENTIFY_EVERY_MS = 5_250;
/** Part of a day's session starts that is left: at none, Discord replaces the token. */
const RESERVE = 0.1;
/** Time for which what Discord said about the gateway is used. */
const KEPT_MS = 1_000;
const AGAIN_MS = 1_000;
/** Longest wait before the session starts that are left are looked up again. */
const LOOK_MS = 60_000;

/** Says that few session starts are left; undefined where there are enough. */
export const scarcityOf = (
  { remaining, total, reset_after: resetMs }: APIGatewaySessionStartLimit,
  shards: number,
): AppError | undefined =>
  remaining > Math.max(total * RESERVE, shards)
    ? undefined
    : new AppError(
        'unavailable',
        `only ${remaining} of ${total} session starts are left, more in ` +
          `${Math.ceil(resetMs / MINUTE_MS)} min: no shard begins a session until then`,
        { retryable: true },
      );

/**
 * Creates the reader of what Discord says about the gateway, and of the session starts left.
 *
 * @param note takes the session starts of each answer
 */
export const createGatewayInfo = (
  api: Api,
  clock: Clock,
  note: (limit: APIGatewaySessionStartLimit) => void,
) => {
  let known: { readonly info: Promise<APIGatewayBotInfo>; readonly untilMs: number } | undefined;
  return async ({ isFresh = false } = {}): Promise<APIGatewayBotInfo> => {
    if (isFresh || !known || known.untilMs <= clock.nowMs()) {
      const info = api.send<APIGatewayBotInfo>('GET', Routes.gatewayBot());
      const asked = { info, untilMs: clock.nowMs() + KEPT_MS };
      known = asked;
      info.then(
        ({ session_start_limit: limit }) => note(limit),
        () => {
          if (known === asked) known = undefined;
        },
      );
    }
    return known.info;
  };
};

export type GatewayInfo = ReturnType<typeof createGatewayInfo>;

export interface IdentifyGateDeps {
  readonly info: GatewayInfo;
  readonly quota: Quota;
  readonly log: Log;
  readonly clock: Clock;
  readonly everyMs: number;
}

/** A shard that is about to identify. */
export interface Identifying {
  readonly id: number;
  /** Number of all shards. */
  readonly count: number;
  readonly tenure: Pick<Tenure, 'isHeld'>;
}

/**
 * Creates the wait before each IDENTIFY: all processes together send one for each key at a time, and
 * none while few session starts are left. Rejects with the signal's reason.
 */
export const createIdentifyGate = (deps: IdentifyGateDeps) => {
  const { info, quota, log, clock, everyMs } = deps;
  let isTold = false;

  /** Time until there may be enough session starts; 0 where there are. */
  const waitOf = async (count: number): Promise<number> => {
    const { session_start_limit: limit } = await info();
    const scarcity = scarcityOf(limit, count);
    if (scarcity && !isTold)
      log.error({ reason: scarcity.message }, 'Discord: shards wait for their sessions');
    isTold = scarcity !== undefined;
    return scarcity ? Math.min(LOOK_MS, Math.max(AGAIN_MS, limit.reset_after)) : 0;
  };

  return async ({ id, count, tenure }: Identifying, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      try {
        const waitMs = await waitOf(count);
        if (waitMs > 0) {
          await sleep(clock, waitMs, signal);
          continue;
        }
        const key = id % (await info()).session_start_limit.max_concurrency;
        const rate = { perSecond: 1_000 / everyMs, burst: 1 };
        await quota.take(`discord-identify ${key}`, rate, signal);
        // Others may have begun sessions during a wait of minutes.
        if (tenure.isHeld() && (await waitOf(count)) === 0) return;
      } catch (thrown) {
        signal.throwIfAborted();
        log.warn({ shard: id, reason: toAppError(thrown).message }, 'Discord: no session yet');
      }
      await sleep(clock, AGAIN_MS, signal);
    }
  };
};
