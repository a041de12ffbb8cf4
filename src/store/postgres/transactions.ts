import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Dialect,
  type PostgresPool,
} from 'kysely';

const BEGIN = CompiledQuery.raw('BEGIN');
/** One message instead of two: beginning and setting take about as long as an update. */
const BEGIN_RELAXED = CompiledQuery.raw('BEGIN; SET LOCAL synchronous_commit = off');

/** Begins a transaction without waiting for the answer: its first statement is sent right behind. */
class PipelinedDriver extends PostgresDriver {
  readonly #begin: CompiledQuery;
  readonly #begun = new WeakMap<DatabaseConnection, Promise<unknown>>();

  constructor(pool: PostgresPool, begin: CompiledQuery) {
    super({ pool });
    this.#begin = begin;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const begun = connection.executeQuery(this.#begin);
    // A failure is thrown by the first statement too, or by the commit.
    begun.catch(() => undefined);
    this.#begun.set(connection, begun);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#begun.get(connection);
    await super.commitTransaction(connection);
  }
}

/**
 * Creates Kysely's dialect of PostgreSQL for a pool of connections that pipeline. Transactions take no settings.
 *
 * @param isDurable false for transactions whose commits wait for no disk: a crash of the server may lose the last ones,
 * each as a whole (PostgreSQL documentation, "Asynchronous Commit")
 */
export const createDialect = (pool: PostgresPool, isDurable: boolean): Dialect => {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new PipelinedDriver(pool, isDurable ? BEGIN : BEGIN_RELAXED),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
};
