import {
  Events,
  RESTEvents,
  type APIGatewaySessionStartLimit,
  type Client,
  type REST,
  type ResponseLike,
} from 'discord.js';
import type { Clock } from '../../src/async/clock.ts';
import { type Metrics, declareRateLimited } from '../../src/ops/metrics.ts';

/** Statuses that Discord counts as invalid requests, ten thousand of which in ten minutes ban the address. */
const INVALID: ReadonlySet<number> = new Set([401, 403, 429]);

/** True for a response that Discord counts as an invalid request. */
export const isInvalid = ({ status, headers }: ResponseLike): boolean =>
  // A limit that is shared with others counts against nobody (reference, "Rate Limits").
  INVALID.has(status) && headers.get('x-ratelimit-scope') !== 'shared';

export const RATE_LIMITED = 429;

/** @param clock measures the time until Discord allows all session starts again */
export const declareDiscordMetrics = (metrics: Metrics, clock: Pick<Clock, 'nowMs'>) => {
  const limited = declareRateLimited(metrics, 'discord');
  const invalid = metrics.counter({
    name: 'dragoman_discord_invalid_requests_total',
    help: 'Requests of which Discord allows 10,000 in 10 minutes: those answered by 401, 403 or 429.',
  });
  const sessions = metrics.counter({
    name: 'dragoman_discord_sessions_total',
    help: 'Sessions with Discord’s gateway: identified anew, or resumed.',
    labels: ['start'],
    known: [{ start: 'identified' }, { start: 'resumed' }],
  });
  let starts:
    | { readonly remaining: number; readonly total: number; readonly untilMs: number }
    | undefined;
  metrics.gauge(
    {
      name: 'dragoman_discord_session_starts_left',
      help: 'Session starts with Discord that are left of the day, as it said last.',
    },
    // A process that began no session since the reset has not asked again.
    () => starts && (clock.nowMs() < starts.untilMs ? starts.remaining : starts.total),
  );
  metrics.gauge(
    {
      name: 'dragoman_discord_session_starts_allowed',
      help: 'Session starts that Discord allows in a day, as it said last.',
    },
    () => starts?.total,
  );
  return {
    /** Counts the responses that a REST client gets. */
    watchRequests: (rest: Pick<REST, 'on'>): void => {
      rest.on(RESTEvents.Response, (_, response: ResponseLike) => {
        if (response.status === RATE_LIMITED) limited();
        if (isInvalid(response)) invalid();
      });
    },
    watchSessions: (client: Pick<Client, 'on'>): void => {
      client.on(Events.ShardReady, () => sessions({ start: 'identified' }));
      client.on(Events.ShardResume, () => sessions({ start: 'resumed' }));
    },
    /** Takes what Discord says of the session starts that remain. */
    noteStarts: ({ remaining, total, reset_after: resetMs }: APIGatewaySessionStartLimit): void => {
      starts = { remaining, total, untilMs: clock.nowMs() + resetMs };
    },
  };
};
