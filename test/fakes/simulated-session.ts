import { backoffMs } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { ListenSession } from '../../src/store/postgres/session.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The way between a process and the database. */
export interface Network {
  /** True where statements overlap, as on a pool of connections. */
  readonly isPool?: boolean;
  /** Time of one direction. */
  readonly hopMs: () => number;
  readonly isReachable: () => boolean;
}

export interface SimulatedSession extends ListenSession {
  /** Breaks the connection; a statement under way has taken effect or has not. */
  readonly break: () => void;
}

/** A connection as the database knows it. */
export interface Connection {
  isOpen: boolean;
  lastArrivalMs: number;
  readonly hear: (channel: string, payload: string) => void;
}

export interface SimulatedSessionDeps {
  readonly time: VirtualTime;
  readonly random: () => number;
  /** Runs a statement in the database at once. */
  readonly execute: (
    text: string,
    values: readonly unknown[],
    connection: Connection,
  ) => readonly object[];
  /** Ends what a connection hears. */
  readonly leave: (connection: Connection) => void;
}

const BACKOFF = { firstMs: 100, longestMs: 5_000 };

/** A value as it was when it was sent. */
const copy = (value: unknown): unknown => (Array.isArray(value) ? [...value] : value);

const unavailable = (): AppError =>
  new AppError('unavailable', 'the connection to the database is lost', { retryable: true });

/** Connects a process with a database. */
export const connectSimulated = (
  { time, random, execute, leave }: SimulatedSessionDeps,
  host: SimulatedProcess,
  network: Network,
): SimulatedSession => {
  const hearers = new Map<string, (payload: string) => void>();
  const reconnected: (() => void)[] = [];
  let current: Connection | undefined;
  let isClosed = false;
  const failing = new Set<() => void>();
  const failAll = (): void => {
    for (const fail of failing) fail();
    failing.clear();
  };

  /** Has something arrive on a connection, after what was sent on it before. */
  const deliver = (connection: Connection, part: () => void): void => {
    const arrivalMs = time.nowMs + network.hopMs();
    // Connections of a pool have no order among them.
    if (!network.isPool) connection.lastArrivalMs = Math.max(connection.lastArrivalMs, arrivalMs);
    time.at(network.isPool ? arrivalMs : connection.lastArrivalMs, () =>
      host.run(() => {
        if (connection === current) part();
      }),
    );
  };
  const open = (): Connection => {
    const made: Connection = {
      isOpen: true,
      lastArrivalMs: time.nowMs,
      hear: (channel, payload) => {
        if (host.isAlive()) deliver(made, () => hearers.get(channel)?.(payload));
      },
    };
    for (const channel of hearers.keys()) execute(`LISTEN ${channel}`, [], made);
    return made;
  };
  const close = (): void => {
    const used = current;
    current = undefined;
    if (!used) return;
    used.isOpen = false;
    leave(used);
  };
  const reconnect = (attempt: number): void =>
    void host.clock.after(backoffMs({ ...BACKOFF, random }, attempt), () => {
      if (isClosed) return;
      if (!network.isReachable()) {
        reconnect(attempt + 1);
        return;
      }
      current = open();
      for (const run of reconnected) run();
    });

  const queryNow = async (text: string, values: readonly unknown[]) => {
    const used = current;
    if (!used) throw unavailable();
    const answer = Promise.withResolvers<readonly object[]>();
    const fail = (): void => answer.reject(unavailable());
    failing.add(fail);
    time.after(network.hopMs(), () => {
      // What was sent on a connection that broke meanwhile arrived, or did not.
      if (!used.isOpen && random() < 0.5) return;
      const result = execute(text, values.map(copy), used);
      if (!used.isOpen) return;
      deliver(used, () => {
        failing.delete(fail);
        answer.resolve(result);
      });
    });
    return answer.promise;
  };
  let tail: Promise<unknown> = Promise.resolve();
  const query = (async (text: string, values: readonly unknown[]) => {
    if (network.isPool) return queryNow(text, values);
    const turn = tail.then(() => queryNow(text, values));
    tail = turn.catch(() => undefined);
    return turn;
  }) as ListenSession['query'];

  current = open();
  return {
    query,
    listen: async (channel, hear) => {
      hearers.set(channel, hear);
      if (current) await query(`LISTEN ${channel}`, []);
    },
    unlisten: async (channel) => {
      hearers.delete(channel);
      if (current) await query(`UNLISTEN ${channel}`, []);
    },
    onReconnect: (run) => void reconnected.push(run),
    isConnected: () => current !== undefined,
    break: () => {
      if (!current) return;
      close();
      host.run(() => {
        failAll();
        reconnect(0);
      });
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      close();
      failAll();
    },
  };
};
