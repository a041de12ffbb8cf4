import { Transform } from 'node:stream';
import { AppError } from '../../src/errors.ts';
import { megabytes } from './disk.ts';

/** Bounds on what an archive may become, against archives that are made to fill a disk. */
export interface UnpackLimits {
  readonly mostBytes: number;
  readonly mostFiles: number;
  /** Most bytes for each byte of the archive; weights compress badly. */
  readonly mostRatio: number;
}

export const UNPACK_LIMITS: UnpackLimits = { mostBytes: 20e9, mostFiles: 20_000, mostRatio: 100 };

/** Size up to which the ratio does not count: short texts compress well. */
const SMALL_BYTES = 10e6;

/** The error of an archive that cannot be unpacked: an operator's sentence. */
export const badArchive = (archive: string, what: string): AppError =>
  new AppError('bad-reply', `${archive} cannot be unpacked: ${what}`);

/** Counts what comes out of an archive, and throws when it is over its limits. */
export const createCounter = (archive: string, archiveBytes: number, limits: UnpackLimits) => {
  const mostBytes = Math.min(
    limits.mostBytes,
    Math.max(SMALL_BYTES, limits.mostRatio * archiveBytes),
  );
  let bytes = 0;
  let files = 0;
  return {
    addBytes: (count: number): void => {
      bytes += count;
      if (bytes > mostBytes)
        throw badArchive(archive, `it is over ${megabytes(mostBytes)} unpacked`);
    },
    addFile: (): void => {
      files += 1;
      if (files > limits.mostFiles)
        throw badArchive(archive, `it holds over ${limits.mostFiles} files`);
    },
  };
};
export type UnpackCounter = ReturnType<typeof createCounter>;

/** A stream that lets bytes through and counts them. */
export const counting = (counter: UnpackCounter): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      try {
        counter.addBytes(chunk.length);
        done(undefined, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
