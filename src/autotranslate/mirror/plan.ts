import { AppError, reasonSentence, toAppError, type Sentence } from '../../errors.ts';
import type { MessageFile, OutgoingFile, UnreadFile } from '../../model/message.ts';
import type { Attachments, FileLeftOut, MirrorContent } from '../prepare/compose.ts';
import { hash } from 'node:crypto';
import type { Prepared, WantedMirror } from '../prepare/prepared.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { shownHash } from '../../store/inbox/quotes.ts';
import { isOfQuote, type Row } from '../../store/inbox/row.ts';
import type { StoredMirror } from '../../store/channels/mirror-rows.ts';
import { isSameTarget, type QuotingMirror } from '../../store/channels/mirrors.ts';

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

const TOO_LARGE: Sentence = { key: 'reasons.too-large' };

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
  const [fitting, leftOut]: [(UnreadFile & { readonly id: string })[], FileLeftOut[]] = [[], []];
  for (const file of files) {
    const { sizeBytes, name } = file;
    if (sizeBytes === undefined || sizeBytes > roomBytes) {
      leftOut.push({ name, reason: TOO_LARGE });
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
  const leftOut: FileLeftOut[] = [];
  let roomBytes = limitBytes;
  for (const file of files) {
    try {
      const fits = file.sizeBytes !== undefined && file.sizeBytes <= roomBytes;
      const read = fits ? await readFile(file, signal) : undefined;
      if (read && read.bytes.byteLength <= roomBytes) {
        roomBytes -= read.bytes.byteLength;
        fitting.push(read);
      } else leftOut.push({ name: file.name, reason: TOO_LARGE });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'cancelled' || (error.retryable && !isLast)) throw error;
      leftOut.push({ name: file.name, reason: reasonSentence(error) });
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
  /** The content without its files, of which it says why they are missing; undefined where it has none. */
  readonly bare?: ((reason: Sentence) => MirrorContent) | undefined;
  readonly models: string;
  readonly posted?: StoredMirror['posted'];
  /** The steps of all messages that one compact reply shows, this one included; undefined where it shows one. */
  readonly together?: readonly Step[];
}

export interface Update extends Step {
  /** The content with files that were read, after some could not be read; else undefined. */
  readonly inStead: () => Promise<Shown | undefined>;
}

export type Shown = Pick<Step, 'content' | 'bare'>;

const shownWith = (compose: WantedMirror['compose'], attachments: Attachments): Shown => {
  const content = compose(attachments);
  const { files = [] } = content.content;
  if (files.length === 0) return { content };
  return {
    content,
    bare: (reason) => {
      const refused = files.map(({ name }) => ({ name, reason }));
      return compose({ files: [], leftOut: [...attachments.leftOut, ...refused] });
    },
  };
};

/** The changes in one target, in the order of the partition. */
export interface TargetWork {
  readonly target: MirrorTarget;
  /** Rows of which every mirror is to be deleted, also those that are not stored. */
  readonly orphans: Row[];
  readonly remove: { readonly row: Row; readonly posted: StoredMirror['posted'] }[];
  /** Mirrors out of which the quote is taken: of the deleted message of a row, or of former words in its own. */
  readonly unquote: { readonly row: Row; readonly from: QuotingMirror }[];
  readonly update: Update[];
  readonly create: Step[];
  /** Number of steps of each row that are still to be done. */
  readonly open: Map<Row, number>;
}

export interface Plan {
  readonly works: readonly TargetWork[];
  /** Rows that have to wait for a late channel behind others, by its key, each with the fault for which it has to, if any. */
  readonly late: ReadonlyMap<string, ReadonlyMap<Row, AppError | undefined>>;
}

export interface PlanOptions {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  /** The key of the channel that a target is, or is a thread of. */
  readonly keyOf: (target: MirrorTarget) => string;
  /** True for a channel, by its key, which a row has to wait for behind others. */
  readonly isLate: (key: string) => boolean;
  /** True where a row may wait for one channel while it is done in others. */
  readonly canWait: boolean;
  readonly signal: AbortSignal;
}

/** True for a fault of a channel, or of its platform, which passes; others wait for it in vain. */
export const isPassing = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.retryable && thrown.code !== 'cancelled';

/** Begins the hash of an incomplete mirror, which tells if the next try makes another of it. */
const INCOMPLETE = '?';

export const hashOf = ({ row, fault }: Prepared, { label, content }: MirrorContent): string =>
  fault ? INCOMPLETE + hash('sha256', JSON.stringify([label, content.text])) : row.contentHash;

const isOutdated = ({ contentHash }: StoredMirror): boolean =>
  shownHash(contentHash) !== contentHash;

const isFinished = ({ contentHash }: StoredMirror): boolean =>
  contentHash !== '' && !shownHash(contentHash).startsWith(INCOMPLETE);

/** Lists what is to be done in each target. */
export const plan = async (
  batch: readonly Current[],
  { platforms, keyOf, isLate, canWait, signal }: PlanOptions,
): Promise<Plan> => {
  const works: TargetWork[] = [];
  const late = new Map<string, Map<Row, AppError | undefined>>();
  const wait = (key: string, row: Row, fault?: AppError): void => {
    const rows = late.get(key) ?? new Map<Row, AppError | undefined>();
    late.set(key, rows.set(row, fault));
  };
  /** Plans a step of a row in a target, unless the row has to wait for it. */
  const step = async (
    row: Row,
    target: MirrorTarget,
    add: (work: TargetWork) => void | Promise<boolean>,
  ): Promise<void> => {
    const key = keyOf(target);
    if (late.has(key) || isLate(key)) return wait(key, row);
    const known = works.find((one) => isSameTarget(one.target, target));
    const work = known ?? {
      target,
      orphans: [],
      remove: [],
      unquote: [],
      update: [],
      create: [],
      open: new Map(),
    };
    if (!known) works.push(work);
    try {
      if ((await add(work)) === false) return;
      work.open.set(row, (work.open.get(row) ?? 0) + 1);
    } catch (thrown) {
      if (!canWait || !isPassing(thrown)) throw thrown;
      wait(key, row, thrown);
    }
  };
  for (const { prepared, standing } of batch) {
    const { row, files, leavesStanding, keeps } = prepared;
    /** True of a mirror of which only what it quotes may have changed. */
    const isOfOtherWords = (mirrored: StoredMirror): boolean =>
      prepared.skip !== 'deleted' &&
      (isOfQuote(row) ||
        (isOutdated(mirrored) && shownHash(mirrored.contentHash) === row.contentHash));
    const mirrors = prepared.mirrors.filter(({ target, isFailed }) => {
      const mirrored = standing.find((one) => isSameTarget(one.target, target));
      // What stands is better than what is not translated.
      return !isFailed || !mirrored || !isOfOtherWords(mirrored);
    });
    for (const key of prepared.late) wait(key, row);
    for (const target of prepared.orphanTargets)
      await step(row, target, ({ orphans }) => void orphans.push(row));
    for (const from of prepared.quoting)
      await step(row, from.target, ({ unquote }) => void unquote.push({ row, from }));
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
      const whole = async () => shownWith(compose, await attachmentsFor(target));
      if (!mirrored) {
        // What was linked since has none of it.
        if (isOfQuote(row)) continue;
        await step(row, target, async ({ create }) => {
          create.push({ prepared, ...(await whole()), models });
          return true;
        });
        continue;
      }
      await step(row, target, async ({ update }) => {
        let isUnreadable = false;
        const { filesBytes } = platforms.of(target.channel).mirrors;
        const unread = unreadAttachments(files, filesBytes, signal, () => {
          isUnreadable = true;
        });
        const shown = shownWith(compose, unread);
        if (mirrored.contentHash === hashOf(prepared, shown.content)) return false;
        const inStead = async () => (isUnreadable ? whole() : undefined);
        update.push({ prepared, ...shown, models, posted: mirrored.posted, inStead });
        return true;
      });
    }
    for (const mirrored of standing) {
      const { target, posted } = mirrored;
      // What somebody deleted, or was kept out, stays known.
      if (!posted && row.message !== 'deleted') continue;
      const isWanted =
        prepared.late.includes(keyOf(target)) ||
        mirrors.some((wanted) => isSameTarget(wanted.target, target));
      // Only finished mirrors may be left as they are, or any where nothing but what it quotes changed.
      const isKept = leavesStanding || keeps?.(keyOf(target)) === true;
      const mayStay = isFinished(mirrored) || (row.message === 'unread' && isOutdated(mirrored));
      if (isWanted || (isKept && mayStay)) continue;
      if (!isOfOtherWords(mirrored))
        await step(row, target, ({ remove }) => void remove.push({ row, posted }));
      else if (posted && isOutdated(mirrored)) {
        const from = { key: row, target, posted };
        await step(row, target, ({ unquote }) => void unquote.push({ row, from }));
      }
    }
  }
  return { works, late };
};
