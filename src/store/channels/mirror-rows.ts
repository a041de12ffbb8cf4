import type { Kysely, Selectable } from 'kysely';
import type { MessageRef, Posted } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { KnownQuote } from '../inbox/quotes.ts';
import {
  DELETED,
  isClaimed,
  keyColumns,
  SOURCE_KEY,
  sourceColumns,
  sourceIn,
  WATCH,
  type claimedColumns,
  type RowKey,
} from '../inbox/row.ts';
import { readRow, readRows, statement } from '../rows.ts';
import type { Schema } from '../schema.ts';

type Reading = Pick<Kysely<Schema>, 'selectFrom'>;

/** The mirror of a source in one target. */
export interface StoredMirror {
  readonly target: MirrorTarget;
  /** The mirror's messages; undefined when somebody deleted them, or they were kept out: they are not posted again. */
  readonly posted: Posted | undefined;
  /** Hash of the source content that the mirror shows; empty while the mirror is incomplete. */
  readonly contentHash: string;
  /** Names of the models that translated it, joined by `+`; undefined where none did, or none was named. */
  readonly models?: string;
  /** The message that it quotes; only written. */
  readonly quoted?: KnownQuote | undefined;
}

/** The key of a mirror's row, and of its messages' rows. */
export const mirrorKeyColumns = (
  { ref, purpose }: RowKey,
  { channel, threadId = '' }: MirrorTarget,
) => ({
  ...sourceColumns(ref),
  purpose,
  target_platform: channel.space.platform,
  target_channel_id: channel.id,
  target_thread_id: threadId,
});

/** The columns that `readMirror` reads. */
export const SHOWN_COLUMNS = [
  'target_platform',
  'target_space_id',
  'target_channel_id',
  'target_thread_id',
  'target_parent_id',
  'ids',
  'handle',
  'content_hash',
  'models',
] as const;

export type MirrorRow = Pick<Selectable<Schema['mirror']>, (typeof SHOWN_COLUMNS)[number]>;

/** Reads a mirror from its row. */
export const readMirror = (row: MirrorRow): StoredMirror => {
  const channel = {
    space: { platform: row.target_platform, id: row.target_space_id },
    id: row.target_channel_id,
    ...(row.target_parent_id === null ? {} : { parentId: row.target_parent_id }),
  };
  const [first, ...rest] = JSON.parse(row.ids) as string[];
  const handle = row.handle === null ? {} : { handle: row.handle };
  const posted: Posted | undefined =
    first === undefined ? undefined : { channel, ids: [first, ...rest], ...handle };
  const thread = row.target_thread_id === '' ? {} : { threadId: row.target_thread_id };
  const models = row.models === '' ? {} : { models: row.models };
  return { target: { channel, ...thread }, posted, contentHash: row.content_hash, ...models };
};

/** Reads the sources of one of our messages, the oldest first. */
export const readSources = async (
  db: Reading,
  { channel, id }: MessageRef,
): Promise<readonly RowKey[]> => {
  const place = { target_platform: channel.space.platform, target_channel_id: channel.id };
  const rows = await readRows(db, 'mirror_message', { ...place, message_id: id }, SOURCE_KEY);
  // Ids grow with time.
  return rows
    .map(sourceIn)
    .toSorted(({ ref: a }, { ref: b }) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
};

/** True of a message that is known to be deleted. */
export const isDeleted = async (db: Reading, ref: MessageRef): Promise<boolean> => {
  const own = { ...keyColumns({ ref, purpose: WATCH }), content_hash: DELETED };
  return (await readRow(db, 'inbox', own, ['message_id'])) !== undefined;
};

/** The source of one of our messages that a flag under it means: the oldest that is not deleted. */
export const oldestSource = async (db: Reading, ref: MessageRef): Promise<RowKey | undefined> => {
  const sources = await readSources(db, ref);
  for (const source of sources) if (!(await isDeleted(db, source.ref))) return source;
  return sources[0];
};

/** One row at least where the tenure still has the inbox row, of nulls where nothing stands. */
export const standingOf = statement(
  (db, { shown, ...row }: ReturnType<typeof claimedColumns> & { readonly shown: string }) =>
    db
      .selectFrom('inbox')
      .leftJoin('mirror', (join) =>
        join
          .onRef('mirror.source_platform', '=', 'inbox.platform')
          .onRef('mirror.source_channel_id', '=', 'inbox.channel_id')
          .onRef('mirror.source_id', '=', 'inbox.message_id')
          .on('mirror.purpose', '=', shown),
      )
      .select(SHOWN_COLUMNS.map((name) => `mirror.${name}` as const))
      .where(isClaimed(row)),
);

/** The mirrors of a source for one purpose. */
export const mirrorsOf = statement(
  (db, source: ReturnType<typeof sourceColumns> & { purpose: string }) =>
    db
      .selectFrom('mirror')
      .select(SHOWN_COLUMNS)
      .where((eb) => eb.and(source)),
);

const KEY = [
  'source_platform',
  'source_channel_id',
  'source_id',
  'purpose',
  'target_platform',
  'target_channel_id',
  'target_thread_id',
] as const;

/** Inserts a mirror, or changes what is known of it: the time of its post and its pin stay. */
export const putMirror = statement((db, row: Selectable<Schema['mirror']>) =>
  db
    .insertInto('mirror')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet({
        ids: row.ids,
        handle: row.handle,
        content_hash: row.content_hash,
        models: row.models,
        quoted: row.quoted,
      }),
    ),
);

/** The columns that say whose mirror a row is, and where. */
export const placeColumns = (key: RowKey, target: MirrorTarget) => ({
  ...mirrorKeyColumns(key, target),
  source_space_id: key.ref.channel.space.id,
  target_space_id: target.channel.space.id,
});

/** Inserts a message of a mirror, once. */
export const putMessage = statement((db, row: Selectable<Schema['mirror_message']>) =>
  // A process that stood still records what another one has found and recorded.
  db
    .insertInto('mirror_message')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);
