import { Socket } from 'node:net';
import pg from 'pg';
import type { PostgresPoolClient } from 'kysely';
import { orAborted } from '../../async/abort.ts';
import { createLru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import { fromPostgres, isOutdatedPlan } from './faults.ts';

/** Longest wait for a connection. */
const CONNECT_MS = 5_000;
/** Longest run of one statement; removing a large space takes the longest. */
const STATEMENT_MS = 30_000;
/**
 * Longest silence within a transaction: a process that freezes in one keeps its locks no longer. It is
 * shorter than a lease, so that whoever takes over does not wait.
 */
const SILENT_MS = 3_000;
/** Most prepared statements of a connection: planning one takes about as long as running it. */
const MOST_STATEMENTS = 300;

/** Type numbers of `bigint` and `numeric`, which `pg` gives as text (`pg_type.dat`). */
const NUMBER_TYPES = new Set([20, 1700]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) =>
    NUMBER_TYPES.has(id) ? (Number as never) : (pg.types.getTypeParser(id, format) as never),
};

/** The settings of every connection to the database of a URL. */
export const connectionOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'dragoman',
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  types,
});

/**
 * Commits wait for no disk: a crash of the server may lose the last ones, each as a whole (PostgreSQL documentation,
 * "Asynchronous Commit"). What is written so finds its rows by their keys, so that one plan serves for all values.
 */
const RELAX =
  'SET synchronous_commit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off';

/** Longest runs on a connection; 0 for no bound. */
interface Bounds {
  readonly statementMs: number;
  readonly silentMs: number;
}

const BOUNDS: Bounds = { statementMs: STATEMENT_MS, silentMs: SILENT_MS };

/** The bounds of migrations and copies of the whole database: they may take as long as they need. */
export const UNBOUNDED: Bounds = { statementMs: 0, silentMs: 0 };

/** Sets the bounds of a new connection. Poolers refuse connections that come with these settings. */
export const bound = async (
  client: pg.ClientBase,
  { statementMs, silentMs }: Bounds = BOUNDS,
): Promise<void> => {
  await client.query(
    `SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = ${silentMs}`,
  );
};

/** Names texts of statements that are run again and again, so that PostgreSQL plans them once. */
const createNames = () => {
  const names = new Map<string, string>();
  const seen = createLru<string, true>(MOST_STATEMENTS);
  let given = 0;
  return {
    of: (text: string): string | undefined => {
      const known = names.get(text);
      if (known !== undefined || names.size === MOST_STATEMENTS) return known;
      if (seen.get(text)) {
        names.set(text, `s${given}`);
        given += 1;
      } else seen.set(text, true);
      return names.get(text);
    },
    /** Gives a text another name from now on, under which every connection plans it anew. */
    forget: (text: string): void => void names.delete(text),
  };
};

export interface PoolOptions {
  readonly url: string;
  readonly most: number;
  readonly bounds?: Bounds;
  /** True for statements that find rows by their keys, and whose commits wait for no disk. Default: false. */
  readonly isRelaxed?: boolean;
  /** Called with each connection before it is used for the first time; true where it need not be called again. */
  readonly prepare?: (client: pg.PoolClient) => Promise<boolean>;
}

/** The longest wait for an answer, where the server does not end a statement itself. */
const waitOf = ({ statementMs }: Bounds): pg.ClientConfig =>
  statementMs === 0 ? {} : { query_timeout: statementMs + CONNECT_MS };

/** Opens a pool of connections for Kysely. */
export const createConnectionPool = ({
  url,
  most,
  bounds = BOUNDS,
  isRelaxed = false,
  prepare = async () => true,
}: PoolOptions) => {
  const prepared = new WeakSet<pg.PoolClient>();
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    ...connectionOf(url),
    ...waitOf(bounds),
    max: most,
    // What begins a transaction goes out together with its first statement.
    pipeline: true,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => void sockets.delete(socket));
    },
    idleTimeoutMillis: 60_000,
  });
  const names = createNames();
  // A connection that ends while nobody uses it is replaced when one is wanted.
  pool.on('error', () => undefined);
  // One that breaks while it is prepared fails what runs on it; without a listener it would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));

  const abandoned = new AbortController();
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= pool.end());

  const lend = (client: pg.PoolClient): PostgresPoolClient => {
    let isBroken = false;
    const noteEnd = (): void => {
      isBroken = true;
    };
    client.on('error', noteEnd);
    return {
      // Kysely's cursors are not used here.
      query: (async (text: string, values: readonly unknown[]) => {
        // A text without values may hold several statements, which have no name.
        const name = values.length > 0 ? names.of(text) : undefined;
        try {
          return await client.query({ text, values: [...values], ...(name ? { name } : {}) });
        } catch (thrown) {
          if (isOutdatedPlan(thrown)) {
            names.forget(text);
            // Within a transaction, which has failed, it is refused too: the transaction is to be run again.
            return client.query(text, [...values]).catch(() => Promise.reject(thrown));
          }
          const error = fromPostgres(thrown);
          // What is said of a statement concerns no other; what is said of the connection does.
          if (error !== thrown) isBroken = true;
          throw error;
        }
      }) as unknown as PostgresPoolClient['query'],
      release: (discard) => {
        client.off('error', noteEnd);
        client.release(isBroken || discard);
      },
    };
  };

  const connect = async (): Promise<PostgresPoolClient> => {
    try {
      const client = await pool.connect();
      if (prepared.has(client)) return lend(client);
      try {
        await bound(client, bounds);
        if (isRelaxed) await client.query(RELAX);
        if (await prepare(client)) prepared.add(client);
      } catch (thrown) {
        client.release(true);
        throw thrown;
      }
      return lend(client);
    } catch (thrown) {
      throw fromPostgres(thrown);
    }
  };

  return {
    connect: () => orAborted(connect(), abandoned.signal),
    end,
    /** Ends all connections at once: what runs on them fails, and nothing is run any more. */
    abandon: (): void => {
      abandoned.abort(new AppError('cancelled', 'the database is closed'));
      end().catch(() => undefined);
      // With pipelining, the end of a client waits for what was sent.
      for (const socket of sockets) socket.destroy();
    },
    options: pool.options,
  };
};
