import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { realClock, type Clock } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { SignalTopic } from '../../../../src/ports/store.ts';
import type { Store } from '../../../../src/store/index.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { createSpaceSettings } from '../../../../src/store/settings.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';

const SPACE = { platform: 'test', id: 's' };
const ADA = { platform: 'test', id: 'ada' };

/** Two processes on one database. */
const openTwo = async (): Promise<{ url: string; one: Store; other: Store }> => {
  const url = await makeDatabase();
  return { url, one: await openTestStore(url), other: await openTestStore(url) };
};

const publish = (store: Store, topic: 'space-settings' = 'space-settings'): Promise<void> =>
  store.write((db) => store.signals.publish(db, topic, SPACE));

/** Ends the connections that hear notifications. */
const cutSessions = (url: string): Promise<void> =>
  onServer(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'dragoman session'`,
  );

describe('what one process changes', () => {
  it('is known to the other once the write has resolved', async () => {
    const { one, other } = await openTwo();
    const [ours, theirs] = [createSpaceSettings(one), createSpaceSettings(other)];
    for (const dailyCharacters of [1, 2, 3, 4, 5]) {
      await theirs.of(SPACE);
      await ours.change(SPACE, { dailyCharacters });
      expect(await theirs.of(SPACE)).toMatchObject({ dailyCharacters });
    }
  });

  it('holds in the other before it is confirmed: an opt-out, however often', async () => {
    const { one, other } = await openTwo();
    const [ours, theirs] = [createPrivacy(one), createPrivacy(other)];
    for (let round = 0; round < 50; round += 1) {
      const optedOut = round % 2 === 0;
      await ours.setOptedOut(ADA, optedOut);
      expect(await theirs.optedOut(ADA)).toBe(optedOut);
    }
  });

  it('holds in the other before it is confirmed, also while the other confirms opt-outs itself', async () => {
    const { one, other } = await openTwo();
    const processes = [createPrivacy(one), createPrivacy(other)] as const;
    const unknown: string[] = [];
    const choose = async (round: number, at: 0 | 1): Promise<void> => {
      const person = { platform: 'test', id: `p${at}` };
      const optedOut = round % 2 === 0;
      const theirs = processes[at === 0 ? 1 : 0];
      await theirs.optedOut(person);
      await processes[at].setOptedOut(person, optedOut);
      if ((await theirs.optedOut(person)) !== optedOut) unknown.push(`${round} of ${at}`);
    };
    for (let round = 0; round < 100; round += 1)
      await Promise.all([choose(round, 0), choose(round, 1)]);
    expect(unknown).toEqual([]);
  });

  it('is read anew by both where the notification of an earlier change was lost', async () => {
    const { url, one, other } = await openTwo();
    await publish(one);
    const received: (readonly [Store, unknown])[] = [];
    for (const store of [one, other])
      store.signals.subscribe('space-settings', (changed) => void received.push([store, changed]));
    await onServer(url, 'UPDATE revision SET revision = revision + 1');
    await publish(one);
    for (const store of [one, other])
      await expect.poll(() => received).toContainEqual([store, undefined]);
  });

  it('is applied by the other before it is confirmed, also where the database went back', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < 4; round += 1) await publish(one);
    const received: unknown[] = [];
    other.signals.subscribe('space-settings', (changed) => void received.push(changed));
    await onServer(url, 'UPDATE revision SET revision = revision - 2');
    await publish(one);
    expect(received).toEqual([undefined]);
  });

  it('is read anew where as many changes came since the database went back, once connected again', async () => {
    const { url, one, other } = await openTwo();
    await publish(one);
    const received: unknown[] = [];
    other.signals.subscribe('space-settings', (changed) => void received.push(changed));
    await cutSessions(url);
    await expect.poll(() => received).toEqual([undefined]);
  });

  it('has the process that cannot apply it rely on nothing until it can', async () => {
    const { one, other } = await openTwo();
    const current: boolean[] = [];
    other.signals.subscribe('space-settings', () => {
      current.push(other.signals.isCurrent());
      if (current.length < 3) throw new Error('no');
    });
    await publish(one);
    expect(current).toEqual([true, false, false]);
    await expect.poll(() => other.signals.isCurrent()).toBe(true);
  });

  it('is applied anew by the process that made it where that failed at first', async () => {
    const { one } = await openTwo();
    const received: unknown[] = [];
    one.signals.subscribe('space-settings', (changed) => {
      received.push(changed);
      if (changed) throw new Error('no');
    });
    await expect(publish(one)).rejects.toThrow('no');
    await expect.poll(() => received).toEqual([SPACE, undefined]);
  });

  it('is confirmed only when the other has applied it', async () => {
    const { one, other } = await openTwo();
    const applying = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    other.signals.subscribe('space-settings', async () => {
      begun.resolve();
      await applying.promise;
    });
    let isConfirmed = false;
    const confirm = async (): Promise<void> => {
      await publish(one);
      isConfirmed = true;
    };
    const confirming = confirm();
    await begun.promise;
    expect(isConfirmed).toBe(false);
    applying.resolve();
    await confirming;
  });

  it('waits for no process that has ended', async () => {
    const { one, other } = await openTwo();
    await other.destroy();
    await publish(one);
  });

  it('waits for no process whose lease has ended, which then reads everything anew', async () => {
    const { url, one, other } = await openTwo();
    const received: unknown[] = [];
    // It is frozen: it applies nothing.
    const thaw = Promise.withResolvers<void>();
    other.signals.subscribe('space-settings', async (changed) => {
      received.push(changed);
      await thaw.promise;
    });
    const publishing = publish(one);
    // No process can have its lease again.
    await onServer(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER refuse BEFORE INSERT ON lease FOR EACH ROW
         WHEN (NEW.set_name = 'process:') EXECUTE FUNCTION refuse();
       DELETE FROM lease WHERE set_name = 'process:'`,
    );
    await publishing;
    await onServer(url, 'DROP TRIGGER refuse ON lease');
    thaw.resolve();
    await expect.poll(() => received.length).toBeGreaterThan(0);
  });

  it('is found when the connection that hears of it was lost, by its topic', async () => {
    const { url, one, other } = await openTwo();
    const received: (readonly [SignalTopic, unknown])[] = [];
    for (const topic of ['space-settings', 'watches'] as const)
      other.signals.subscribe(topic, (changed) => void received.push([topic, changed]));
    expect(other.signals.isCurrent()).toBe(true);
    await cutSessions(url);
    await publish(one);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    expect(new Set(received.map(([topic]) => topic))).toEqual(new Set(['space-settings']));
    await expect.poll(() => other.signals.isCurrent()).toBe(true);
  });
});

