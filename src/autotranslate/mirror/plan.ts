import { hash } from 'node:crypto';
import { readAttachments, unreadAttachments, type Attachments } from '../prepare/attachments.ts';
import type { MirrorContent } from '../prepare/compose.ts';
import type { Prepared } from '../prepare/prepared.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Row } from '../../store/inbox/row.ts';
import { isSameTarget, type StoredMirror } from '../../store/channels/mirrors.ts';

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
    for (const { target, compose } of mirrors) {
      const kept = standing.find((one) => isSameTarget(one.target, target));
      if (kept && (!kept.posted || kept.contentHash === row.contentHash)) continue;
      const whole = async () => compose(await attachmentsFor(target));
      if (!kept) {
        workOf(target).create.push({ prepared, content: await whole() });
        continue;
      }
      let isUnreadable = false;
      const { filesBytes } = platforms.of(target.channel).mirrors;
      const unread = unreadAttachments(files, filesBytes, signal, () => {
        isUnreadable = true;
      });
      const content = compose(unread);
      if (kept.contentHash === hashOf(prepared, content)) continue;
      const inStead = async () => (isUnreadable ? whole() : undefined);
      workOf(target).update.push({ prepared, content, posted: kept.posted, inStead });
    }
    for (const kept of standing) {
      const { target, posted } = kept;
      const isWanted = mirrors.some((wanted) => isSameTarget(wanted.target, target));
      // Only finished mirrors may be left as they are.
      if (!isWanted && !(leavesStanding && isFinished(kept)))
        workOf(target).remove.push({ row, posted });
    }
  }
  return works;
};
