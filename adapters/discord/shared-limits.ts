import { RESTEvents, type REST, type ResponseLike } from 'discord.js';
import { type Clock, MINUTE_MS } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Processes, QuotaRate } from '../../src/ports/processes.ts';
import { DiscordError } from './errors.ts';
import { isInvalid, RATE_LIMITED } from './metrics.ts';

/**
 * Part of a second's requests that may come at once, and part that is left as a margin: requests that
 * were let through one after the other arrive together where the network holds them up.
 */
const BURST = 0.1;
/** Invalid requests of ten minutes: Discord bans an address at 10,000. */
const INVALID: QuotaRate = { perSecond: 8_000 / 600, burst: 8_000 };
/** Rate of all requests with the bot's token. */
const REQUESTS = 'discord-requests';
/** Wait where a refusal of all requests does not say a sensible one. */
const UNSAID_MS = 1_000;

/** Time for which Discord refuses every request of the bot; undefined where it refuses only some. */
const globalWaitMs = ({ status, headers }: ResponseLike): number | undefined => {
  if (status !== RATE_LIMITED || !headers.has('x-ratelimit-global')) return undefined;
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 && Number.isFinite(seconds) ? seconds * 1_000 : UNSAID_MS;
};

/** Time for which nothing is requested once they are used up. */
const PAUSE_MS = MINUTE_MS;

export interface SharedLimitsDeps {
  readonly processes: Pick<Processes, 'quota' | 'isAlone'>;
  readonly requestsPerSecond: number;
  readonly log: Log;
  readonly clock: Clock;
}

/** The limits of Discord that count the requests of all processes together. */
export interface SharedLimits {
  /**
   * Waits until one more request may be sent. Rejects with `rate-limited` while too many were
   * refused, and with the signal's reason.
   *
   * @param isBots true for a request with the bot's token
   */
  wait(isBots: boolean, signal: AbortSignal | undefined): Promise<void>;
  /** Counts what a REST client is refused, and has all processes wait where all requests are refused. */
  watch(rest: Pick<REST, 'on'>): void;
}

export const createSharedLimits = (deps: SharedLimitsDeps): SharedLimits => {
  const { processes, requestsPerSecond, log, clock } = deps;
  const { quota, isAlone } = processes;
  const burst = Math.max(1, Math.floor(requestsPerSecond * BURST));
  const rate = { perSecond: Math.max(1, requestsPerSecond - 2 * burst), burst };
  let pausedUntilMs = -Infinity;

  const noteInvalid = async (): Promise<void> => {
    if (await quota.tryTake('discord-invalid', INVALID)) return;
    if (clock.nowMs() >= pausedUntilMs)
      log.error(
        'Discord: thousands of requests were refused within ten minutes: none is sent for a minute, ' +
          'as more would ban this address',
      );
    pausedUntilMs = clock.nowMs() + PAUSE_MS;
  };

  return {
    wait: async (isBots, signal) => {
      const pauseMs = pausedUntilMs - clock.nowMs();
      if (pauseMs > 0)
        throw new DiscordError('rate-limited', 'too many requests were refused: none is sent', {
          retryable: true,
          retryAfterMs: pauseMs,
        });
      // Alone, the library's own limit does.
      if (isBots && !isAlone) await quota.take(REQUESTS, rate, signal);
    },
    watch: (rest) => {
      rest.on(RESTEvents.Response, (_, response: ResponseLike) => {
        // Where the database is away, nothing is posted either.
        if (isInvalid(response)) noteInvalid().catch(() => undefined);
        const waitMs = globalWaitMs(response);
        // Alone, the library waits.
        if (waitMs !== undefined && !isAlone) quota.hold(REQUESTS, waitMs).catch(() => undefined);
      });
    },
  };
};
