import { auditOf } from '../fakes/audit.ts';
import { noteChange } from '../../src/store/audit.ts';
import { blockKey } from '../../src/store/blocks.ts';
import { expect } from 'vitest';
import type { ServiceClient } from '../../src/api/client.ts';
import type { RunningCore } from '../../src/app/core.ts';
import { keyOf, type Space } from '../../src/model/place.ts';
import { TABLES } from '../../src/store/privacy/tables.ts';
import { DATA_COLUMNS, type ColumnKind } from '../../scripts/data-columns.ts';
import type { Store } from '../../src/store/index.ts';
import { createOwedHistories } from '../../src/store/channels/histories.ts';
import {
  fillEveryTable,
  fillWithRows,
  kindsOfColumnsWith,
  readEveryTable,
  TABLES_WITHOUT_DATA,
  tablesOf,
} from '../fakes/every-table.ts';
import { openTestCore } from '../fakes/open-core.ts';
import type { Contract } from './contract.ts';

/** A store without rows, and all that its engine keeps on disk where that can be read. */
export interface RemovalSubject {
  readonly store: Store;
  readonly readDisk?: () => readonly Buffer[];
}

const PLATFORM = 'place';
/** Rows of each that is removed, and of each that stays: enough to divide and join pages. */
const ROWS = 60;
const LONGEST = 211;
/** The order of the rows' keys is not the one in which they are written, so that pages are divided. */
const numberOf = (at: number): number => (at * 67) % ROWS;

export const LEFT = { platform: PLATFORM, id: 'LEFTSPACE' };
export const KEPT = { platform: PLATFORM, id: 'KEPTSPACE' };
const GONE = { platform: PLATFORM, id: 'GONEPERSON' };
const STAYING = { platform: PLATFORM, id: 'STAYINGPERSON' };

const ALL_COLUMNS = Object.values(DATA_COLUMNS).flatMap((table) => Object.entries(table));

/** Times of which none is too old to be kept. */
const TIMES: Readonly<Record<string, number | string>> = {
  ...Object.fromEntries(
    ALL_COLUMNS.filter(([, kind]) => kind === 'time').map(([name]) => [
      name,
      name.endsWith('_us') ? 8e15 : 8e12,
    ]),
  ),
  day: '2222-02-22',
};

/** Tables with a column of a kind. */
const tablesWithKind = (...kinds: readonly ColumnKind[]): readonly string[] =>
  Object.entries(DATA_COLUMNS)
    .filter(([, columns]) => Object.values(columns).some((kind) => kinds.includes(kind)))
    .map(([table]) => table)
    .toSorted();

export const valuesOfSpaces = (source: string, target: string) => ({
  ...TIMES,
  platform: PLATFORM,
  space_id: source,
  source_platform: PLATFORM,
  source_space_id: source,
  target_platform: PLATFORM,
  target_space_id: target,
  from_platform: PLATFORM,
  from_space_id: target,
});

const opaque = (mark: string, at: number): string => `${mark} `.repeat((at * 37) % LONGEST);

/** Values of every column with a person, and with words of theirs. */
const valuesOfPerson = (person: string, at: number) => {
  return {
    ...TIMES,
    ...Object.fromEntries(
      ALL_COLUMNS.flatMap(([column, kind]) => {
        if (kind === 'person') return [[column, person]];
        return kind === 'words' ? [[column, JSON.stringify({ text: opaque(person, at) })]] : [];
      }),
    ),
  };
};

/** Values of every column that can name somebody, as its rules do. */
const valuesNaming = (person: string) => {
  const rules = JSON.stringify({ choices: { rules: { people: { of: [person] } } } });
  const naming = ALL_COLUMNS.filter(([, kind]) => kind === 'naming');
  return Object.fromEntries(naming.map(([column]) => [column, rules]));
};

const STATES = ['waiting', 'posted', 'skipped', 'dead'];

const fillOfPerson = async (store: Store, person: string): Promise<void> => {
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    mark: `row ${numberOf(at)} of ${person.slice(0, 1)}`,
    given: {
      ...valuesOfPerson(person, at),
      platform: PLATFORM,
      from_platform: PLATFORM,
      author_hash: blockKey({ platform: PLATFORM, id: person }),
      // Of a person, there is one row of choices.
      ...(at === 0 ? {} : { member_id: `somebody ${at} of ${person.slice(0, 1)}` }),
      state: STATES[at % STATES.length] ?? '',
      opted_out: 0,
      is_heard: 1,
    },
  }));
  await fillWithRows(store, rows);
};

/** Names of the tables in which a mark stands. */
export const tablesWith = async (store: Store, mark: string): Promise<readonly string[]> =>
  [...(await readEveryTable(store))]
    .flatMap(([table, rows]) => (rows.some((row) => row.includes(mark)) ? [table] : []))
    .toSorted();

