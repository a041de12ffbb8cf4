import { AppError, toAppError } from '../../errors.ts';
import type { MessageFile, OutgoingFile, UnreadFile } from '../../model/message.ts';
import type { Attachments, MirrorContent } from '../prepare/compose.ts';
import { hash } from 'node:crypto';
import type { Prepared } from '../prepare/prepared.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Row } from '../../store/inbox/row.ts';
import { isSameTarget, type StoredMirror } from '../../store/channels/mirrors.ts';

const readBytes = async (file: MessageFile, signal: AbortSignal): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open(signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const described = ({ id, name, mediaType, altText, voice }: MessageFile) => ({
  id,
  name,
  mediaType,
  ...(altText === undefined ? {} : { altText }),
  ...(voice ? { voice } : {}),
});

const readFile = async (file: MessageFile, signal: AbortSignal) => ({
  ...described(file),
  bytes: await readBytes(file, signal),
});

/**
 * The files that fit together into one mirror that stands already, which may have them; they are
 * read where it does not.
 *
 * @param onFault called when a file cannot be read, or is not as large as it should be
 */
const unreadAttachments = (
  files: readonly MessageFile[],
  limitBytes: number,
  signal: AbortSignal,
  onFault: () => void,
): Attachments => {
  let roomBytes = limitBytes;
  const [fitting, leftOut]: [(UnreadFile & { readonly id: string })[], string[]] = [[], []];
  for (const file of files) {
    const { sizeBytes, name } = file;
    if (sizeBytes === undefined || sizeBytes > roomBytes) {
      leftOut.push(name);
      continue;
    }
    roomBytes -= sizeBytes;
    const read = async (): Promise<Uint8Array> => {
      try {
        const bytes = await readBytes(file, signal);
        if (bytes.byteLength === sizeBytes) return bytes;
        throw new AppError('bad-input', 'a file is not as large as it should be');
      } catch (thrown) {
        onFault();
        throw thrown;
      }
    };
    fitting.push({ ...described(file), sizeBytes, read });
  }
  return { files: fitting, leftOut };
};

/**
 * Reads the files that fit together into one mirror. Rejects where a retry may succeed, unless
 * `isLast`: then files that cannot be read are left out.
 */
export const readAttachments = async (
  files: readonly MessageFile[],
  limitBytes: number,
  isLast: boolean,
  signal: AbortSignal,
): Promise<Attachments> => {
  const fitting: (OutgoingFile & { readonly id: string })[] = [];
  const leftOut: string[] = [];
  let roomBytes = limitBytes;
  for (const file of files) {
    try {
      const fits = file.sizeBytes !== undefined && file.sizeBytes <= roomBytes;
      const read = fits ? await readFile(file, signal) : undefined;
      if (read && read.bytes.byteLength <= roomBytes) {
        roomBytes -= read.bytes.byteLength;
        fitting.push(read);
      } else leftOut.push(file.name);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'cancelled' || (error.retryable && !isLast)) throw error;
      leftOut.push(file.name);
    }
  }
  return { files: fitting, leftOut };
};

/** Tries after which a file that cannot be read is left out, so that it does not delay others. */
const FILE_TRIES = 4;

/** Prepared mirrors that are still wanted, and the row's existing ones. */
export interface Current {
  readonly prepared: Prepared;
  readonly standing: readonly StoredMirror[];
}

export interface Step {
  readonly prepared: Prepared;
  readonly content: MirrorContent;
  readonly models: string;
  readonly posted?: StoredMirror['posted'];
}

export interface Update extends Step {
  /** The content with files that were read, after some could not be read; else undefined. */
  readonly inStead: () => Promise<MirrorContent | undefined>;
}

/** The changes in one target, in the order of the partition. */
export interface TargetWork {
  readonly target: MirrorTarget;
  readonly remove: { readonly row: Row; readonly posted: StoredMirror['posted'] }[];
  readonly update: Update[];
  readonly create: Step[];
}

/** The row of each step. */
export const rowsOf = ({ remove, update, create }: TargetWork): readonly Row[] => [
  ...remove.map(({ row }) => row),
  ...[...update, ...create].map(({ prepared }) => prepared.row),
];

/** Begins the hash of an incomplete mirror, which tells if the next try makes another of it. */
const INCOMPLETE = '?';

/** The stored hash of a mirror. */
export const hashOf = ({ row, fault }: Prepared, { label, content }: MirrorContent): string =>
  fault ? INCOMPLETE + hash('sha256', JSON.stringify([label, content.text])) : row.contentHash;

const isFinished = ({ contentHash }: StoredMirror): boolean =>
  contentHash !== '' && !contentHash.startsWith(INCOMPLETE);

/** Lists what is to be done in each target. */
export const plan = async (
  batch: readonly Current[],
  platforms: Pick<WatchedPlatforms, 'of'>,
  signal: AbortSignal,
): Promise<readonly TargetWork[]> => {
  const works: TargetWork[] = [];
  const workOf = (target: MirrorTarget): TargetWork => {
    const known = works.find((one) => isSameTarget(one.target, target));
    if (known) return known;
    const work = { target, remove: [], update: [], create: [] };
    works.push(work);
    return work;
  };
  for (const { prepared, standing } of batch) {
    const { row, files, mirrors, leavesStanding } = prepared;
    const read = new Map<number, Attachments>();
    const attachmentsFor = async ({ channel }: MirrorTarget): Promise<Attachments> => {
      const { filesBytes } = platforms.of(channel).mirrors;
      const isLast = row.attempts >= FILE_TRIES;
      const known =
        read.get(filesBytes) ?? (await readAttachments(files, filesBytes, isLast, signal));
      read.set(filesBytes, known);
      return known;
    };
    for (const { target, compose, models } of mirrors) {
      const mirrored = standing.find((one) => isSameTarget(one.target, target));
      if (mirrored && (!mirrored.posted || mirrored.contentHash === row.contentHash)) continue;
      const whole = async () => compose(await attachmentsFor(target));
      if (!mirrored) {
        workOf(target).create.push({ prepared, content: await whole(), models });
        continue;
      }
      let isUnreadable = false;
      const { filesBytes } = platforms.of(target.channel).mirrors;
      const unread = unreadAttachments(files, filesBytes, signal, () => {
        isUnreadable = true;
      });
      const content = compose(unread);
      if (mirrored.contentHash === hashOf(prepared, content)) continue;
      const inStead = async () => (isUnreadable ? whole() : undefined);
      workOf(target).update.push({ prepared, content, models, posted: mirrored.posted, inStead });
    }
    for (const mirrored of standing) {
      const { target, posted } = mirrored;
      const isWanted = mirrors.some((wanted) => isSameTarget(wanted.target, target));
      // Only finished mirrors may be left as they are.
      if (!isWanted && !(leavesStanding && isFinished(mirrored)))
        workOf(target).remove.push({ row, posted });
    }
  }
  return works;
};
