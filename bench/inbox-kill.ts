import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKilledInbox, type KilledInbox, type Ledger } from '../test/fakes/killed/inbox.ts';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres } from '../test/fakes/postgres.ts';
import { createRandom } from '../test/fakes/random.ts';

/**
 * Kills processes that accept messages and post them, cuts their power, and kills their PostgreSQL: what was accepted
 * and is lost, and what is posted again without a look for it. `node bench/inbox-kill.ts 20 5` is a tenth of it.
 */

const [KILLS = 200, SERVER_KILLS = 50] = process.argv.slice(2).map(Number);
const LONGEST_LIFE_MS = 600;

const random = createRandom(Number(process.env['SEED'] ?? 1));
const lifeMs = (): number => random() * LONGEST_LIFE_MS;

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const note = (
  what: string,
  times: number,
  { accepted, lost, posted, postedAgain }: Ledger,
): void => {
  if (lost + postedAgain > 0) process.exitCode = 1;
  console.log(`| ${what} | ${times} | ${accepted} | ${lost} | ${posted} | ${postedAgain} |`);
};

const repeat = async (
  times: number,
  inbox: KilledInbox,
  end: () => Promise<void>,
): Promise<Ledger> => {
  for (let time = 0; time < times; time += 1) {
    await inbox.run(lifeMs());
    await end();
  }
  return inbox.ledger();
};

console.log(
  '| what | times | accepted | lost | posted | posted again |\n|---|---|---|---|---|---|',
);
const killed = createKilledInbox(`sqlite:${join(folder, 'killed.db')}`);
note('SQLite, the process is killed', KILLS, await repeat(KILLS, killed, killed.kill));

const cut = createKilledInbox(`sqlite:${join(folder, 'cut.db')}`);
note('SQLite, the power fails', KILLS, await repeat(KILLS, cut, async () => cut.cutPower(random)));

{
  await using server = await startPostgres({ isDurable: true });
  for (const name of ['process', 'server'])
    await onServer(server.urlOf(''), `CREATE DATABASE ${name}`);
  const first = createKilledInbox(server.urlOf('process'));
  note(
    'PostgreSQL, the process is killed',
    SERVER_KILLS,
    await repeat(SERVER_KILLS, first, first.kill),
  );
  const second = createKilledInbox(server.urlOf('server'));
  const stop = async (): Promise<void> => {
    await server.stop('SIGKILL');
    await server.start();
    await second.kill();
  };
  note('PostgreSQL, the server is killed', SERVER_KILLS, await repeat(SERVER_KILLS, second, stop));
}
rmSync(folder, { recursive: true });
