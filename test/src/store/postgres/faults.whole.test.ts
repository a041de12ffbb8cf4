import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createLog } from '../../../../src/telemetry/log.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { createMemberSettings } from '../../../../src/store/settings.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { patientClock } from '../../../fakes/clock.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';
import { startPostgresProxy, type PostgresProxyOptions } from '../../../fakes/postgres-proxy.ts';
import { spawnDragoman } from '../../../fakes/program.ts';

/** Wait for the notification that shows that notifications arrive. */
const PROBE_MS = 5_000;

const MEMBER = { platform: 'test', id: 'ada' };

const change = async (store: Store, language: string): Promise<void> =>
  createMemberSettings(store).change(MEMBER, { language });

const languageOf = async (store: Store) => (await createMemberSettings(store).of(MEMBER)).language;

/** Ends every connection to a database, so that its settings hold for all of them. */
const endConnections = async (url: string): Promise<void> =>
  onServer(
    inject('postgres'),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = '${new URL(url).pathname.slice(1)}'`,
  );

const set = async (url: string, setting: string): Promise<void> => {
  await onServer(
    inject('postgres'),
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`,
  );
  await endConnections(url);
};

const proxyTo = async (url: string, options?: PostgresProxyOptions) => {
  const proxy = await startPostgresProxy(url, options);
  onTestFinished(async () => proxy[Symbol.asyncDispose]());
  return proxy;
};

