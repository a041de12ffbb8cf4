import pg from 'pg';

/** Runs a statement on a PostgreSQL database; on `postgres` where the address names none. */
export const onServer = async (address: string, statement: string): Promise<void> => {
  const connectionString = address.endsWith('/') ? `${address}postgres` : address;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
