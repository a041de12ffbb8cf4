import { sql, type Transaction } from 'kysely';
import {
  isSameChannel,
  messageKey,
  type MessageRef,
  type Posted,
  type Channel,
  type Space,
} from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import {
  claimedColumns,
  DELETED,
  flagPurpose,
  isFor,
  skippedHash,
  SOURCE_KEY,
  sourceColumns,
  sourceIn,
  WATCH,
  type Row,
  type RowKey,
} from '../inbox/row.ts';
import { isOutdated, requote } from '../inbox/quotes.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { changeRows, deleteRows, readRow, readRows } from '../rows.ts';
import {
  oldestSource,
  isDeleted,
  mirrorKeyColumns,
  mirrorsOf,
  placeColumns,
  putMessage,
  putMirror,
  readMirror,
  readSources,
  SHOWN_COLUMNS,
  standingOf,
  type MirrorRow,
  type StoredMirror,
} from './mirror-rows.ts';

/** A mirror that quotes a message. */
export interface QuotingMirror {
  /** The message that it shows. */
  readonly key: RowKey;
  readonly target: MirrorTarget;
  readonly posted: Posted;
}

const KEPT_OUT = skippedHash('');

/** The reason for which a message does not come into a channel for good; undefined of any other mirror. */
export const keptOutFor = ({
  contentHash,
}: Pick<StoredMirror, 'contentHash'>): string | undefined =>
  contentHash.startsWith(KEPT_OUT) ? contentHash.slice(KEPT_OUT.length) : undefined;

export const isSameTarget = (a: MirrorTarget, b: MirrorTarget): boolean =>
  isSameChannel(a.channel, b.channel) && a.threadId === b.threadId;

export type MirrorStore = ReturnType<typeof createMirrorStore>;

