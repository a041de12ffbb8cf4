import type { AppError } from '../../errors.ts';
import type { MessageFile } from '../../model/file.ts';
import type { Message } from '../../model/message.ts';
import type { ChannelWatch } from '../../model/watch.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Row } from '../../store/inbox/row.ts';
import { isBlankMessage } from '../../text/message-checks.ts';
import type { Attachments } from '../mirror/attachments.ts';
import type { SkipReason } from '../policy.ts';
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
}

/** Reasons for which existing mirrors are kept; for all others they are deleted. */
const LEAVING: ReadonlySet<string> = new Set<SkipReason>([
  'not-watched',
  'channel-gone',
  'space-gone',
  'forgotten',
]);

const nothing = (row: Row) =>
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
  }) satisfies Prepared;

export const skipped = (row: Row, skip: SkipReason): Prepared => ({
  ...nothing(row),
  skip,
  leavesStanding: LEAVING.has(skip),
});

/** The result for a row that cannot be prepared: its unfinished mirrors are deleted. */
export const givenUp = (row: Row, fault: AppError): Prepared => ({
  ...nothing(row),
  fault,
  leavesStanding: true,
  mayExist: false,
});

export const reasonOf = ({ text }: Message, { transcript }: Translated): SkipReason =>
  isBlankMessage(text) && !transcript ? 'nothing-heard' : 'same-language';

/** The mirrors of a message with their files, or the reason why there are none. */
export const withMirrors = (
  row: Row,
  message: Message,
  translated: Translated,
  mirrors: readonly WantedMirror[],
): Prepared => {
  const { used, fault } = translated;
  return mirrors.length === 0
    ? { ...nothing(row), skip: reasonOf(message, translated), used, fault }
    : { ...nothing(row), mirrors, files: message.files, used, fault };
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
