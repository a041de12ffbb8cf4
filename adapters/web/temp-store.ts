import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { AppError } from '../../src/errors.ts';
import { makeTempFolder } from './temp-folders.ts';

interface StoredFile {
  /** Unguessable: knowing it is the right to read the file. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

export interface TempStore extends AsyncDisposable {
  /**
   * Keeps a file; leaves nothing behind when it rejects: with `too-large` past `limitBytes`, with
   * `rate-limited` where files that are still coming in take all the room there is.
   */
  put(
    file: Pick<StoredFile, 'name' | 'mediaType'>,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    limitBytes: number,
  ): Promise<StoredFile>;
  get(id: string): StoredFile | undefined;
  /** The bytes `start` to `end`, both included, as HTTP ranges count. */
  read(
    id: string,
    range?: { start: number; end: number },
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  remove(id: string): Promise<void>;
}

const tooLarge = (limitBytes: number): AppError =>
  new AppError('too-large', 'a file is larger than allowed', {
    sentence: {
      key: 'web.errors.file-too-large',
      params: { limit: Math.max(1, Math.round(limitBytes / 1_048_576)) },
    },
  });

const noRoom = (): AppError =>
  new AppError('rate-limited', 'files under way take all the room there is', {
    sentence: { key: 'web.errors.too-many-files' },
    retryable: true,
  });

/** Files in a folder of their own, which goes when the store is closed; the oldest make room. */
export const createTempStore = (
  bounds: { files: number; bytes: number },
  parent = tmpdir(),
): TempStore => {
  const files = new Map<string, StoredFile>();
  let folder: Promise<string> | undefined;
  /** The bytes of all files, those that are still coming in included. */
  let total = 0;

  const ready = (): Promise<string> => (folder ??= makeTempFolder(parent));
  const pathOf = async (id: string): Promise<string> => join(await ready(), id);

  const remove = async (id: string): Promise<void> => {
    total -= files.get(id)?.sizeBytes ?? 0;
    files.delete(id);
    await rm(await pathOf(id), { force: true });
  };

  const makeRoom = async (): Promise<void> => {
    for (const id of files.keys()) {
      if (files.size <= bounds.files && total <= bounds.bytes) return;
      await remove(id);
    }
  };

  return {
    put: async ({ name, mediaType }, bytes, limitBytes) => {
      const id = randomBytes(18).toString('base64url');
      const path = await pathOf(id);
      let sizeBytes = 0;
      const measured = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of bytes) {
          sizeBytes += chunk.byteLength;
          total += chunk.byteLength;
          if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
          if (total > bounds.bytes) await makeRoom();
          if (total > bounds.bytes) throw noRoom();
          yield chunk;
        }
      };
      try {
        await writeFile(path, measured(), { mode: 0o600, flag: 'wx' });
      } catch (error) {
        total -= sizeBytes;
        await rm(path, { force: true });
        throw error;
      }
      const file = { id, name, mediaType, sizeBytes };
      files.set(id, file);
      await makeRoom();
      return file;
    },
    get: (id) => files.get(id),
    read: async function* (id, range, signal) {
      if (!files.has(id)) throw new AppError('not-found', 'a file is gone');
      yield* createReadStream(await pathOf(id), { ...range, signal }) as AsyncIterable<Uint8Array>;
    },
    remove,
    [Symbol.asyncDispose]: async () => {
      files.clear();
      if (folder) await rm(await folder, { recursive: true, force: true });
    },
  };
};
