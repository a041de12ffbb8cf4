import pg from 'pg';

/** Runs a statement on a PostgreSQL database, on `postgres` where the address names none; resolves with its rows. */
export const rowsOn = async (address: string, statement: string): Promise<readonly object[]> => {
  const connectionString = address.endsWith('/') ? `${address}postgres` : address;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end();
  }
};

/** Runs a statement as `rowsOn` does. */
export const onServer = async (address: string, statement: string): Promise<void> => {
  await rowsOn(address, statement);
};
