import { tmpdir } from 'node:os';
import { createSemaphore } from '../../src/async/locks.ts';
import { createWakeUp } from '../../src/async/running.ts';
import { describeTemporaryFault } from '../../src/process/temporary-files.ts';
import { ContractError, tooManyRequests } from '../errors.ts';
import { createFairLimit } from '../fair-limit.ts';
import { randomUUID } from 'node:crypto';
import { open as openFile, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const PREFIX = 'dragoman-spool-';
/** Age of a file that a killed process left: others are nameless within milliseconds. */
const LEFT_BEHIND_MS = 60_000;
const READ_BYTES = 64 * 1024;

/** A temporary file that is written at its end and read from its start, once. */
type SpoolFile = Awaited<ReturnType<typeof createSpoolFile>>;

/** Creates a file without a name, which is gone when its handle or the process is. */
const openNameless = async (folder: string): Promise<FileHandle> => {
  const path = join(folder, `${PREFIX}${randomUUID()}`);
  const handle = await openFile(path, 'wx+', 0o600);
  try {
    await rm(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

const createSpoolFile = async (folder: string) => {
  const handle = await openNameless(folder);
  let written = 0;
  let read = 0;
  /** Runs a step after those before it. */
  const { use: inTurn } = createSemaphore(1);
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
    /** Size of the file; none once all of it is read. */
    get sizeBytes(): number {
      return written;
    },
    write: (bytes: Uint8Array): Promise<void> => inTurn(() => write(bytes)),
    /** The next bytes, some or all; none when all that was written is read. */
    read: (): Promise<Uint8Array> => inTurn(readNext),
    [Symbol.asyncDispose]: () => inTurn(() => handle.close()),
  };
};

/** Removes the files that killed processes left in `folder`. */
const removeLeftFiles = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true });
  }
};

/** Wait that clients are asked for: about what a listener needs for a sentence. */
const RETRY_AFTER_MS = 5_000;

export type Spools = ReturnType<typeof createSpools>;
/** A reply between its maker and its reader, who go at their own pace. */
export type Spool = ReturnType<Spools['open']>;

export interface SpoolLimits {
  /** Bytes of one reply in memory; the rest goes into a file. */
  readonly memoryBytes: number;
  /**
   * Bytes of all replies. Of those that a key can have of them, none beyond is begun, and one goes on once its
   * reader caught up.
   */
  readonly totalBytes: number;
  /** Replies at the same time. */
  readonly most: number;
  /** Folder of the files. Default: the system's for temporary ones. */
  readonly folder?: string;
}

/** Audio that waits for its listeners: a second of it has 48 kB or less at the usual rate. */
export const SPOOL_LIMITS: SpoolLimits = {
  memoryBytes: 256 * 1024,
  totalBytes: 512 * 1024 * 1024,
  most: 256,
};

const full = (): ContractError =>
  tooManyRequests(RETRY_AFTER_MS, 'Too much audio waits for its listeners.');

/** Makes what the system refuses an error that says what to do about it. */
const asStorage = (thrown: unknown): unknown => {
  const fault = describeTemporaryFault(thrown);
  return fault === undefined ? thrown : new ContractError('ErrStorage', fault, { cause: thrown });
};

/** Creates the store of replies, and removes files of a killed process. */
export const createSpools = (limits: SpoolLimits) => {
  const { memoryBytes, totalBytes, most, folder = tmpdir() } = limits;
  const cleaned = removeLeftFiles(folder);
  const isRoomier = createWakeUp();
  const held = createFairLimit(totalBytes);
  const places = createFairLimit(most);

  const open = (key: string, need?: 'always') => {
    if (need !== 'always' && !(places.hasRoom(key, 1) && held.hasRoom(key, 0))) throw full();
    places.add(key, 1);
    const changed = createWakeUp();
    const inMemory: Uint8Array[] = [];
    let inMemoryBytes = 0;
    let file: SpoolFile | undefined;
    let ownBytes = 0;
    let bytes = 0;
    let unread = 0;
    let ended: { readonly error: unknown } | undefined;
    let isOpen = true;

    const count = (): void => {
      const nowBytes = isOpen ? inMemoryBytes + (file?.sizeBytes ?? 0) : 0;
      held.add(key, nowBytes - ownBytes);
      ownBytes = nowBytes;
      isRoomier.wake();
    };

    const hasRoom = (): boolean => held.hasRoom(key, 0) || unread === 0;

    const take = async (): Promise<Uint8Array | undefined> => {
      const first = inMemory.shift();
      if (first) inMemoryBytes -= first.length;
      const next = first ?? (file && file.sizeBytes > 0 ? await file.read() : undefined);
      unread -= next?.length ?? 0;
      count();
      return next;
    };

    return {
      /** Bytes written so far. */
      get bytes(): number {
        return bytes;
      },
      /** Stores bytes; may not be called again before it has resolved. */
      write: async (part: Uint8Array): Promise<void> => {
        if (!isOpen) return;
        bytes += part.length;
        unread += part.length;
        // What is in the file comes after what is in memory, so a file is used until it is read.
        if (inMemoryBytes + part.length <= memoryBytes && !file?.sizeBytes) {
          inMemory.push(part);
          inMemoryBytes += part.length;
        } else {
          await cleaned;
          try {
            file ??= await createSpoolFile(folder);
            await file.write(part);
          } catch (error) {
            throw asStorage(error);
          }
        }
        count();
        changed.wake();
      },
      /** Ends the reply; with an error, the reader gets that after the bytes before it. */
      end: (error?: unknown): void => {
        ended ??= { error };
        changed.wake();
      },
      /** Resolves when more may be made: there is room in all, or the reader has caught up. */
      room: async (signal: AbortSignal): Promise<void> => {
        while (!hasRoom()) await isRoomier.wait(isRoomier.count, signal);
      },
      /** Yields the bytes in order, as they come. One reader. */
      read: async function* (signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
        for (;;) {
          const seen = changed.count;
          const next = await take();
          if (next) yield next;
          else if (unread === 0 && ended) {
            if (ended.error !== undefined) throw ended.error;
            return;
          } else await changed.wait(seen, signal);
        }
      },
      [Symbol.asyncDispose]: async (): Promise<void> => {
        if (!isOpen) return;
        isOpen = false;
        places.add(key, -1);
        count();
        await file?.[Symbol.asyncDispose]();
      },
    };
  };

  return {
    /**
     * Opens a spool of a key. Throws `ErrRateLimited` when too much of it waits to be read, unless it is
     * `always` needed, to end a reply that was begun.
     */
    open,
  };
};
