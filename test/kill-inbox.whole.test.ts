import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKilledInbox } from './fakes/killed/inbox.ts';
import { startPostgres } from './fakes/postgres.ts';
import { onServer } from './fakes/on-server.ts';
import { createRandom } from './fakes/random.ts';

/** Messages that a process accepts at least, however busy the machine is. */
const LEAST = 10;

const newUrl = (): string =>
  `sqlite:${join(mkdtempSync(join(tmpdir(), 'dragoman-kill-')), 'x.db')}`;

it('a SQLite inbox loses nothing that was accepted, and posts nothing again, however often its process is killed', async () => {
  const inbox = createKilledInbox(newUrl());
  await inbox.run(0);
  await inbox.kill();
  for (const lifeMs of [30, 90, 200]) {
    await inbox.run(lifeMs, LEAST);
    await inbox.kill();
  }
  const { accepted, ...rest } = await inbox.ledger();
  expect(accepted).toBeGreaterThan(20);
  expect(rest).toMatchObject({ lost: 0, postedAgain: 0 });
});

it('a SQLite inbox loses nothing when the power fails, and posts nothing again', async () => {
  const random = createRandom(7);
  const inbox = createKilledInbox(newUrl());
  for (const lifeMs of [40, 90, 150, 220]) {
    await inbox.run(lifeMs, LEAST);
    await inbox.cutPower(random);
  }
  const { accepted, ...rest } = await inbox.ledger();
  expect(accepted).toBeGreaterThan(20);
  expect(rest).toMatchObject({ lost: 0, postedAgain: 0 });
});

it('an inbox on PostgreSQL loses nothing when the server or the process is killed', async () => {
  await using server = await startPostgres({ isDurable: true });
  await onServer(server.urlOf(''), 'CREATE DATABASE killed');
  const inbox = createKilledInbox(server.urlOf('killed'));
  for (const lifeMs of [60, 150]) {
    await inbox.run(lifeMs, LEAST);
    await server.stop('SIGKILL');
    await server.start();
    await inbox.kill();
  }
  const { accepted, ...rest } = await inbox.ledger();
  expect(accepted).toBeGreaterThan(10);
  expect(rest).toMatchObject({ lost: 0, postedAgain: 0 });
});