const countIn = (buffers: readonly Buffer[], mark: string): number =>
  buffers.reduce((sum, bytes) => sum + bytes.toString('latin1').split(mark).length - 1, 0);

const openCore = (store: Store): Promise<RunningCore> =>
  openTestCore({ client: {} as ServiceClient, store });

/**
 * Opens a core that has deleted already what is old when it starts: it would delete released leases beside the test.
 * A space that was left long ago is among the last that it deletes.
 */
const openSweptCore = async (store: Store): Promise<RunningCore> => {
  const old = { platform: PLATFORM, space_id: 'long ago', left_ms: 0 };
  await store.write((db) => db.insertInto('left_space').values(old).execute());
  const running = await openCore(store);
  await expect
    .poll(() => store.selectFrom('left_space').selectAll().where('left_ms', '=', 0).execute())
    .toEqual([]);
  return running;
};

/** Rows with another mark, which have to stay, by their table. */
const rowsWith = async (store: Store, mark: string) =>
  [...(await readEveryTable(store))].map(([table, rows]) => [
    table,
    rows.filter((row) => row.includes(mark)).toSorted(),
  ]);

/** The rows of every table that is about some place; processes change the others meanwhile. */
const rowsOfPlaces = async (store: Store) => {
  const all = await readEveryTable(store);
  const isOfPlace = (table: string): boolean =>
    TABLES[table as keyof typeof TABLES].spaces.length > 0;
  return new Map([...all].filter(([table]) => isOfPlace(table)));
};

