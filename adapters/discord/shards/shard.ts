import {
  Routes,
  type APIGatewayBotInfo,
  type APIGatewaySessionStartLimit,
  type Client,
} from 'discord.js';
import { sleep, type Clock, MINUTE_MS } from '../../../src/async/clock.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Tenure, Quota } from '../../../src/ports/processes.ts';
import type { Api } from '../api.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';
import { destroy, isConnected } from '../inbound/client.ts';

/** Time between two IDENTIFY of one key, with a margin for their ways (reference, "Sharding"). */
export const IDENTIFY_EVERY_MS = 5_250;
/** Part of a day's session starts that is left: at none, Discord replaces the token. */
const RESERVE = 0.1;
/** Time for which what Discord said about the gateway is used. */
const LIFE_MS = 1_000;
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
      const asked = { info, untilMs: clock.nowMs() + LIFE_MS };
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

export interface Identifying extends ShardKey {
  readonly tenure: Pick<Tenure, 'isHeld'>;
}

/**
 * Creates the wait before each IDENTIFY: all processes together send one for each key at a time, and
 * none while few session starts are left. Rejects with the signal's reason.
 */
export const createIdentifyGate = (deps: IdentifyGateDeps) => {
  const { info, quota, log, clock, everyMs } = deps;
  let isReported = false;

  /** Time until there may be enough session starts; 0 where there are. */
  const waitOf = async (count: number): Promise<number> => {
    const { session_start_limit: limit } = await info();
    const scarcity = scarcityOf(limit, count);
    if (scarcity && !isReported)
      log.error({ reason: scarcity.message }, 'Discord: shards wait for their sessions');
    isReported = scarcity !== undefined;
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

/** One of the parts into which Discord divides the servers of a bot. */
export interface ShardKey {
  readonly id: number;
  /** Number of all shards. */
  readonly count: number;
}

export interface ShardDeps {
  readonly key: ShardKey;
  readonly tenure: Tenure;
  readonly log: Log;
  /** Aborted once the adapter stops. */
  readonly stopped: AbortSignal;
  readonly open: (key: ShardKey, tenure: Tenure) => Client;
  /** Connects a client; resolves when its servers are known. Rejects as `connect` does. */
  readonly connect: (client: Client, signal: AbortSignal) => Promise<void>;
  /** Ends what goes on in servers that another process is about to have. */
  readonly leave: (client: Client) => Promise<void>;
  /** Drops what is known of the servers of a client that is closed. */
  readonly closed: (client: Client) => void;
  /** Called when the shard is connected, for the first time. */
  readonly connected: () => void;
}

/** A shard while this process has it. */
export type Shard = ReturnType<typeof openShard>;

/** Connects a shard until its tenure ends. */
export const openShard = (deps: ShardDeps) => {
  const { key, tenure, log, stopped, open, connect } = deps;
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, tenure.signal, stopped]);
  let client: Client | undefined;

  const drop = async (): Promise<void> => {
    const dropped = client;
    client = undefined;
    if (!dropped) return;
    deps.closed(dropped);
    await destroy(dropped);
  };

  const once = async (): Promise<void> => {
    signal.throwIfAborted();
    const opened = open(key, tenure);
    client = opened;
    try {
      await connect(opened, signal);
    } catch (thrown) {
      if (client === opened) await drop();
      throw thrown;
    }
    deps.connected();
  };

  const failed = ({ code, message: reason }: AppError): void =>
    log.error({ shard: key.id, code, reason }, 'Discord: still not connected');

  const first = once().catch((thrown: unknown) => {
    // Another process has it now.
    if (!signal.aborted || stopped.aborted) throw thrown;
  });
  first.catch((thrown: unknown) => {
    const fault = toAppError(thrown);
    if (signal.aborted) return;
    if (!fault.retryable) return failed(fault);
    log.warn({ shard: key.id, reason: fault.message }, 'Discord: not connected yet');
    void retryUntilAborted(
      async () => {
        await once();
        log.info({ shard: key.id }, 'Discord: connected');
      },
      { signal, failed },
    );
  });
  tenure.signal.addEventListener('abort', () => void drop(), { once: true });

  return {
    /** Settles when it is connected, or cannot be at once; it goes on trying unless it fails for good. */
    first,
    isConnected: (): boolean => client !== undefined && isConnected(client),
    /** Closes the connection; what goes on in voice channels is ended before. */
    close: async (): Promise<void> => {
      if (client && tenure.isHeld() && !stopped.aborted) await deps.leave(client);
      closing.abort();
      await drop();
    },
  };
};
