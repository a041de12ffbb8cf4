import type { AppError } from '../../errors.ts';
import type { MessageFile, Message } from '../../model/message.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Row } from '../../store/inbox/row.ts';
import { claimsAudio, hasWords, type SkipReason } from '../policy.ts';
import type { Attachments } from './attachments.ts';
import type { MirrorContent } from './compose.ts';
import type { Translated } from './translate.ts';

/** A mirror that should exist. */
export interface WantedMirror {
  readonly target: MirrorTarget;
  /** Composes its content, once its files are read. */
  readonly compose: (attachments: Attachments) => MirrorContent;
}

/** The mirrors that should exist for a row's message; reconciling creates them. */
export interface Prepared {
  readonly row: Row;
  /** The message; undefined when it is deleted or may not be read. */
  readonly message: Message | undefined;
  /** The watch for which it was prepared; undefined for a flag. */
  readonly watch: ChannelWatch | undefined;
  readonly mirrors: readonly WantedMirror[];
  /** Files of the mirrors, which are read only when these are posted. */
  readonly files: readonly MessageFile[];
  /** The reason for which nothing was translated. */
  readonly skip?: SkipReason | undefined;
  /** True when finished mirrors that are no longer wanted are kept as they are. */
  readonly leavesStanding: boolean;
  /** True when mirrors may exist that are not stored. */
  readonly mayExist: boolean;
  /** Places in which mirrors of a deleted message are searched for. */
  readonly orphanTargets: readonly MirrorTarget[];
  readonly used: Translated['used'];
  readonly fault: AppError | undefined;
  /** True when what failed is to be tried again. */
  readonly willRetry: boolean;
}

/** Reasons for which existing mirrors are kept; for all others they are deleted. */
const LEAVING: ReadonlySet<string> = new Set<SkipReason>([
  'not-watched',
  'channel-gone',
  'forgotten',
]);

/** The result for a row of which nothing is prepared. */
export const nothingFor = (row: Row) =>
  ({
    row,
    message: undefined,
    watch: undefined,
    mirrors: [],
    files: [],
    leavesStanding: false,
    mayExist: row.mayExist,
    orphanTargets: [],
    used: { characters: 0, audioMs: 0 },
    fault: undefined,
    willRetry: false,
  }) satisfies Prepared;

export const skipped = (row: Row, skip: SkipReason): Prepared => ({
  ...nothingFor(row),
  skip,
  leavesStanding: LEAVING.has(skip),
});

/** The result for a row that cannot be prepared: its unfinished mirrors are deleted. */
export const givenUp = (row: Row, fault: AppError): Prepared => ({
  ...nothingFor(row),
  fault,
  leavesStanding: true,
  mayExist: false,
});

export const reasonOf = (message: Message, { transcript }: Translated): SkipReason => {
  if (transcript || hasWords(message)) return 'same-language';
  return message.files.some(claimsAudio) ? 'nothing-heard' : 'no-words';
};

/** The mirrors of a message with their files, or the reason why there are none. */
export const withMirrors = (
  row: Row,
  message: Message,
  translated: Translated,
  mirrors: readonly WantedMirror[],
): Prepared => {
  const { used, fault, willRetry } = translated;
  const made = { ...nothingFor(row), used, fault, willRetry };
  return mirrors.length === 0
    ? { ...made, skip: reasonOf(message, translated) }
    : { ...made, mirrors, files: message.files };
};

/** One reply under the message, or none with the reason. */
export const asReply = (
  row: Row,
  message: Message,
  translated: Translated,
  content: MirrorContent | undefined,
): Prepared => {
  const target = { channel: message.ref.channel };
  const mirrors = content ? [{ target, compose: () => content }] : [];
  return { ...withMirrors(row, message, translated, mirrors), files: [] };
};
