import {
  CompiledQuery,
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Dialect,
  type PostgresPool,
} from 'kysely';

/** One message instead of two: beginning and setting take about as long as an update. */
const BEGIN = CompiledQuery.raw('BEGIN; SET LOCAL synchronous_commit = off');

class RelaxedDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(BEGIN);
  }
}

/**
 * Creates Kysely's dialect of PostgreSQL with transactions whose commits wait for no disk: a crash of the server may lose
 * the last ones, each as a whole (PostgreSQL documentation, "Asynchronous Commit").
 */
export const createRelaxedDialect = (pool: PostgresPool): Dialect => {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new RelaxedDriver({ pool }),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
};
