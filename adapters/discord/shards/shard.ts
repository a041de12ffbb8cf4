import type { Client } from 'discord.js';
import { toAppError, type AppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';
import { destroy, isConnected } from '../inbound/client.ts';

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
  /** Makes a client of the shard, with its listeners. */
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
export interface Shard {
  /** Settles when it is connected, or cannot be at once; it goes on trying unless it fails for good. */
  readonly first: Promise<void>;
  isConnected(): boolean;
  /** Closes the connection; what goes on in voice channels is ended before. */
  close(): Promise<void>;
}

/** Connects a shard until its tenure ends. */
export const openShard = (deps: ShardDeps): Shard => {
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
    first,
    isConnected: () => client !== undefined && isConnected(client),
    close: async () => {
      if (client && tenure.isHeld() && !stopped.aborted) await deps.leave(client);
      closing.abort();
      await drop();
    },
  };
};
