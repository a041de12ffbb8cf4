import { channelIdOf } from '../ids.ts';
import { FILES } from '../limits.ts';
import type { MessageWriter } from '../outbound/message-writer.ts';
import type { SlackBlock } from '../outbound/blocks.ts';
import type { UploadedFile, Uploads } from '../outbound/uploads.ts';
import { textBlocks } from '../outbound/render.ts';
import type { MirroredFile } from './metadata.ts';
import { personaIn } from './persona.ts';
import type { ScopeChoice } from '../scopes.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import { link, paragraph, text } from '../../../src/rich-text/rich-text.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';
import type { Mirror, MirrorFile } from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';

/** A file that was uploaded for a mirror, and is not shown yet. */
type StagedFile = UploadedFile & { readonly key: string };

const keyOf = ({ id, name }: MirrorFile): string => id ?? name;

const filesOf = ({ content }: Mirror): readonly MirrorFile[] =>
  (content.files ?? []).slice(0, FILES);

/** Stands before the name of the files' owner. */
export const OWNER = '📎 ';

/** The name of the files' owner, as a link to the source. */
const ownerBlocks = ({ as, sourceUrl }: Mirror): readonly SlackBlock[] | undefined => {
  if (!as) return undefined;
  const name = text(quotedWords(as.name) || '…');
  return textBlocks([
    paragraph(text(OWNER), sourceUrl === undefined ? name : link(sourceUrl, name)),
  ]);
};

export type MirrorFiles = ReturnType<typeof createMirrorFiles>;

/**
 * Creates what shows the files of mirrors. A mirror's files are uploaded before its texts are posted,
 * whose metadata has their ids: by these they are found again, shown once and deleted, whenever the
 * process ends.
 */
export const createMirrorFiles = (
  uploads: Uploads,
  writer: Pick<MessageWriter, 'erase'>,
  names: ScopeChoice['names'],
) => {
  /** Deletes files with the messages that show nothing else. */
  const remove = async (
    channel: Channel,
    files: readonly MirroredFile[],
    held: WhileHeld,
    standing: readonly MirroredFile[] = [],
  ): Promise<void> => {
    for (const { id, ts } of files) {
      const at =
        ts ?? (await uploads.shownIn(channel.space, id, channelIdOf(channel), { polls: 1 }));
      if (at !== undefined && standing.every((other) => other.ts !== at))
        await writer.erase(channel, at, held);
      await uploads.remove(channel.space, id, held);
    }
  };

  return {
    remove,
    /** Uploads the files that a mirror does not have; nobody sees them yet. */
    stage: async (
      channel: Channel,
      mirror: Mirror,
      standing: readonly MirroredFile[] = [],
    ): Promise<readonly StagedFile[]> => {
      const staged: StagedFile[] = [];
      for (const file of filesOf(mirror)) {
        const key = keyOf(file);
        if (standing.some((other) => other.key === key)) continue;
        staged.push({ key, name: file.name, id: await uploads.send(channel.space, file) });
      }
      return staged;
    },
    /**
     * Shows staged files in one message. Rejects with a retryable error when Slack does not show them:
     * the next try finds them, or deletes them and uploads them anew.
     */
    show: async (
      channel: Channel,
      threadTs: string | undefined,
      mirror: Mirror,
      staged: readonly StagedFile[],
      { assertHeld }: WhileHeld,
    ): Promise<readonly MirroredFile[]> => {
      if (staged.length === 0) return [];
      const blocks = ownerBlocks(mirror);
      const ts = await uploads.share(channel.space, staged, {
        channelId: channelIdOf(channel),
        threadTs,
        as: personaIn(mirror, names),
        assertHeld,
        ...(blocks ? { blocks } : {}),
      });
      if (ts === undefined)
        throw new AppError('unavailable', 'Slack did not show files', { retryable: true });
      return staged.map(({ key, id }) => ({ key, id, ts }));
    },
    /** The files that a mirror keeps, each once, and those that are to be deleted. */
    compare: async (
      channel: Channel,
      mirror: Mirror,
      known: readonly MirroredFile[],
    ): Promise<{
      readonly standing: readonly MirroredFile[];
      readonly obsolete: readonly MirroredFile[];
    }> => {
      const keys = new Set(filesOf(mirror).map(keyOf));
      const [standing, obsolete]: [MirroredFile[], MirroredFile[]] = [[], []];
      for (const file of known) {
        if (standing.concat(obsolete).some(({ id }) => id === file.id)) continue;
        const isNeeded = keys.has(file.key) && standing.every(({ key }) => key !== file.key);
        const ts =
          isNeeded && file.ts === undefined
            ? await uploads.shownIn(channel.space, file.id, channelIdOf(channel))
            : file.ts;
        // A file that was never shown is deleted, so that it cannot appear later, and uploaded anew.
        (isNeeded && ts !== undefined ? standing : obsolete).push({ ...file, ts });
      }
      return { standing, obsolete };
    },
  };
};