describe('a change that comes while the store closes', () => {
  it.each<[string, (store: Store) => Promise<void>]>([
    ['ends', async (store) => store.destroy()],
    ['leaves what the database does not answer', async (store) => store.abandon?.()],
  ])('is no fault where its reader finds no database any more: the store %s', async (_, end) => {
    const url = await makeDatabase();
    const levels: string[] = [];
    const log = pino(
      { level: 'debug', formatters: { level: (level) => ({ level }) } },
      {
        write: (line: string) => {
          const { level, msg } = JSON.parse(line) as Record<'level' | 'msg', string>;
          if (msg.includes('could not be applied')) levels.push(level);
        },
      },
    );
    const [store, other] = [await openTestStore(url, { log }), await openTestStore(url)];
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    store.signals.subscribe('space-settings', async () => {
      begun.resolve();
      await ended.promise;
      await store.selectFrom('revision').selectAll().execute();
    });
    const publishing = publish(other);
    await begun.promise;
    await end(store);
    ended.resolve();
    await expect.poll(() => levels).not.toEqual([]);
    await store.destroy();
    await publishing;
    expect(new Set(levels)).toEqual(new Set(['debug']));
  });
});

describe('what nobody told of', () => {
  it('is found by the look of every 30 seconds', async () => {
    const looks = new Set<() => void>();
    const after: Clock['after'] = (ms, run) => {
      if (ms !== 30_000) return realClock.after(ms, run);
      looks.add(run);
      return () => void looks.delete(run);
    };
    const url = await makeDatabase();
    const log = createLog('silent');
    const clock = { ...realClock, after };
    const store = await openPostgresStore({ url, connections: 2, log, clock });
    onTestFinished(() => store.destroy());
    const received: unknown[] = [];
    store.signals.subscribe('watches', (changed) => void received.push(changed));
    await onServer(url, `INSERT INTO revision (topic, revision) VALUES ('watches', 1)`);
    await expect.poll(() => looks.size).toBeGreaterThan(0);
    expect(received).toEqual([]);
    for (const look of looks) look();
    await expect.poll(() => received).toEqual([undefined]);
  });
});

describe('what a process knows', () => {
  it('counts as outdated after the process was stopped for longer than its lease, until it looked again', async () => {
    let stoppedMs = 0;
    const clock = { ...realClock, nowMs: () => realClock.nowMs() + stoppedMs };
    const url = await makeDatabase();
    const log = createLog('silent');
    const store = await openPostgresStore({ url, connections: 2, log, clock });
    onTestFinished(() => store.destroy());
    const { signals } = store;
    expect(signals.isCurrent()).toBe(true);
    stoppedMs = 10_000;
    expect(signals.isCurrent()).toBe(false);
    await expect.poll(() => signals.isCurrent()).toBe(true);
  });

  it('counts as outdated while the look after a new connection has no answer', async () => {
    const url = await makeDatabase();
    const { signals } = await openTestStore(url);
    const locker = new pg.Client({ connectionString: url });
    await locker.connect();
    onTestFinished(async () => locker.end());
    await locker.query('BEGIN; LOCK TABLE revision');
    await cutSessions(url);
    const looking = async (): Promise<number> => {
      const { rows } = await locker.query(
        `SELECT 1 FROM pg_locks WHERE relation = 'revision'::regclass AND NOT granted`,
      );
      return rows.length;
    };
    await expect.poll(looking).toBeGreaterThan(0);
    expect(signals.isCurrent()).toBe(false);
    await locker.query('COMMIT');
    await expect.poll(() => signals.isCurrent()).toBe(true);
  });
});
