import { isFree, LEASE_MS, NOW_MS, SLOWEST_MS } from '../../src/store/postgres/lease-rows.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import {
  connectSimulated,
  type Connection,
  type Network,
  type SimulatedSession,
} from './simulated-session.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A fault planted into the database's statements, which a simulation must find. */
export type Flaw =
  | 'claims what is held'
  | 'renews for anybody'
  | 'renews nothing'
  | 'keeps the epoch'
  | 'makes one name too few'
  | 'trusts its clock';

export interface LeaseRow {
  readonly name: string;
  readonly set: string;
  owner: string;
  epoch: number;
  expiresMs: number;
  /** Place of the owner among all, which stands for that of its random name. */
  place: number;
}

export interface LeaseDatabase {
  readonly connect: (host: SimulatedProcess, network: Network) => SimulatedSession;
  /** Sets the database's clock forward, or back. */
  readonly setClock: (byMs: number) => void;
  /** Runs one of the leases' statements at once. */
  readonly execute: (text: string, values: readonly unknown[]) => readonly object[];
  /** Texts of the statements, by kind. */
  readonly texts: ReadonlyMap<string, string>;
  /** Statements run so far, by kind. */
  readonly statements: Map<string, number>;
  /** Notifications sent so far, each counted once for each connection that hears it. */
  notified: number;
}

export interface LeaseDatabaseDeps {
  readonly time: VirtualTime;
  readonly random: () => number;
  /** Speed of the database's clock; 1 is that of true time. */
  readonly rate: number;
  /** Share of rows that a claim of many finds locked, and skips. */
  readonly locked: number;
  readonly flaw?: Flaw | undefined;
  /** Called when a release takes effect. */
  readonly released: (row: LeaseRow) => void;
}

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * A database in memory that knows the statements of the leases and no other: a statement whose text has changed is
 * refused, so that this fake is changed with it. Each takes effect at one moment, by the database's own clock.
 */
