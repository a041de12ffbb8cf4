import { AppError } from '../../src/errors.ts';
import type { Attachment } from '../../src/model/file.ts';
import { WEB_LIMITS } from './limits.ts';
import { createTempStore } from './temp-store.ts';

export interface UploadStore extends AsyncDisposable {
  /** Streams a file in; rejects with `too-large` past the limit, `rate-limited` beside too many. */
  receive(
    memberId: string,
    file: { name: string; mediaType: string },
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ id: string }>;
  /** A member's own upload as commands take it. */
  take(id: string, memberId: string): Attachment;
  discard(ids: readonly string[]): Promise<void>;
}

/** Files that people send in, kept until the command that they were meant for is done. */
export const createUploadStore = (maxUploadBytes: number): UploadStore => {
  const store = createTempStore({ files: WEB_LIMITS.uploads, bytes: 4 * maxUploadBytes });
  const owners = new Map<string, string>();
  /** The owner of each file that is still coming in. */
  const underWay = new Set<{ readonly memberId: string }>();

  return {
    receive: async (memberId, file, body) => {
      const own = [...underWay].filter((each) => each.memberId === memberId);
      if (own.length >= WEB_LIMITS.uploadsAtOnce)
        throw new AppError('rate-limited', 'a member sends too many files at once', {
          sentence: { key: 'web.errors.too-many-files' },
        });
      const upload = { memberId };
      underWay.add(upload);
      try {
        const { id } = await store.put(file, body, maxUploadBytes);
        owners.set(id, memberId);
        for (const known of owners.keys()) if (!store.get(known)) owners.delete(known);
        return { id };
      } finally {
        underWay.delete(upload);
      }
    },
    take: (id, memberId) => {
      const file = owners.get(id) === memberId ? store.get(id) : undefined;
      if (!file)
        throw new AppError('not-found', 'an upload is gone', {
          sentence: { key: 'web.errors.upload-gone' },
        });
      return {
        name: file.name,
        mediaType: file.mediaType,
        sizeBytes: file.sizeBytes,
        open: (signal) => store.read(id, undefined, signal),
      };
    },
    discard: async (ids) => {
      for (const id of ids) {
        owners.delete(id);
        await store.remove(id);
      }
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
};