/** What a store must do when a space or a person goes, through the core that runs on it. */
export const removalContract: Contract<RemovalSubject> = {
  'leaves nothing of a space in any table or on the disk, and all of another': async ({
    store,
    readDisk,
  }) => {
    await using running = await openCore(store);
    const rows = Array.from({ length: ROWS }, (_, at) =>
      [KEPT, LEFT].map(({ id }) => ({
        mark: `${numberOf(at)} ${id} ${opaque(id, at)}`,
        given: {
          ...valuesOfSpaces(id, id),
          // One row for each space in the tables that have one.
          ...(at === 0 ? {} : { space_id: `${id}/${at}` }),
        },
      })),
    );
    await fillWithRows(store, rows.flat());
    expect(await tablesWith(store, LEFT.id)).toEqual((await tablesOf(store)).toSorted());
    const kept = await rowsWith(store, KEPT.id);
    await running.core.feedListener.spaceLeft(LEFT);
    const ofNone = Object.entries(TABLES).filter(
      ([table, { spaces }]) => spaces.length === 0 && !TABLES_WITHOUT_DATA.has(table),
    );
    expect(await tablesWith(store, LEFT.id)).toEqual(ofNone.map(([table]) => table).toSorted());
    expect(await rowsWith(store, KEPT.id)).toEqual(kept);
    if (!readDisk) return;
    for (const [table] of ofNone)
      await store.write((db) => db.deleteFrom(table as 'lease').execute());
    await store.checkpoint();
    expect(countIn(readDisk(), LEFT.id)).toBe(0);
    expect(countIn(readDisk(), KEPT.id)).toBeGreaterThan(ROWS);
  },

  'leaves nothing of a person who is forgotten in any table or on the disk, and all of another':
    async ({ store, readDisk }) => {
      await using running = await openCore(store);
      for (const { id } of [GONE, STAYING]) await fillOfPerson(store, id);
      expect(await tablesWith(store, GONE.id)).toEqual(tablesWithKind('person', 'words'));
      const staying = await rowsWith(store, STAYING.id);
      await running.core.services.privacy.forget(GONE);
      expect(await tablesWith(store, GONE.id)).toEqual([]);
      expect(await rowsWith(store, STAYING.id)).toEqual(staying);
      if (!readDisk) return;
      expect(countIn(readDisk(), GONE.id)).toBe(0);
      expect(countIn(readDisk(), STAYING.id)).toBeGreaterThan(ROWS);
    },

  'leaves a person who is forgotten in rules alone, as moderators made them, and exports where':
    async ({ store }) => {
      await using running = await openCore(store);
      const { privacy } = running.core.services;
      const fill = (at: number, id: string) =>
        fillEveryTable(store, `row ${at}`, {
          ...valuesOfPerson(id, at),
          ...valuesNaming(id),
          platform: PLATFORM,
          from_platform: PLATFORM,
          author_hash: blockKey({ ...GONE, id }),
          opted_out: 0,
          is_heard: 1,
          state: 'waiting',
        });
      await fill(1, GONE.id);
      await fill(2, STAYING.id);
      const rules = {
        'channel_watch.choices': 'naming',
        'space_setting.choices': 'naming',
        'watch_undo.watches': 'naming',
      };
      expect(await kindsOfColumnsWith(store, GONE.id)).toMatchObject(rules);
      const space = 'space_id of row 1';
      const exported = async () =>
        JSON.parse(Buffer.from(await privacy.export(GONE)).toString()) as object;
      const changes = [{ space, what: 'what of row 1' }];
      expect(await exported()).toMatchObject({ namedInChanges: changes });
      await privacy.forget(GONE);
      expect(await kindsOfColumnsWith(store, GONE.id)).toEqual(rules);
      expect(await exported()).toMatchObject({
        namedInChanges: [],
        namedInRules: [{ space, channel: 'channel_id of row 1' }, { space }, { space }],
      });
    },

  'leaves of a person who opted out and refused to be heard these choices alone': async ({
    store,
  }) => {
    await using running = await openCore(store);
    await fillEveryTable(store, 'row', {
      ...valuesOfPerson(GONE.id, 1),
      platform: PLATFORM,
      from_platform: PLATFORM,
      author_hash: blockKey(GONE),
      opted_out: 1,
      is_heard: 0,
      state: 'waiting',
    });
    await running.core.services.privacy.forget(GONE);
    expect(await tablesWith(store, GONE.id)).toEqual(['member_setting', 'room_consent']);
    expect(await store.selectFrom('member_setting').selectAll().execute()).toMatchObject([
      { member_id: GONE.id, opted_out: 1, language: null, voice_id: null },
    ]);
  },

  'leaves no lease with the name of a space, and all of another': async ({ store }) => {
    await using running = await openSweptCore(store);
    const hold = async (name: string): Promise<void> => {
      const tenure = await store.leases.acquire(name, new AbortController().signal);
      await tenure.release();
    };
    for (const space of [KEPT, LEFT])
      for (const name of [`room ${keyOf(space)}`, `looks:${space.id}`]) await hold(name);
    const kept = await rowsWith(store, KEPT.id);
    await running.core.feedListener.spaceLeft(LEFT);
    expect(await tablesWith(store, LEFT.id)).toEqual([]);
    expect(await rowsWith(store, KEPT.id)).toEqual(kept);
  },

  'leaves no rate of a space, and those of another': async ({ store }) => {
    await using running = await openCore(store);
    const rate = { perSecond: 1, burst: 1 };
    for (const space of [KEPT, LEFT]) await store.quota.take(`${keyOf(space)} method`, rate);
    const kept = await rowsWith(store, KEPT.id);
    await running.core.feedListener.spaceLeft(LEFT);
    expect(await tablesWith(store, LEFT.id)).toEqual([]);
    expect(await rowsWith(store, KEPT.id)).toEqual(kept);
  },

  'leaves no mark of a space’s history that is owed, takes no new one, and keeps those of another':
    async ({ store }) => {
      await using running = await openCore(store);
      const owed = createOwedHistories(store, () => 0);
      const alike = { ...LEFT, id: `${LEFT.id}2` };
      const set = async (group: string, spaces: readonly Space[]): Promise<void> => {
        for (const space of spaces)
          await owed.set(`group:${group}`, { space, id: 'channel' }, 8e12);
      };
      await set('one', [LEFT]);
      expect(await tablesWith(store, LEFT.id)).toEqual(['agreement']);
      await set('two', [LEFT, KEPT, alike]);
      await running.core.feedListener.spaceLeft(LEFT);
      await set('three', [LEFT]);
      expect(await tablesWith(store, `${LEFT.id} `)).toEqual([]);
      expect(await owed.isOwed('group:one')).toBe(false);
      for (const { id } of [KEPT, alike])
        expect(await tablesWith(store, `${id} `)).toEqual(['agreement']);
    },

  'leaves no ID of a space or a person in what changed in another space': async ({ store }) => {
    await using running = await openCore(store);
    const note = (at: Space, values: readonly string[]) =>
      store.write((db) =>
        noteChange(db, at, undefined, { what: 'setting', before: {}, after: { values } }),
      );
    const ids = [LEFT.id, GONE.id, STAYING.id, `${LEFT.id}2`];
    await note(KEPT, ids);
    await running.core.feedListener.spaceLeft(LEFT);
    await running.core.services.privacy.forget(GONE);
    expect(await auditOf(store, KEPT)).toMatchObject([
      { after: { values: ['', '', STAYING.id, `${LEFT.id}2`] } },
    ]);
    const elsewhere = { ...KEPT, platform: 'elsewhere' };
    await note(elsewhere, ids);
    await running.core.services.privacy.forget(GONE);
    expect(await auditOf(store, elsewhere)).toMatchObject([{ after: { values: ids } }]);
  },

  'leaves what another platform has of somebody with the same ID': async ({ store }) => {
    await using running = await openCore(store);
    const elsewhere = { ...valuesOfPerson(GONE.id, 1), platform: 'elsewhere' };
    await fillEveryTable(store, 'row', { ...elsewhere, state: 'waiting' });
    const before = await rowsOfPlaces(store);
    await running.core.services.privacy.forget(GONE);
    expect(await rowsOfPlaces(store)).toEqual(before);
  },
};
