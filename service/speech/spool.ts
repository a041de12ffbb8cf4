import { tmpdir } from 'node:os';
import { createWakeUp } from '../../src/async/running.ts';
import { ContractError } from '../errors.ts';
import { createSpoolFile, removeLeftFiles, type SpoolFile } from './spool-file.ts';

/** Wait that clients are asked for: about what a listener needs for a sentence. */
const RETRY_AFTER_MS = 5_000;

/** A reply between its maker and its reader, who go at their own pace. */
export interface Spool extends AsyncDisposable {
  /** Bytes written so far. */
  readonly bytes: number;
  /** Stores bytes; may not be called again before it has resolved. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the reply; with an error, the reader gets that after the bytes before it. */
  end(error?: unknown): void;
  /** Resolves when more may be made: there is room in all, or the reader has caught up. */
  room(signal: AbortSignal): Promise<void>;
  /** Yields the bytes in order, as they come. One reader. */
  read(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
}

export interface Spools {
  /**
   * Opens a spool. Throws `ErrRateLimited` when too much waits to be read, unless it is `always`
   * needed, to end a reply that was begun.
   */
  open(need?: 'always'): Spool;
}

export interface SpoolLimits {
  /** Bytes of one reply in memory; the rest goes into a file. */
  readonly memoryBytes: number;
  /** Bytes of all replies beyond which no other is begun, and one goes on once its reader caught up. */
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
  new ContractError(
    'ErrRateLimited',
    `Too much audio waits for its listeners. Retry after ${RETRY_AFTER_MS / 1_000}s`,
    { context: ['limit'], retryAfterMs: RETRY_AFTER_MS },
  );

/** Creates the store of replies, and removes files of a killed process. */
export const createSpools = (limits: SpoolLimits): Spools => {
  const { memoryBytes, totalBytes, most, folder = tmpdir() } = limits;
  const cleaned = removeLeftFiles(folder);
  const isRoomier = createWakeUp();
  let heldBytes = 0;
  let held = 0;

  const open = (need?: 'always'): Spool => {
    if (need !== 'always' && (held >= most || heldBytes >= totalBytes)) throw full();
    held += 1;
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
      heldBytes += nowBytes - ownBytes;
      ownBytes = nowBytes;
      isRoomier.wake();
    };

    const hasRoom = (): boolean => heldBytes < totalBytes || unread === 0;

    const take = async (): Promise<Uint8Array | undefined> => {
      const first = inMemory.shift();
      if (first) inMemoryBytes -= first.length;
      const next = first ?? (file && file.sizeBytes > 0 ? await file.read() : undefined);
      unread -= next?.length ?? 0;
      count();
      return next;
    };

    return {
      get bytes() {
        return bytes;
      },
      write: async (part) => {
        if (!isOpen) return;
        bytes += part.length;
        unread += part.length;
        // What is in the file comes after what is in memory, so a file is used until it is read.
        if (inMemoryBytes + part.length <= memoryBytes && !file?.sizeBytes) {
          inMemory.push(part);
          inMemoryBytes += part.length;
        } else {
          await cleaned;
          file ??= await createSpoolFile(folder);
          await file.write(part);
        }
        count();
        changed.wake();
      },
      end: (error) => {
        ended ??= { error };
        changed.wake();
      },
      room: async (signal) => {
        while (!hasRoom()) await isRoomier.wait(isRoomier.count, signal);
      },
      read: async function* (signal) {
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
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        held -= 1;
        count();
        await file?.[Symbol.asyncDispose]();
      },
    };
  };

  return { open };
};
