import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { AppError, userError } from '../../src/errors.ts';
import type { Attachment } from '../../src/model/message.ts';
import { makeProcessFolder, sweepProcessFolders } from '../../src/process/process-folder.ts';
import { fromTemporaryFile } from '../../src/process/temporary-files.ts';
import { WEB_LIMITS } from './limits.ts';
import type { PageFile } from './protocol.ts';

const PREFIX = 'dragoman-web-';

/** Removes what processes that were killed have left in `parent`, as far as this user may. */
export const sweepTempFolders = (parent: string): Promise<void> =>
  sweepProcessFolders(parent, PREFIX);

const tooLarge = (limitBytes: number): AppError =>
  userError('too-large', 'web.errors.file-too-large', {
    limit: Math.max(1, Math.round(limitBytes / 1_048_576)),
  });

const noRoom = (): AppError =>
  userError('rate-limited', 'web.errors.too-many-files', {}, { retryable: true });

export type TempStore = ReturnType<typeof createTempStore>;

/** Files in a folder of their own, which goes when the store is closed; the oldest make room. */
export const createTempStore = (bounds: { files: number; bytes: number }, parent = tmpdir()) => {
  const files = new Map<string, PageFile>();
  let folder: Promise<string> | undefined;
  /** The bytes of all files, those that are still coming in included. */
  let total = 0;

  const ready = (): Promise<string> => {
    folder ??= makeProcessFolder(parent, PREFIX).catch((thrown: unknown) => {
      // One that can't be made now is tried again.
      folder = undefined;
      throw thrown;
    });
    return folder;
  };
  const pathOf = async (id: string): Promise<string> => join(await ready(), id);

  const remove = async (id: string): Promise<void> => {
    total -= files.get(id)?.sizeBytes ?? 0;
    files.delete(id);
    await rm(await pathOf(id), { force: true });
  };

  /** Drops the oldest files until the others fit, with so many bytes more. */
  const makeRoom = async (moreBytes = 0): Promise<void> => {
    for (const id of files.keys()) {
      if (files.size <= bounds.files && total + moreBytes <= bounds.bytes) return;
      await remove(id);
    }
  };

  return {
    /**
     * Keeps a file; leaves nothing behind when it rejects: with `too-large` past `limitBytes`, with
     * `rate-limited` where files that are still coming in take all the room there is.
     */
    put: async (
      { name, mediaType }: Pick<PageFile, 'name' | 'mediaType'>,
      bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
      limitBytes: number,
    ): Promise<PageFile> => {
      const id = randomBytes(18).toString('base64url');
      let sizeBytes = 0;
      const measured = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of bytes) {
          const { byteLength } = chunk;
          if (sizeBytes + byteLength > limitBytes) throw tooLarge(limitBytes);
          await makeRoom(byteLength);
          // What is refused takes no room from others meanwhile.
          if (total + byteLength > bounds.bytes) throw noRoom();
          sizeBytes += byteLength;
          total += byteLength;
          yield chunk;
        }
      };
      let path: string | undefined;
      try {
        path = await pathOf(id);
        await writeFile(path, measured(), { mode: 0o600, flag: 'wx' });
      } catch (error) {
        total -= sizeBytes;
        if (path !== undefined) await rm(path, { force: true });
        throw fromTemporaryFile(error);
      }
      const file = { id, name, mediaType, sizeBytes };
      files.set(id, file);
      await makeRoom();
      return file;
    },
    get: (id: string): PageFile | undefined => files.get(id),
    /** The bytes `start` to `end`, both included, as HTTP ranges count. */
    read: async function* (
      id: string,
      range?: { start: number; end: number },
      signal?: AbortSignal,
    ): AsyncIterable<Uint8Array> {
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

export type UploadStore = ReturnType<typeof createUploadStore>;

/** Files that people send in, kept until the command that they were meant for is done. */
export const createUploadStore = (maxUploadBytes: number) => {
  const store = createTempStore({ files: WEB_LIMITS.uploads, bytes: 4 * maxUploadBytes });
  const owners = new Map<string, string>();
  const underWay = new Set<{ readonly memberId: string; isForgotten: boolean }>();

  const discard = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      owners.delete(id);
      await store.remove(id);
    }
  };

  const idsOf = (memberId: string): readonly string[] =>
    [...owners].flatMap(([id, owner]) => (owner === memberId ? [id] : []));

  return {
    /** Streams a file in; rejects with `too-large` past the limit, `rate-limited` beside too many. */
    receive: async (
      memberId: string,
      file: { name: string; mediaType: string },
      body: AsyncIterable<Uint8Array>,
    ): Promise<{ id: string }> => {
      const own = [...underWay].filter((each) => each.memberId === memberId);
      if (own.length >= WEB_LIMITS.uploadsAtOnce)
        throw userError('rate-limited', 'web.errors.too-many-files');
      const upload = { memberId, isForgotten: false };
      underWay.add(upload);
      try {
        const { id } = await store.put(file, body, maxUploadBytes);
        owners.set(id, memberId);
        if (upload.isForgotten) await discard([id]);
        for (const known of owners.keys()) if (!store.get(known)) owners.delete(known);
        return { id };
      } finally {
        underWay.delete(upload);
      }
    },
    /** A member's own upload as commands take it. */
    take: (id: string, memberId: string): Attachment => {
      const file = owners.get(id) === memberId ? store.get(id) : undefined;
      if (!file) throw userError('not-found', 'web.errors.upload-gone');
      return {
        name: file.name,
        mediaType: file.mediaType,
        sizeBytes: file.sizeBytes,
        open: (signal) => store.read(id, undefined, signal),
      };
    },
    discard,
    /** A member's files that no command has taken yet. */
    of: (memberId: string): readonly PageFile[] =>
      idsOf(memberId).flatMap((id) => store.get(id) ?? []),
    forget: (memberId: string): Promise<void> => {
      for (const upload of underWay) if (upload.memberId === memberId) upload.isForgotten = true;
      return discard(idsOf(memberId));
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
};
