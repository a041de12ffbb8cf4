import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../../src/store/index.ts';
import { wordsOf } from '../program.ts';

/** Numbers of one process are below those of the next. */
const NUMBERS_OF_A_PROCESS = 1_000_000;
const LOOK_MS = 5;
/** Bytes that a disk writes whole or not at all. */
const SECTOR_BYTES = 512;

/** What processes said that were killed, against what the database has. */
export interface Ledger {
  readonly accepted: number;
  /** Accepted messages that the database does not have. */
  readonly lost: number;
  readonly posted: number;
  /** Posts of what was posted before, without a look for it. */
  readonly postedAgain: number;
}

/** An inbox whose processes are killed. */
export interface KilledInbox {
  /** Starts a process and lets it work for a while, and until it has accepted so many messages at least. */
  readonly run: (lifeMs: number, least?: number) => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Kills the process, and leaves of the files what is sure to be on the disk after a loss of power. */
  readonly cutPower: (random: () => number) => Promise<void>;
  readonly ledger: () => Promise<Ledger>;
}

/**
 * Creates an inbox.
 *
 * @param url a database; for a loss of power, one of SQLite
 */
export const createKilledInbox = (url: string): KilledInbox => {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
  const images = mkdtempSync(join(tmpdir(), 'dragoman-images-'));
  const accepted = new Set<number>();
  const posted = new Set<number>();
  let postedAgain = 0;
  let starts = 0;
  let boots = 0;
  let child: ChildProcess | undefined;
  let said = Promise.resolve();

  const hear = (line: string): void => {
    const [verb, number] = line.split(' ');
    if (verb === 'accepted') accepted.add(Number(number));
    if (verb !== 'post' && verb !== 'look') return;
    if (verb === 'post' && posted.has(Number(number))) postedAgain += 1;
    posted.add(Number(number));
  };

  const start = async (keepsImages: boolean): Promise<void> => {
    starts += 1;
    rmSync(join(images, 'latest'), { force: true });
    const args = [url, String(boots), String(starts), String(starts * NUMBERS_OF_A_PROCESS)];
    const program = spawn(
      process.execPath,
      wordsOf('test/fakes/killed/inbox-process.ts', ...args, ...(keepsImages ? [images] : [])),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = program;
    const ready = Promise.withResolvers<void>();
    const read = async (): Promise<void> => {
      let rest = '';
      for await (const piece of program.stdout.setEncoding('utf8')) {
        const lines = `${rest}${String(piece)}`.split('\n');
        // A line that is not whole was not said.
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line === 'ready') ready.resolve();
          hear(line);
        }
      }
      ready.reject(new Error('the process ended before it was ready'));
    };
    said = read();
    await ready.promise;
  };

  const kill = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await Promise.all([ended, said]);
  };

  /** The journal as it was synced, with some of the sectors that were written since. */
  const tearJournal = (synced: Buffer, written: Buffer, random: () => number): Buffer => {
    if (written.length <= synced.length || !written.subarray(0, synced.length).equals(synced))
      return synced;
    const torn = Buffer.from(
      written.subarray(0, synced.length + Math.floor(random() * (written.length - synced.length))),
    );
    for (let at = synced.length; at < torn.length; at += SECTOR_BYTES)
      if (random() < 0.2) torn.fill(0, at, Math.min(torn.length, at + SECTOR_BYTES));
    return torn;
  };

  return {
    run: async (lifeMs, least = 0) => {
      const before = accepted.size;
      await start(path !== undefined);
      await delay(lifeMs);
      while (accepted.size < before + least) await delay(LOOK_MS);
    },
    kill,
    cutPower: async (random) => {
      await kill();
      boots += 1;
      const latest = join(images, 'latest');
      if (path === undefined || !existsSync(latest)) return;
      const image = join(images, `${readFileSync(latest, 'utf8')}.db`);
      const written = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
      const synced = existsSync(`${image}-wal`) ? readFileSync(`${image}-wal`) : Buffer.alloc(0);
      copyFileSync(image, path);
      writeFileSync(`${path}-wal`, tearJournal(synced, written, random));
      rmSync(`${path}-shm`, { force: true });
    },
    ledger: async () => {
      await using store = await openStore(url);
      const rows = await store.selectFrom('inbox').select('message_id').execute();
      const stored = new Set(rows.map((row) => Number(row.message_id)));
      const lost = [...accepted].filter((number) => !stored.has(number)).length;
      rmSync(images, { recursive: true });
      return { accepted: accepted.size, lost, posted: posted.size, postedAgain };
    },
  };
};
