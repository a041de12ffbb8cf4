import type { ErrorCode, Sentence } from '../../errors.ts';
import type { MessageRef, Person } from '../../model/place.ts';
import type { Store } from '../index.ts';
import type { InboxState } from '../schema-messages.ts';
import { readAuthor, readSentence, refColumns } from './row.ts';

/** The stored state of a message's work for one purpose. */
export interface StoredOutcome {
  /** Purpose as the row stores it, with that of a late channel. */
  readonly purpose: string;
  /** Undefined where the author was forgotten. */
  readonly author: Person | undefined;
  readonly state: InboxState;
  /** Reason for being skipped; undefined for other states. */
  readonly skip: string | undefined;
  /** Reason for being dead, or for still waiting where one try failed. */
  readonly sentence: Sentence | undefined;
  readonly attempts: number;
  /** Time of the outcome; for a row without one, of the first change since the last one. */
  readonly changedMs: number;
  /** Earliest time of the next attempt, ms since 1970. */
  readonly dueMs: number;
  /** The message's, by which its platform knows when it was written. */
  readonly position: string;
  readonly partition: string;
  /** Epoch of the tenure that claimed the row last; 0 where none has since the message changed. */
  readonly epoch: number;
}

/** Reads what is stored of a message, for all purposes; nothing of a message that was never stored, or cleared. */
export const outcomesOf = async (
  store: Pick<Store, 'selectFrom'>,
  ref: MessageRef,
): Promise<readonly StoredOutcome[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select([
      'purpose',
      'author_id',
      'state',
      'reason',
      'sentence',
      'attempts',
      'changed_ms',
      'due_ms',
      'position',
      'partition_key',
      'epoch',
    ])
    .where((eb) => eb.and(refColumns(ref)))
    .orderBy('purpose')
    .execute();
  return rows.map((row) => {
    const code = (row.reason ?? 'unavailable') as ErrorCode;
    const isFailed = row.state === 'dead' || (row.state === 'waiting' && row.sentence !== null);
    return {
      purpose: row.purpose,
      author: readAuthor(ref.channel.space.platform, row.author_id),
      state: row.state,
      skip: row.state === 'skipped' ? (row.reason ?? undefined) : undefined,
      sentence: isFailed ? readSentence(row.sentence, code) : undefined,
      attempts: row.attempts,
      changedMs: row.changed_ms,
      dueMs: row.due_ms,
      position: row.position,
      partition: row.partition_key,
      epoch: row.epoch,
    };
  });
};

/** Finds those of some messages of one channel that auto-translate left out for a reason; resolves with their ids. */
export const skippedAmong = async (
  store: Pick<Store, 'selectFrom'>,
  refs: readonly MessageRef[],
  reason: string,
): Promise<ReadonlySet<string>> => {
  const [first] = refs;
  if (!first) return new Set();
  const { platform, channel_id } = refColumns(first);
  const rows = await store
    .selectFrom('inbox')
    .select('message_id')
    .where((eb) => eb.and({ platform, channel_id, state: 'skipped', reason }))
    .where(
      'message_id',
      'in',
      refs.map(({ id }) => id),
    )
    .execute();
  return new Set(rows.map(({ message_id }) => message_id));
};
