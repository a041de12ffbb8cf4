import pg from 'pg';
import { AppError } from '../../errors.ts';
import { storageError, type StorageFault } from '../../sqlite/disk-fault.ts';

const AWAY: StorageFault = {
  reason: 'it cannot be reached',
  instruction: 'look whether PostgreSQL runs, and at the address in DATABASE_URL',
  remedy: 'remedies.database-away',
};
const CROWDED: StorageFault = {
  reason: 'it allows no more connections',
  instruction: 'raise max_connections, or lower DATABASE_CONNECTIONS',
  remedy: 'remedies.database-slow',
};
const SLOW: StorageFault = {
  reason: 'it takes too long to answer',
  instruction: 'look at its load, its disk and its locks',
  remedy: 'remedies.database-slow',
};
const FULL: StorageFault = {
  reason: 'its disk is full',
  instruction: 'free space on the disk',
  remedy: 'remedies.disk-full',
};
const READ_ONLY: StorageFault = {
  reason: 'it is read-only',
  instruction: 'name the primary server in DATABASE_URL, not a standby',
  remedy: 'remedies.database-read-only',
};
const DENIED: StorageFault = {
  reason: 'it lets this user in no further',
  instruction: 'check the user, the password and the database in DATABASE_URL, and its rights',
  remedy: 'remedies.database-away',
  isLasting: true,
};

/** Faults by SQLSTATE, or by its first two characters (PostgreSQL documentation, appendix A). */
const BY_STATE = new Map([
  ['08', AWAY],
  ['57P', AWAY],
  ['53300', CROWDED],
  ['53100', FULL],
  ['53', CROWDED],
  ['57014', SLOW],
  ['55P03', SLOW],
  ['25P', SLOW],
  ['25006', READ_ONLY],
  ['28', DENIED],
  ['3D', DENIED],
  ['42501', DENIED],
]);

/** Codes of Node's sockets and name look-ups for a server that does not answer. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Words of `pg` for a connection that ended or could not be made, for which it has no code. */
const AWAY_WORDS =
  /connection terminated|connection ended|not queryable|timeout (?:exceeded|expired)/i;
const SLOW_WORDS = /query read timeout/i;

const findFault = (thrown: unknown): StorageFault | undefined => {
  if (thrown instanceof AggregateError) return findFault(thrown.errors[0]);
  if (!(thrown instanceof Error)) return undefined;
  const code = 'code' in thrown ? String(thrown.code) : '';
  const found = [code, code.slice(0, 3), code.slice(0, 2)].map((part) => BY_STATE.get(part));
  const byState = code.length === 5 ? found.find((fault) => fault !== undefined) : undefined;
  if (byState) return byState;
  if (AWAY_CODES.has(code) || AWAY_WORDS.test(thrown.message)) return AWAY;
  return SLOW_WORDS.test(thrown.message) ? SLOW : undefined;
};

/**
 * Converts an error of a PostgreSQL that cannot be used to an `AppError`, with code `unavailable` where the
 * same call may succeed later, else `config`; any other error stays as it is.
 */
export const fromPostgres = (thrown: unknown): unknown => {
  const fault = findFault(thrown);
  return fault ? storageError(fault.isLasting ? 'config' : 'unavailable', fault, thrown) : thrown;
};

/** Creates the error of a connection that is being made anew. */
export const connectionLost = (): AppError =>
  new AppError('unavailable', 'the connection to the database is lost', {
    sentence: { key: 'errors.storage' },
    retryable: true,
  });

/**
 * Converts the error of a commit: where it is none of the server, nobody knows whether the commit took place, which is then
 * a fault of the database, and no reason to run a write again.
 */
export const fromCommit = (thrown: unknown): unknown =>
  thrown instanceof AppError || thrown instanceof pg.DatabaseError
    ? thrown
    : storageError('unavailable', AWAY, thrown);

/** Faults that often pass within seconds: a server that restarts, or has much to do. */
const BRIEF: ReadonlySet<StorageFault | undefined> = new Set([AWAY, CROWDED, SLOW]);

/** True of an error that `fromPostgres` made of what often passes within seconds. */
export const isBrief = (thrown: unknown): boolean =>
  thrown instanceof AppError && BRIEF.has(findFault(thrown.cause));

/** SQLSTATEs of a transaction that lost against another one and succeeds when it is run again. */
const LOST_STATES = new Set(['40001', '40P01']);

/**
 * True where the server refuses a prepared statement whose columns a migration has changed ("cached plan must not change
 * result type"). Its SQLSTATE is that of much else, and its words are in the server's language.
 */
export const isOutdatedPlan = (thrown: unknown): boolean =>
  thrown instanceof pg.DatabaseError && thrown.routine === 'RevalidateCachedQuery';

/** True for a transaction that is to be run again. */
export const hasLost = (thrown: unknown): boolean =>
  thrown instanceof pg.DatabaseError &&
  (LOST_STATES.has(thrown.code ?? '') || isOutdatedPlan(thrown));
