import { createHash } from 'node:crypto';
import type { Uploads } from '../outbound/uploads.ts';
import { createLru } from '../../../src/async/lru.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { OutgoingFile } from '../../../src/model/message.ts';
import { keyOf, type Space } from '../../../src/model/place.ts';

interface Picture {
  readonly digest: string;
  readonly fileId: string;
}

/** People whose picture is remembered. */
const PEOPLE = 500;

/**
 * Creates the store of pictures in App Home: one a person, uploaded again only when it changed, so that
 * a workspace does not fill with old charts.
 */
export const createPictures = (uploads: Pick<Uploads, 'keep' | 'remove'>, log: Log) => {
  const pictures = createLru<string, Picture>(PEOPLE);

  const remove = async (space: Space, { fileId }: Picture): Promise<void> => {
    try {
      await uploads.remove(space, fileId);
    } catch (thrown) {
      log.info(faultFields(thrown), 'Slack: an old picture of App Home was not deleted');
    }
  };

  return {
    /** Resolves with the id of a file of Slack's that shows this picture. */
    idOf: async (space: Space, memberId: string, file: OutgoingFile): Promise<string> => {
      const key = `${keyOf(space)} ${memberId}`;
      const digest = createHash('sha256').update(file.bytes).digest('hex');
      const before = pictures.get(key);
      if (before?.digest === digest) return before.fileId;
      const fileId = await uploads.keep(space, file);
      pictures.set(key, { digest, fileId });
      if (before) await remove(space, before);
      return fileId;
    },
    /** Drops what is known of a workspace that removed the app. */
    forgetSpace: (space: Space): void => {
      for (const [key] of pictures) if (key.startsWith(`${keyOf(space)} `)) pictures.delete(key);
    },
  };
};
