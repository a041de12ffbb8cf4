import type { CompiledQuery, Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** A value that is filled in each time a statement runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const standIns = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.keys(values).map((name) => [name, new Parameter(name)])) as Values;

/**
 * A query that is built and compiled once and run with other values each time: for what every message asks for,
 * of which building takes longer than running. Resolves with the rows that it gave, and the number that it changed.
 *
 * @param build gets stand-ins for the values of the first run: they may be passed to the builder, and nothing else
 */
export const statement = <Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values) => { compile(): CompiledQuery<Row> },
) => {
  /** Compiled queries by the engine's adapter: each engine has its own SQL. */
  const byEngine = new Map<unknown, CompiledQuery<Row>>();
  return async (db: Kysely<Schema>, values: Values) => {
    const engine = db.getExecutor().adapter.constructor;
    const compiled = byEngine.get(engine) ?? build(db, standIns(values)).compile();
    byEngine.set(engine, compiled);
    const { rows, numAffectedRows = 0n } = await db.executeQuery<Row>({
      ...compiled,
      parameters: compiled.parameters.map((given) =>
        given instanceof Parameter ? values[given.name as keyof Values] : given,
      ),
    });
    return { rows, changed: Number(numAffectedRows) };
  };
};