export const createLeaseDatabase = (deps: LeaseDatabaseDeps): LeaseDatabase => {
  const { time, random, flaw } = deps;
  const rows = new Map<string, LeaseRow>();
  const sets = new Map<string, LeaseRow[]>();
  const listeners = new Map<string, Set<Connection>>();
  const statements = new Map<string, number>();
  /** Owners in the order in which they came, which stands for that of their random names. */
  const owners = new Map<string, number>();

  let jumpedMs = 0;
  const nowMs = (): number => Math.round(1e12 + time.nowMs * deps.rate + jumpedMs);
  /** The condition `isFree`, for one moment. */
  const freeAt = (earliestMs: number, latestMs: number) => {
    const atMs = nowMs();
    const isTrusted = flaw === 'trusts its clock';
    const endedMs = isTrusted ? atMs : Math.min(atMs, earliestMs);
    const aheadMs = (isTrusted ? atMs : Math.max(atMs, latestMs)) + LEASE_MS + SLOWEST_MS;
    return ({ expiresMs }: LeaseRow): boolean => expiresMs <= endedMs || expiresMs > aheadMs;
  };
  const mayClaim = (earliestMs: number, latestMs: number) =>
    flaw === 'claims what is held' ? () => true : freeAt(earliestMs, latestMs);
  const numberOf = (owner: string): number => {
    if (!owners.has(owner)) owners.set(owner, owners.size);
    return owners.get(owner)!;
  };
  const add = (row: LeaseRow): void => {
    rows.set(row.name, row);
    const set = sets.get(row.set);
    if (set) set.push(row);
    else sets.set(row.set, [row]);
  };
  const grant = (row: LeaseRow, owner: string, leaseMs: number) => {
    row.place = numberOf(owner);
    row.owner = owner;
    row.epoch += flaw === 'keeps the epoch' ? 0 : 1;
    row.expiresMs = nowMs() + leaseMs;
    return { name: row.name, epoch: row.epoch };
  };
  const notify = (pairs: Iterable<readonly [string, string]>): void => {
    const told = new Set<string>();
    for (const [channel, payload] of pairs) {
      const key = `${channel} ${payload}`;
      if (told.has(key)) continue;
      told.add(key);
      for (const connection of listeners.get(channel) ?? []) {
        database.notified += 1;
        connection.hear(channel, payload);
      }
    }
  };

  const tellReleased = (told: Iterable<string>): readonly object[] => {
    const pairs = [...told].map((set) => ['dragoman_released', set] as const);
    notify(pairs);
    return pairs.map(() => ({}));
  };

  type Run = (values: readonly never[]) => readonly object[];
  const known = new Map<string, { readonly kind: string; readonly run: Run }>();
  const texts = new Map<string, string>();
  /** Statements by their texts as they are sent. */
  const byText = new Map<string, { readonly kind: string; readonly run: Run } | undefined>();
  const find = (text: string) => {
    if (!byText.has(text)) byText.set(text, known.get(inOneLine(text)));
    return byText.get(text);
  };
  const knows = (kind: string, text: string, run: (values: never) => readonly object[]): void => {
    texts.set(kind, text);
    known.set(inOneLine(text), { kind, run: run as unknown as Run });
  };

  knows(
    'claim',
    `INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
     VALUES ($1, $2, $3, 1, ${NOW_MS} + $4)
     ON CONFLICT (name) DO UPDATE
       SET owner = excluded.owner, epoch = lease.epoch + 1, expires_ms = excluded.expires_ms
       WHERE ${isFree('$5', '$6')}
     RETURNING name, epoch`,
    ([name, set, owner, leaseMs, ...bounds]: [string, string, string, number, number, number]) => {
      const row = rows.get(name);
      if (row) return mayClaim(...bounds)(row) ? [grant(row, owner, leaseMs)] : [];
      const made = { name, set, owner, epoch: 0, expiresMs: 0, place: 0 };
      add(made);
      return [grant(made, owner, leaseMs)];
    },
  );
  knows(
    'renew',
    `WITH renewed AS (
       UPDATE lease SET expires_ms = ${NOW_MS} + $4
       FROM unnest($2::text[], $3::bigint[]) AS held (name, epoch)
       WHERE lease.name = held.name AND lease.epoch = held.epoch AND lease.owner = $1
         AND lease.expires_ms > 0
       RETURNING lease.name)
     SELECT renewed.name, ${NOW_MS} AS now_ms FROM (SELECT 1) AS one LEFT JOIN renewed ON true`,
    ([owner, names, epochs, leaseMs]: [string, string[], number[], number]) => {
      const now_ms = nowMs();
      const renewed = names.filter((name, index) => {
        if (flaw === 'renews nothing') return true;
        const row = rows.get(name);
        if (!row || row.expiresMs === 0) return false;
        if (flaw !== 'renews for anybody' && (row.owner !== owner || row.epoch !== epochs[index]))
          return false;
        row.expiresMs = now_ms + leaseMs;
        return true;
      });
      return renewed.length > 0
        ? renewed.map((name) => ({ name, now_ms }))
        : [{ name: null, now_ms }];
    },
  );
  knows(
    'release',
    `WITH released AS (
       UPDATE lease SET expires_ms = 0
       FROM unnest($1::text[], $3::bigint[]) AS given (name, epoch)
       WHERE lease.name = given.name AND lease.epoch = given.epoch AND lease.owner = $2
       RETURNING set_name)
     SELECT pg_notify('dragoman_released', set_name) FROM released
     WHERE set_name = ANY($4::text[]) GROUP BY set_name`,
    ([names, owner, epochs, telling]: [string[], string, number[], string[]]) => {
      const told = new Set<string>();
      for (const [index, name] of names.entries()) {
        const row = rows.get(name);
        if (!row || row.owner !== owner || row.epoch !== epochs[index]) continue;
        deps.released(row);
        row.expiresMs = 0;
        if (telling.includes(row.set)) told.add(row.set);
      }
      return tellReleased(told);
    },
  );
  knows(
    'make',
    `INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
     SELECT $1 || number, $1, '', 0, 0 FROM generate_series(0, $2::int - 1) AS number
     ON CONFLICT (name) DO NOTHING`,
    ([set, size]: [string, number]) => {
      for (let at = flaw === 'makes one name too few' ? 1 : 0; at < size; at += 1)
        if (!rows.has(`${set}${at}`))
          add({ name: `${set}${at}`, set, owner: '', epoch: 0, expiresMs: 0, place: 0 });
      return [];
    },
  );
  knows(
    'count',
    `SELECT count(*) FILTER (WHERE NOT is_free) AS members,
       count(*) FILTER (WHERE NOT is_free AND owner < $2) AS before,
       count(*) FILTER (WHERE is_free) AS ended
     FROM (SELECT owner, ${isFree('$3', '$4')} AS is_free
       FROM lease WHERE set_name = $1 AND expires_ms > 0) AS member`,
    ([set, owner, ...bounds]: [string, string, number, number]) => {
      const counted = { members: 0, before: 0, ended: 0 };
      const own = numberOf(owner);
      const isEnded = freeAt(...bounds);
      for (const row of sets.get(set) ?? []) {
        if (row.expiresMs === 0) continue;
        if (isEnded(row)) counted.ended += 1;
        else {
          counted.members += 1;
          if (row.place < own) counted.before += 1;
        }
      }
      return [counted];
    },
  );
  knows(
    'end members',
    `WITH ended AS (
       UPDATE lease SET expires_ms = 0
       WHERE name IN (
         SELECT name FROM lease
         WHERE set_name IN ($1, $2) AND expires_ms > 0 AND ${isFree('$3', '$4')}
         FOR UPDATE SKIP LOCKED)
       RETURNING name)
     SELECT pg_notify('dragoman_released', $2) FROM ended LIMIT 1`,
    ([members, told, ...bounds]: [string, string, number, number]) => {
      const isEnded = freeAt(...bounds);
      const ended = [members, told]
        .flatMap((set) => sets.get(set) ?? [])
        .filter((row) => row.expiresMs > 0 && isEnded(row));
      for (const row of ended) row.expiresMs = 0;
      return tellReleased(ended.length > 0 ? [told] : []);
    },
  );
  knows('tell of a set', `SELECT pg_notify('dragoman_released', $1)`, ([set]: [string]) =>
    tellReleased([set]),
  );
  knows(
    'claim a part',
    `UPDATE lease SET owner = $1, epoch = epoch + 1, expires_ms = ${NOW_MS} + $4
     WHERE name IN (
       SELECT name FROM lease WHERE set_name = $2 AND ${isFree('$5', '$6')}
       LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING name, epoch`,
    ([owner, set, limit, leaseMs, ...bounds]: [string, string, number, number, number, number]) => {
      const granted: object[] = [];
      const isClaimable = mayClaim(...bounds);
      for (const row of sets.get(set) ?? []) {
        if (granted.length >= limit) break;
        if (isClaimable(row) && random() >= deps.locked) granted.push(grant(row, owner, leaseMs));
      }
      return granted;
    },
  );
  knows(
    'any held',
    `SELECT 1 FROM lease WHERE set_name = $1 AND NOT ${isFree('$2', '$3')} LIMIT 1`,
    ([set, ...bounds]: [string, number, number]) => {
      const isEnded = freeAt(...bounds);
      return (sets.get(set) ?? []).some((row) => !isEnded(row)) ? [{}] : [];
    },
  );
  knows(
    'tell',
    `SELECT pg_notify('dragoman_told_' || holder.owner, told.name || ' ' || told.message)
     FROM unnest($1::text[], $2::text[]) AS told (name, message) CROSS JOIN LATERAL
       (SELECT owner FROM lease WHERE lease.name = told.name AND expires_ms > 0 LIMIT 1) AS holder`,
    ([told, messages]: [string[], string[]]) => {
      const sent = told.flatMap((name, index) => {
        const row = rows.get(name);
        if (!row || row.expiresMs === 0) return [];
        return [[`dragoman_told_${row.owner}`, `${name} ${messages[index]}`] as const];
      });
      notify(sent);
      return sent.map(() => ({}));
    },
  );
  knows(
    'holders',
    `WITH ended AS (
       UPDATE lease SET expires_ms = 0
       WHERE set_name = $1 AND expires_ms > 0 AND ${isFree('$2', '$3')})
     SELECT DISTINCT owner FROM lease WHERE set_name = $1 AND NOT ${isFree('$2', '$3')}`,
    ([set, ...bounds]: [string, number, number]) => {
      const isFreeNow = freeAt(...bounds);
      const held = (sets.get(set) ?? []).filter((row) => !isFreeNow(row));
      for (const row of sets.get(set) ?? []) if (!held.includes(row)) row.expiresMs = 0;
      return [...new Set(held.map(({ owner }) => owner))].map((owner) => ({ owner }));
    },
  );

  const execute = (
    text: string,
    values: readonly unknown[],
    connection?: Connection,
  ): readonly object[] => {
    const [, verb, channel = ''] = /^((?:UN)?LISTEN) (\w+)$/.exec(text) ?? [];
    const statement = verb ? undefined : find(text);
    const kind = verb?.toLowerCase() ?? statement?.kind;
    if (kind === undefined) throw new Error(`the fake database knows no such statement: ${text}`);
    statements.set(kind, (statements.get(kind) ?? 0) + 1);
    if (statement) return statement.run(values as never[]);
    if (!connection?.isOpen) return [];
    const hearing = listeners.get(channel) ?? new Set();
    listeners.set(channel, hearing);
    if (verb === 'LISTEN') hearing.add(connection);
    else hearing.delete(connection);
    if (hearing.size === 0) listeners.delete(channel);
    return [];
  };

  const connect: LeaseDatabase['connect'] = (host, network) =>
    connectSimulated({ time, random, execute, leave }, host, network);

  const leave = (left: Connection): void => {
    for (const [channel, hearing] of listeners) {
      hearing.delete(left);
      if (hearing.size === 0) listeners.delete(channel);
    }
  };
  const setClock = (byMs: number): void => {
    jumpedMs += byMs;
  };
  const database: LeaseDatabase = { connect, setClock, execute, texts, statements, notified: 0 };
  return database;
};
