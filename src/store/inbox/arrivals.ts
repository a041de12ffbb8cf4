import { sql, type Transaction } from 'kysely';
import type { Channel, MessageRef, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { abandoned, FRESH, isOpen, keyColumns } from './columns.ts';
import { WATCH } from './purpose.ts';
import { GONE, type Accepted, type Arrival, type Partition } from './row.ts';
import { contentHash, skippedHash, toStored } from './stored-message.ts';

/** A change of what was dealt with has a lane of its own: it holds up nothing that is new. */
const laneOfChange = ({ channel, id }: MessageRef) =>
  sql<string>`CASE WHEN inbox.state IN ('waiting', 'working') THEN inbox.lane
    ELSE ${`change:${channel.id}:${id}`} END`;

/** A row was cleared after its time, yet copies of its message still stand: one is made for them. */
const keepRowOfCopies = async (
  db: Transaction<Schema>,
  ref: MessageRef,
  nowMs: number,
): Promise<void> => {
  const { platform, channel_id, message_id } = keyColumns({ ref, purpose: '' });
  const copies = await db
    .selectFrom('copy')
    .select('purpose')
    .where('platform', '=', platform)
    .where('source_channel_id', '=', channel_id)
    .where('source_id', '=', message_id)
    .execute();
  for (const { purpose } of copies)
    await db
      .insertInto('inbox')
      .values({
        ...keyColumns({ ref, purpose }),
        space_id: ref.channel.space.id,
        parent_id: ref.channel.parentId ?? null,
        author_id: '',
        lane: `gone:${message_id}`,
        position: '',
        message: null,
        content_hash: 'cleared',
        revision: 1,
        ...FRESH,
        state: 'posted',
        begun: 1,
        lease_until_ms: null,
        changed_ms: nowMs,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
};

/** What comes to the inbox: messages, and what becomes of them on their platform. */
export const createArrivalStore = ({
  store,
  now,
}: {
  readonly store: Store;
  readonly now: () => number;
}) => ({
  /** Resolves with what the message was to the inbox, and the lane in which it is work. */
  accept: ({
    message,
    purpose,
    lane,
    skip,
  }: Arrival): Promise<{ readonly was: Accepted; readonly lane: string }> =>
    store.write(async (db) => {
      const { ref, position, author } = message;
      const changed = await db
        .insertInto('inbox')
        .values({
          ...keyColumns({ ref, purpose }),
          space_id: ref.channel.space.id,
          parent_id: ref.channel.parentId ?? null,
          author_id: author.id,
          lane,
          position,
          message: skip === undefined ? JSON.stringify(toStored(message)) : null,
          content_hash: skip === undefined ? contentHash(message) : skippedHash(skip),
          revision: 1,
          ...FRESH,
          ...(skip === undefined ? {} : { state: 'skipped', reason: skip }),
          begun: 0,
          lease_until_ms: null,
          changed_ms: now(),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'channel_id', 'message_id', 'purpose'])
            .doUpdateSet((eb) => ({
              author_id: eb.ref('excluded.author_id'),
              parent_id: eb.ref('excluded.parent_id'),
              message: eb.ref('excluded.message'),
              content_hash: eb.ref('excluded.content_hash'),
              lane: laneOfChange(ref),
              revision: sql<number>`inbox.revision + 1`,
              // What stands of a former state is to go, though nothing new is to stand.
              state: 'waiting',
              reason: eb.ref('excluded.reason'),
              attempts: 0,
              due_ms: 0,
              owner: null,
              changed_ms: eb.ref('excluded.changed_ms'),
            }))
            .whereRef('inbox.content_hash', '<>', 'excluded.content_hash')
            // A report that comes late brings no message back; a flag can be pressed again.
            .where((eb) =>
              eb.or([eb('inbox.content_hash', '<>', GONE), eb('inbox.purpose', '<>', WATCH)]),
            ),
        )
        .returning(['revision', 'lane'])
        .executeTakeFirst();
      if (!changed) return { was: 'same', lane };
      return { was: changed.revision === 1 ? 'new' : 'changed', lane: changed.lane };
    }),

  /** Marks what is kept of messages as gone; resolves with the lanes in which that is work. */
  gone: (refs: readonly MessageRef[], purpose?: string): Promise<readonly Partition[]> =>
    store.write(async (db) => {
      const lanes: Partition[] = [];
      for (const ref of refs) {
        await keepRowOfCopies(db, ref, now());
        const { platform, channel_id, message_id } = keyColumns({ ref, purpose: '' });
        const rows = await db
          .updateTable('inbox')
          .set({ ...FRESH, message: null, content_hash: GONE, changed_ms: now() })
          .set({ lane: laneOfChange(ref) })
          .set('revision', (eb) => eb('revision', '+', 1))
          .where((eb) => eb.and({ platform, channel_id, message_id }))
          .where('content_hash', '<>', GONE)
          .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? ''))
          .returning(['platform', 'lane'])
          .execute();
        lanes.push(...rows);
      }
      return lanes;
    }),

  /** What waits in a place is not to be translated any more; resolves with the lanes of it. */
  abandon: (where: Channel | Space, reason: string): Promise<readonly Partition[]> =>
    store.write((db) =>
      db
        .updateTable('inbox')
        .set(abandoned(reason, now()))
        .where(isOpen)
        .where('content_hash', '<>', GONE)
        .where((eb) =>
          'space' in where
            ? eb.and({ platform: where.space.platform, channel_id: where.id })
            : eb.and({ platform: where.platform, space_id: where.id }),
        )
        .returning(['platform', 'lane'])
        .execute(),
    ),
});
