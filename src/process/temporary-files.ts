import { AppError } from '../errors.ts';

/** Causes by the code of a system error. */
const CAUSES = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EROFS', 'the disk is read-only'],
  ['EACCES', 'their folder may not be written to'],
  ['EPERM', 'their folder may not be written to'],
  ['ENOENT', 'their folder is missing'],
]);

/** Says why a temporary file can't be written, and what an operator can do; undefined for any other error. */
export const describeTemporaryFault = (thrown: unknown): string | undefined => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const cause = CAUSES.get(code);
  return (
    cause &&
    `temporary files can't be written, ${cause}: make room in the folder for temporary files, or set TMPDIR to another`
  );
};

/** Converts such an error to an `AppError` with code `unavailable`; any other stays as it is. */
export const fromTemporaryFile = (thrown: unknown): unknown => {
  const fault = describeTemporaryFault(thrown);
  return fault === undefined
    ? thrown
    : new AppError('unavailable', fault, {
        remedy: { key: 'remedies.temporary-files' },
        retryable: true,
        cause: thrown,
      });
};
