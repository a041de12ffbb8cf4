import { createHash } from 'node:crypto';
import type { Uploads } from '../outbound/uploads.ts';
import { createLru } from '../../../src/async/lru.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { OutgoingFile } from '../../../src/model/file.ts';
import { keyOf, type Space } from '../../../src/model/place.ts';

interface Kept {
  readonly digest: string;
  readonly fileId: string;
}

/** People whose picture is remembered. */
const KEPT = 500;

/**
 * Creates the store of pictures in App Home: one a person, uploaded again only when it changed, so that
 * a workspace does not fill with old charts.
 */
export const createPictures = (uploads: Pick<Uploads, 'keep' | 'remove'>, log: Log) => {
  const kept = createLru<string, Kept>(KEPT);

  const forget = async (space: Space, { fileId }: Kept): Promise<void> => {
    try {
      await uploads.remove(space, fileId);
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.info({ code, reason: message }, 'Slack: an old picture of App Home was not deleted');
    }
  };

  return {
    /** Resolves with the id of a file of Slack's that shows this picture. */
    idOf: async (space: Space, memberId: string, file: OutgoingFile): Promise<string> => {
      const key = `${keyOf(space)} ${memberId}`;
      const digest = createHash('sha256').update(file.bytes).digest('hex');
      const before = kept.get(key);
      if (before?.digest === digest) return before.fileId;
      const fileId = await uploads.keep(space, file);
      kept.set(key, { digest, fileId });
      if (before) await forget(space, before);
      return fileId;
    },
    /** Drops what is known of a workspace that removed the app. */
    forgetSpace: (space: Space): void => {
      for (const [key] of kept) if (key.startsWith(`${keyOf(space)} `)) kept.delete(key);
    },
  };
};
