import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Dialect,
  type PostgresPool,
} from 'kysely';

const BEGIN = CompiledQuery.raw('BEGIN');

/** Begins a transaction without waiting for the answer: its first statement is sent right behind. */
class PipelinedDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<unknown>>();

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const begun = connection.executeQuery(BEGIN);
    // A failure is thrown by the first statement too, or by the commit.
    begun.catch(() => undefined);
    this.#begun.set(connection, begun);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#begun.get(connection);
    await super.commitTransaction(connection);
  }
}

/** Creates Kysely's dialect of PostgreSQL for a pool of connections that pipeline. Transactions take no settings. */
export const createDialect = (pool: PostgresPool): Dialect => {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new PipelinedDriver({ pool }),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
};
