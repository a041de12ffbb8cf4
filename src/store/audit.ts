import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { setImmediate } from 'node:timers/promises';
import { sql, type Selectable, type Transaction } from 'kysely';
import type { Audit, Audited, AuditEntry, ToldChange } from '../model/audit.ts';
import { keyOf, type Space } from '../model/place.ts';
import { disarm } from '../text/spreadsheet.ts';
import type { Actor } from './actor.ts';
import type { Store } from './index.ts';
import { AUDIT_DAYS } from './privacy/tables.ts';
import { changeRows, holdsId, readRows, spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** A change as it is noted. */
export interface AuditNote extends Partial<Pick<AuditEntry, 'channelId' | 'about'>> {
  /** Default: a new one. */
  readonly id?: string | undefined;
  readonly what: Audited;
  /** The name of another space, where the person at work is of that one. */
  readonly elsewhere?: string | undefined;
  /** All values, of which those are noted that differ. Default: nothing. */
  readonly before?: Values | undefined;
  readonly after?: Values | undefined;
}

/** The values of one state that are others in the other. */
const changedIn = (values: Values | undefined, other: Values | undefined): string | null => {
  if (!values) return null;
  const changed = Object.entries(values).filter(
    ([name, value]) => !isDeepStrictEqual(value, other?.[name]),
  );
  return JSON.stringify(Object.fromEntries(changed));
};

const SECOND_MS = 1_000;
let lastMs = 0;

/** The time, ms since 1970; one more than before within the same moment, so that changes keep their order. */
const nextMs = (): number => {
  const now = Date.now();
  const isSameMoment = now <= lastMs && lastMs - now < SECOND_MS;
  lastMs = isSameMoment ? lastMs + 1 : now;
  return lastMs;
};

/**
 * Notes a change of a space within the transaction that makes it; nothing where nothing differs.
 *
 * @param by the person at work; of somebody of another space, the name of that space alone is noted
 */
export const noteChange = async (
  db: Transaction<Schema>,
  space: Space,
  by: Actor | undefined,
  { id = randomUUID(), what, channelId, about, elsewhere, before, after }: AuditNote,
): Promise<void> => {
  if ((before ?? after) !== undefined && isDeepStrictEqual(before, after)) return;
  const own = by && keyOf(by.space) === keyOf(space) ? by : undefined;
  await db
    .insertInto('audit_entry')
    .values({
      ...spaceColumns(space),
      id,
      changed_by: own?.id ?? null,
      changed_by_name: (by && (own?.name ?? elsewhere)) ?? null,
      what,
      channel_id: channelId ?? null,
      about_hash: about ?? null,
      before: changedIn(before, after),
      after: changedIn(after && by?.isUndo ? { ...after, isUndo: true } : after, before),
      at_ms: nextMs(),
    })
    .execute();
};

/**
 * Takes an id out of what changes were before and after: that of a space that is removed, or of a person who is forgotten.
 *
 * @param platform of the changed spaces. Default: any
 */
export const removeFromChanges = async (
  db: Transaction<Schema>,
  id: string,
  platform?: string,
): Promise<void> => {
  const quoted = JSON.stringify(id);
  for (const column of ['before', 'after'] as const) {
    const text = sql.ref<string>(column);
    await db
      .updateTable('audit_entry')
      .set({ [column]: sql`replace(${text}, ${quoted}, '""')` })
      .where(holdsId(column, id))
      .$if(platform !== undefined, (some) => some.where('platform', '=', platform ?? ''))
      .execute();
  }
};

const parsed = (json: string | null): Values | undefined =>
  json === null ? undefined : (JSON.parse(json) as Values);

/** Takes the name of a person out of the changes that are about them, who stays unknown there. */
export const forgetAbout = async (db: Transaction<Schema>, about: string): Promise<void> => {
  const of = { about_hash: about };
  for (const { id, after } of await readRows(db, 'audit_entry', of, ['id', 'after'])) {
    const { name: _, ...rest } = parsed(after) ?? {};
    await changeRows(db, 'audit_entry', { id }, { after: JSON.stringify(rest) });
  }
};

/** Entries that are read or written at once. */
const SLICE = 100;

const COLUMNS = [
  'id',
  'at_ms',
  'what',
  'changed_by',
  'changed_by_name',
  'channel_id',
  'about_hash',
  'before',
  'after',
] as const;

const HEADER = 'time,person_id,person,what,channel_id,channel,said,about,before,after'.split(',');

const nameIn = (values: Values | undefined): string | undefined => {
  const name = values?.['name'];
  return typeof name === 'string' ? name : undefined;
};

const entryOf = (
  row: Pick<Selectable<Schema['audit_entry']>, (typeof COLUMNS)[number]>,
): AuditEntry => ({
  id: row.id,
  atMs: row.at_ms,
  what: row.what as Audited,
  by:
    row.changed_by === null
      ? undefined
      : { id: row.changed_by, name: row.changed_by_name ?? row.changed_by },
  elsewhere: (row.changed_by === null && row.changed_by_name) || undefined,
  channelId: row.channel_id ?? undefined,
  about: row.about_hash ?? undefined,
  before: parsed(row.before),
  after: parsed(row.after),
});

const cellsOf = ({ entry, channel, said }: ToldChange): readonly string[] => [
  new Date(entry.atMs).toISOString(),
  entry.by?.id ?? '',
  entry.by?.name ?? '',
  entry.what,
  entry.channelId ?? '',
  channel,
  said,
  entry.about === undefined ? '' : (nameIn(entry.after) ?? ''),
  entry.before ? JSON.stringify(entry.before) : '',
  entry.after ? JSON.stringify(entry.after) : '',
];

/** Creates the reader of the changes of links and settings. */
export const createAudit = (store: Pick<Store, 'selectFrom'>): Audit => ({
  days: AUDIT_DAYS,
  async *list(space, beforeMs = Number.MAX_SAFE_INTEGER) {
    let last = { at_ms: beforeMs, id: '' };
    for (;;) {
      const { at_ms: at, id } = last;
      const rows = await store
        .selectFrom('audit_entry')
        .select([...COLUMNS])
        .where((eb) => eb.and(spaceColumns(space)))
        .where((eb) => eb(eb.refTuple('at_ms', 'id'), '<', eb.tuple(at, id)))
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(SLICE)
        .execute();
      yield rows.map(entryOf);
      if (rows.length < SLICE) return;
      last = rows.at(-1)!;
      await setImmediate();
    }
  },
  csv: async (entries, tell) => {
    let written = `\uFEFF${stringify([HEADER])}`;
    for (let at = 0; at < entries.length; at += SLICE) {
      const rows = entries.slice(at, at + SLICE).map((each) => cellsOf(tell(each)).map(disarm));
      written += stringify(rows);
      await setImmediate();
    }
    return Buffer.from(written);
  },
});