describe('a PostgreSQL', () => {
  it('that is away for a while loses nothing: what was written before is there, and writes go on', async () => {
    const proxy = await proxyTo(await makeDatabase());
    const store = await openTestStore(proxy.url);
    await change(store, 'ja');
    proxy.cut();
    await expect(languageOf(store)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    const writing = change(store, 'de');
    proxy.mend();
    await writing;
    await expect.poll(async () => languageOf(store)).toBe('de');
    await expect.poll(async () => store.findFault()).toBeUndefined();
  });

  it('that is read-only is refused at the start, and said while it is; then writes go on', async () => {
    const url = await makeDatabase();
    const store = await openTestStore(url);
    await set(url, 'default_transaction_read_only = on');
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('it is read-only'),
    });
    await expect
      .poll(async () => store.findFault({ anew: true }))
      .toMatchObject({
        remedy: { key: 'remedies.database-read-only' },
      });
    await set(url, 'default_transaction_read_only = off');
    await expect.poll(async () => store.findFault()).toBeUndefined();
    await change(store, 'ja');
  });

  it('whose disk is full says so until there is room, and undoes the whole write', async () => {
    const url = await makeDatabase();
    const store = await openTestStore(url);
    await onServer(
      url,
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON member_setting EXECUTE FUNCTION full_disk()`,
    );
    const failed = await change(store, 'ja').catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({
      code: 'unavailable',
      retryable: true,
      remedy: { key: 'remedies.disk-full' },
    });
    await onServer(url, 'DROP TRIGGER full_disk ON member_setting');
    expect(await store.findFault()).toBeUndefined();
    expect(await languageOf(store)).toBeUndefined();
    await change(store, 'ja');
  });

  it('behind a slow network works', async () => {
    const url = await makeDatabase();
    const proxy = await proxyTo(url, { delayMs: 40 });
    const store = await openTestStore(proxy.url);
    await change(store, 'ja');
    expect(await languageOf(store)).toBe('ja');
  });

  it('behind a pooler that loses notifications is refused, with what to do', async () => {
    const proxy = await proxyTo(await makeDatabase(), { losesNotifications: true });
    const clock = {
      ...patientClock,
      after: (ms: number, run: () => void) => patientClock.after(ms === PROBE_MS ? 0 : ms, run),
    };
    const opening = openPostgresStore({
      url: proxy.url,
      connections: 2,
      log: createLog('silent'),
      clock,
    });
    await expect(opening).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('pooler in transaction mode'),
    });
  });

  it('whose connection breaks while notifications are looked for is not taken for such a pooler', async () => {
    const proxy = await proxyTo(await makeDatabase(), { losesNotifications: true });
    let endProbe: (() => void) | undefined;
    let reconnecting = 0;
    const clock = {
      ...patientClock,
      after: (ms: number, run: () => void) => {
        if (ms === PROBE_MS) {
          endProbe = run;
          proxy.cut();
          proxy.mend();
          return () => undefined;
        }
        // Both connections of leases were lost.
        if (endProbe && ms < PROBE_MS && (reconnecting += 1) === 2) setImmediate(endProbe);
        return patientClock.after(ms, run);
      },
    };
    const log = createLog('silent');
    const opening = openPostgresStore({ url: proxy.url, connections: 2, log, clock });
    await expect(opening).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('is left without a transaction or a connection when it was refused', async () => {
    const url = await makeDatabase();
    await onServer(url, `INSERT INTO kysely_migration VALUES ('999-future', '2030')`);
    await expect(openStore(url)).rejects.toMatchObject({ code: 'config' });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => client.end());
    const others = async () =>
      (
        await client.query(
          'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
      ).rows;
    await expect.poll(others).toEqual([]);
  });
});

/** Runs the program until it ends by itself; resolves with what it said. */
const runProgram = async (databaseUrl: string) => {
  const child = spawnDragoman({ DATABASE_URL: databaseUrl, PORT: '0' });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += String(piece);
    });
  const [code] = (await once(child, 'exit')) as [number];
  return { said, code };
};

describe('the program', () => {
  it.each([
    ['a database that is not there', (url: string) => url.replace(/[^/]+$/, 'nowhere')],
    ['a user who is not there', (url: string) => url.replace('dragoman@', 'nobody:hunter2@')],
  ])('ends with a sentence at %s', async (_, misnamed) => {
    const { said, code } = await runProgram(misnamed(await makeDatabase()));
    expect(code).toBe(1);
    expect(said).toContain('check the user, the password and the database in DATABASE_URL');
    expect(said).not.toContain('hunter2');
    expect(said).not.toContain('    at ');
  });

  it('waits for a PostgreSQL that is away at its start: alive, not ready, and then both', async () => {
    const proxy = await proxyTo(await makeDatabase());
    proxy.cut();
    const password = randomUUID();
    const child = spawnDragoman({
      DATABASE_URL: proxy.url.replace('dragoman@', `dragoman:${password}@`),
      PORT: '0',
      OPS_PORT: '0',
    });
    const ended = once(child, 'exit');
    let told = '';
    let logged = '';
    child.stderr.on('data', (piece) => {
      logged += String(piece);
    });
    child.stdout.on('data', (piece) => {
      told += String(piece);
    });
    const base = async (): Promise<string> =>
      expect
        .poll(() => /metrics: (http\S+)/.exec(told)?.[1])
        .toBeDefined()
        .then(() => /metrics: (http\S+)/.exec(told)?.[1] ?? '');
    const url = await base();
    await expect.poll(() => logged).toContain('it cannot be reached');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const notReady = await fetch(`${url}/readyz`);
    expect([notReady.status, await notReady.json()]).toMatchObject([
      503,
      { ready: false, parts: { storage: false } },
    ]);
    proxy.mend();
    await expect.poll(() => told).toContain('Dragoman on web');
    const status = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;
    await expect.poll(status).toBe(200);
    // Nothing is written meanwhile that would notice it.
    proxy.cut();
    await expect.poll(status).toBe(503);
    proxy.mend();
    await expect.poll(status).toBe(200);
    expect(told + logged).not.toContain(password);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['the database is changed', `SELECT pg_advisory_lock(hashtext('dragoman migrations'))`],
    ['a table is changed that it reads at its start', 'BEGIN; LOCK TABLE channel_watch'],
  ])('ends in order while another process holds the lock under which %s', async (_, lock) => {
    const url = await makeDatabase();
    await openTestStore(url);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(async () => other.end());
    await other.query(lock);
    const child = spawnDragoman({ DATABASE_URL: url, PORT: '0' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const waiting = async (): Promise<number | null> => {
      const locks = `SELECT FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return (await other.query(locks)).rowCount;
    };
    await expect.poll(waiting).toBe(1);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends in order while it waits', async () => {
    const child = spawnDragoman({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', PORT: '0' });
    const ended = once(child, 'exit');
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
