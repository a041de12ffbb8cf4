import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Channel, Person, Space } from '../model/place.ts';
import type { Store } from './index.ts';
import { spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';

/** The file of a glossary, with where it is to be imported. */
export interface PendingImport {
  readonly place: Space | Channel;
  /** The language of translations where the file gives none. */
  readonly to: string | undefined;
  readonly file: Uint8Array;
}

const space = z.object({ platform: z.string(), id: z.string() });
const place = z.union([
  z.object({ space, id: z.string(), parentId: z.string().optional() }),
  space,
]) as z.ZodType<Space | Channel>;

/** Creates the store of the files of imports that a moderator has not decided on yet. */
export const createPendingImports = (store: Store, now: () => number) => ({
  /** Resolves with the id of the file. */
  put: async (of: Space, by: Person, { place: to, file, ...rest }: PendingImport) => {
    const id = randomUUID();
    await store.write(async (db) => {
      await db
        .insertInto('pending_import')
        .values({
          ...spaceColumns(of),
          id,
          author_id: by.id,
          place: JSON.stringify(to),
          language: rest.to ?? null,
          file: Buffer.from(file).toString('base64'),
          since_ms: now(),
        })
        .execute();
    });
    return id;
  },

  /** Takes a file of a space; undefined where it was taken already, or is too old. */
  take: (of: Space, id: string): Promise<PendingImport | undefined> =>
    store.write(async (db) => {
      const row = await db
        .deleteFrom('pending_import')
        .where((eb) => eb.and({ ...spaceColumns(of), id }))
        .returning(['place', 'language', 'file'])
        .executeTakeFirst();
      return (
        row && {
          place: place.parse(JSON.parse(row.place)),
          to: row.language ?? undefined,
          file: Buffer.from(row.file, 'base64'),
        }
      );
    }),
});

/** Deletes, within a transaction, files on which nobody decided in time. */
export const clearPendingImports = async (
  db: Transaction<Schema>,
  beforeMs: number,
): Promise<void> => {
  await db.deleteFrom('pending_import').where('since_ms', '<', beforeMs).execute();
};