/** Records which of our messages mirror which sources; stores no text. */
export const createMirrorStore = (store: Store, now: () => number) => {
  const sourcesOf = async (ref: MessageRef) => readSources(store, ref);

  const of = async ({ ref, purpose }: RowKey): Promise<readonly StoredMirror[]> => {
    const { rows } = await mirrorsOf(store, { ...sourceColumns(ref), purpose });
    return rows.map(readMirror);
  };

  return {
    /** Reads the mirrors of a source for one purpose. */
    of,

    /**
     * The mirrors of a claimed row, for a late channel only the one there; undefined when a later tenure has claimed it, or its message has changed.
     */
    standing: async (row: Row): Promise<readonly StoredMirror[] | undefined> => {
      const { rows } = await standingOf(store, { ...claimedColumns(row), shown: row.purpose });
      if (rows.length === 0) return undefined;
      return rows
        .flatMap((found) => (found.ids === null ? [] : readMirror(found as MirrorRow)))
        .filter(({ target }) => isFor(row, target.channel));
    },

    /** Reads our messages that mirror a source for any other purpose. */
    others: async ({ ref, purpose }: RowKey): Promise<readonly Posted[]> => {
      const rows = await readRows(store, 'mirror', sourceColumns(ref), [
        ...SHOWN_COLUMNS,
        'purpose',
      ]);
      return rows.flatMap((row) => (row.purpose === purpose ? [] : (readMirror(row).posted ?? [])));
    },

    /**
     * Reads our messages that mirror other sources of the same channel there, recorded since a time (ms since 1970), the
     * oldest first, at most `most`.
     */
    besides: async (
      { ref: { channel, id }, purpose }: RowKey,
      sinceMs: number,
      most: number,
    ): Promise<readonly Posted[]> => {
      const rows = await store
        .selectFrom('mirror')
        .select(SHOWN_COLUMNS)
        .where('source_platform', '=', channel.space.platform)
        .where('source_channel_id', '=', channel.id)
        .where('source_id', '!=', id)
        .where('purpose', '=', purpose)
        .where('target_channel_id', '=', channel.id)
        .where('posted_ms', '>=', sinceMs)
        .orderBy('posted_ms')
        .limit(most)
        .execute();
      return rows.flatMap((row) => readMirror(row).posted ?? []);
    },

    /** The time at which the mirror of a source came into a channel, ms since 1970; undefined where it has none. */
    postedAtMs: async ({ ref, purpose }: RowKey, channel: Channel): Promise<number | undefined> => {
      const target = { target_platform: channel.space.platform, target_channel_id: channel.id };
      const row = await readRow(store, 'mirror', { ...sourceColumns(ref), purpose, ...target }, [
        'posted_ms',
      ]);
      return row?.posted_ms;
    },

    /** Finds the source of one of our messages, of several the oldest that is not deleted; undefined for any other message. */
    sourceOf: async (ref: MessageRef) => oldestSource(store, ref),

    /** True of a message that is known to be deleted. */
    isDeleted: async (ref: MessageRef) => isDeleted(store, ref),

    /** Finds all sources of one of our messages, which may hold several mirrors; the oldest first. */
    sourcesOf,

    /** True where the mirrors of a source are pinned with it. */
    isPinned: async ({ ref, purpose }: RowKey): Promise<boolean> => {
      const own = { ...sourceColumns(ref), purpose, pinned: 1 };
      return (await readRow(store, 'mirror', own, ['source_id'])) !== undefined;
    },
    /** Records whether the mirrors of a source are pinned with it. */
    setPinned: async ({ ref, purpose }: RowKey, isPinned: boolean): Promise<void> => {
      const own = { ...sourceColumns(ref), purpose };
      await store.write((db) => changeRows(db, 'mirror', own, { pinned: Number(isPinned) }));
    },

    /**
     * Lists the mirrors of other messages that quote the deleted one of a row, at most `most`: the newest of each channel
     * first, so that none that cannot be reached keeps out the others.
     */
    quoting: async ({ ref, to = '' }: Pick<Row, 'ref' | 'to'>, most: number) => {
      const key = sql<string>`target_platform || ' ' || coalesce(target_parent_id, target_channel_id)`;
      const ownKey = sql<string>`target_platform || ' ' || target_channel_id`;
      const rows = await store
        .selectFrom('mirror')
        .select([...SHOWN_COLUMNS, ...SOURCE_KEY])
        .where('quoted', '=', messageKey(ref))
        .$if(to !== '', (query) =>
          query.where((eb) => eb.or([eb(key, '=', to), eb(ownKey, '=', to)])),
        )
        .orderBy(sql`row_number() OVER (PARTITION BY ${key} ORDER BY posted_ms DESC)`)
        .orderBy('posted_ms', 'desc')
        .limit(most)
        .execute();
      return rows.flatMap((row): readonly QuotingMirror[] => {
        const { target, posted } = readMirror(row);
        return posted ? [{ key: sourceIn(row), target, posted }] : [];
      });
    },
    /** Records, within a transaction, that the mirror of a source quotes nothing any more. */
    setUnquoted: async (db: Transaction<Schema>, key: RowKey, target: MirrorTarget) =>
      changeRows(db, 'mirror', mirrorKeyColumns(key, target), { quoted: '' }),

    /** Lists the messages of a channel that have mirrors elsewhere for its watch. */
    sourcesIn: async (channel: Channel): Promise<readonly MessageRef[]> => {
      const { source_platform, source_channel_id } = sourceColumns({ channel, id: '' });
      const rows = await store
        .selectFrom('mirror')
        .select('source_id')
        .distinct()
        .where((eb) => eb.and({ source_platform, source_channel_id, purpose: WATCH }))
        .where('target_channel_id', '<>', channel.id)
        .execute();
      return rows.map(({ source_id: id }) => ({ channel, id }));
    },

    /** Reads the names of the models that translated what one of our messages shows; none for any other message. */
    modelsOf: async (ref: MessageRef): Promise<readonly string[]> => {
      const mirrors = (await Promise.all((await sourcesOf(ref)).map(of))).flat();
      return mirrors.flatMap(({ target, posted, models }) =>
        isSameChannel(target.channel, ref.channel) && posted?.ids.includes(ref.id)
          ? (models ?? [])
          : [],
      );
    },

    /**
     * Lists what flags brought in a space before a time, ms since 1970, at most `most`; without what is to be removed
     * already.
     */
    flagReplies: async (
      { platform, id }: Space,
      beforeMs: number,
      most: number,
    ): Promise<readonly RowKey[]> => {
      const rows = await store
        .selectFrom('mirror')
        .select(['source_channel_id', 'source_id', 'purpose'])
        .where('source_platform', '=', platform)
        .where('source_space_id', '=', id)
        // The condition of a partial index, word for word.
        .where(sql<boolean>`mirror.purpose <> 'watch'`)
        .where('mirror.purpose', 'like', `${flagPurpose('')}%`)
        .where('posted_ms', '<=', beforeMs)
        .where((eb) => {
          const removed = eb
            .selectFrom('inbox')
            .select('inbox.purpose')
            .whereRef('inbox.platform', '=', 'mirror.source_platform')
            .whereRef('inbox.channel_id', '=', 'mirror.source_channel_id')
            .whereRef('inbox.message_id', '=', 'mirror.source_id')
            .whereRef('inbox.purpose', '=', 'mirror.purpose')
            .where('inbox.content_hash', '=', DELETED);
          return eb.not(eb.exists(removed));
        })
        .limit(most)
        .execute();
      return rows.map((row) => ({
        ref: { channel: { space: { platform, id }, id: row.source_channel_id }, id: row.source_id },
        purpose: row.purpose,
      }));
    },

    /**
     * Records, within a transaction, the mirror of a source in a target.
     *
     * @param isFirst true when the target has no known mirror of the source
     */
    put: async (
      db: Transaction<Schema>,
      key: RowKey,
      { target, posted, contentHash, models = '', quoted }: StoredMirror,
      isFirst: boolean,
    ): Promise<void> => {
      const place = placeColumns(key, target);
      await putMirror(db, {
        ...place,
        target_parent_id: target.channel.parentId ?? null,
        ids: JSON.stringify(posted?.ids ?? []),
        handle: posted?.handle ?? null,
        content_hash: contentHash,
        posted_ms: now(),
        models,
        pinned: 0,
        quoted: quoted ? messageKey(quoted.ref) : '',
      });
      if (!isFirst) await deleteRows(db, 'mirror_message', mirrorKeyColumns(key, target));
      for (const message_id of posted?.ids ?? []) await putMessage(db, { ...place, message_id });
      if (quoted && (await isOutdated(db, quoted, now())))
        await requote(db, [key], quoted.ref, now());
    },

    /** Records, within a transaction, that a source does not come into a channel for good, unless a mirror is recorded there. */
    keepOut: async (
      db: Transaction<Schema>,
      key: RowKey,
      channel: Channel,
      reason: string,
    ): Promise<void> => {
      await db
        .insertInto('mirror')
        .values({
          ...placeColumns(key, { channel }),
          target_parent_id: channel.parentId ?? null,
          ids: '[]',
          handle: null,
          content_hash: skippedHash(reason),
          posted_ms: now(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Deletes, within a transaction, the record of a source's mirror in a target. */
    drop: async (db: Transaction<Schema>, key: RowKey, target: MirrorTarget): Promise<void> => {
      for (const table of ['mirror', 'mirror_message'] as const)
        await deleteRows(db, table, mirrorKeyColumns(key, target));
    },
  };
};
