import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'dragoman-spool-';
/** Age of a file that a killed process left: others are nameless within milliseconds. */
const LEFT_BEHIND_MS = 60_000;
const READ_BYTES = 64 * 1024;

/** A temporary file that is written at its end and read from its start, once. */
export interface SpoolFile extends AsyncDisposable {
  /** Size of the file; none once all of it is read. */
  readonly sizeBytes: number;
  write(bytes: Uint8Array): Promise<void>;
  /** The next bytes, some or all; none when all that was written is read. */
  read(): Promise<Uint8Array>;
}

/** Creates a file without a name, which is gone when its handle or the process is. */
const openNameless = async (folder: string): Promise<FileHandle> => {
  const path = join(folder, `${PREFIX}${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

export const createSpoolFile = async (folder: string): Promise<SpoolFile> => {
  const handle = await openNameless(folder);
  let written = 0;
  let read = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Runs a step after those before it. */
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const result = last.then(step);
    last = result.catch(() => undefined);
    return result;
  };

  const write = async (bytes: Uint8Array): Promise<void> => {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, written);
      done += bytesWritten;
      written += bytesWritten;
    }
  };
  const readNext = async (): Promise<Uint8Array> => {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, written - read));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, read);
    read += bytesRead;
    if (read === written) {
      await handle.truncate();
      written = 0;
      read = 0;
    }
    return buffer.subarray(0, bytesRead);
  };

  return {
    get sizeBytes() {
      return written;
    },
    write: (bytes) => inTurn(() => write(bytes)),
    read: () => inTurn(readNext),
    [Symbol.asyncDispose]: () => inTurn(() => handle.close()),
  };
};

/** Removes the files that killed processes left in `folder`. */
export const removeLeftFiles = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true });
  }
};
