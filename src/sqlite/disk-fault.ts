import { AppError, type MessageKey } from '../errors.ts';

/** A reason for which a database cannot be used, with what an operator can do about it. */
export interface StorageFault {
  readonly reason: string;
  readonly instruction: string;
  readonly remedy: MessageKey;
  /** True when the same call fails until the program starts anew. */
  readonly isLasting?: boolean;
}

const FULL: StorageFault = {
  reason: 'the disk is full',
  instruction: 'free space on the disk',
  remedy: 'remedies.disk-full',
};
const READ_ONLY: StorageFault = {
  reason: 'it is read-only',
  instruction: 'make the file, its folder and its disk writable for the user of this program',
  remedy: 'remedies.disk-read-only',
};
const DAMAGED: StorageFault = {
  reason: 'it is damaged or no database',
  instruction: 'stop the program and put a backup in its place',
  remedy: 'remedies.disk-damaged',
  isLasting: true,
};
const FAILING: StorageFault = {
  reason: 'the disk does not read or write',
  instruction: 'look at the disk, and at the log of the system',
  remedy: 'remedies.disk-failing',
};

/** Faults by the primary result code of SQLite (documentation, "Result and Error Codes"). */
const BY_SQLITE_CODE = new Map([
  [8, READ_ONLY],
  [10, FAILING],
  [11, DAMAGED],
  [13, FULL],
  [26, DAMAGED],
]);

/** Faults by the code of a system error. */
const BY_SYSTEM_CODE = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EROFS', READ_ONLY],
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EIO', FAILING],
]);

const PRIMARY_CODE = 0xff;

/** The primary result code of an error of SQLite; undefined for another error. */
const sqliteCode = (thrown: unknown): number | undefined =>
  thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & PRIMARY_CODE
    : undefined;

const findFault = (thrown: unknown): StorageFault | undefined => {
  const code = sqliteCode(thrown);
  if (code !== undefined) return BY_SQLITE_CODE.get(code);
  const isCoded = thrown instanceof Error && 'code' in thrown;
  return isCoded ? BY_SYSTEM_CODE.get(String(thrown.code)) : undefined;
};

/** Describes what keeps a database from being used, with a remedy; undefined for another error. */
export const describeDiskFault = (thrown: unknown): string | undefined => {
  const fault = findFault(thrown);
  return fault && `${fault.reason}: ${fault.instruction}`;
};

/** Creates the error for a database that cannot be used. */
export const storageError = (
  code: 'unavailable' | 'config',
  { reason, instruction, remedy, isLasting = false }: StorageFault,
  cause: unknown,
): AppError =>
  new AppError(code, `the database cannot be used, ${reason}: ${instruction}`, {
    sentence: { key: 'errors.storage' },
    remedy: { key: remedy },
    retryable: !isLasting,
    cause,
  });

/**
 * Converts an error of a database that cannot be used to an `AppError` with code `unavailable`; any
 * other error stays as it is.
 */
export const fromDisk = (thrown: unknown): unknown => {
  const fault = findFault(thrown);
  return fault ? storageError('unavailable', fault, thrown) : thrown;
};

/** True of an error for a database that cannot be used. */
export const isStorageFault = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.sentence.key === 'errors.storage';

/** The result code of SQLite for a lock that another program has. */
const SQLITE_BUSY = 5;

/** True when another program has the lock of the database's writers. */
export const isLocked = (thrown: unknown): boolean => sqliteCode(thrown) === SQLITE_BUSY;
