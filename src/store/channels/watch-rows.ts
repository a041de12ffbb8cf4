import { setImmediate } from 'node:timers/promises';
import type { Expression, ExpressionBuilder, Selectable, SqlBool, Transaction } from 'kysely';
import { channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import {
  MOST_CHANNELS,
  type ChannelWatch,
  type WatchChoices,
  type WatchMode,
} from '../../model/space.ts';
import { userError } from '../../errors.ts';
import { rowChannel } from '../inbox/row.ts';
import type { Store } from '../index.ts';
import { channelColumns, putRow, slicesOf } from '../rows.ts';
import type { Schema } from '../schema.ts';

/** A watch with its times. */
export interface StoredWatch {
  readonly watch: ChannelWatch;
  readonly sinceMs: number;
  /** Time since which the channel's threads are copied, where it is linked. */
  readonly threadsSinceMs: number;
  /** Time since which the channel is in its group, ms since 1970. */
  readonly joinedMs: number;
  /** Time since which messages are translated into all of its languages in this mode, ms since 1970. */
  readonly languagesMs: number;
}

/** The choices of a watch as they are stored, with its times. */
type StoredChoices = WatchChoices & Partial<Pick<StoredWatch, 'joinedMs' | 'languagesMs'>>;

/** The order in which watches were set. */
export const byAge = (a: StoredWatch, b: StoredWatch): number =>
  a.sinceMs - b.sinceMs ||
  a.joinedMs - b.joinedMs ||
  (a.watch.channel.id < b.watch.channel.id ? -1 : 1);

/** Watches by the keys of their channels. */
export type WatchesById = Map<string, StoredWatch>;

/** The watches of each group; those in none are left out. */
export const groupsIn = (
  watches: WatchesById,
): ReadonlyMap<string | undefined, readonly ChannelWatch[]> => {
  const all = [...watches.values()].map(({ watch }) => watch);
  const groups = Map.groupBy(all, ({ group }) => group);
  groups.delete(undefined);
  return groups;
};

/** Removes the watches that are alone in one of these groups: a group needs two channels. */
export const takeLone = (
  watches: WatchesById,
  groups: readonly (string | undefined)[],
): readonly Channel[] => {
  const members = groupsIn(watches);
  const lone = [...new Set(groups)].flatMap((group) => {
    const [first, ...others] = members.get(group) ?? [];
    return first && others.length === 0 ? [first.channel] : [];
  });
  for (const channel of lone) watches.delete(channelKey(channel));
  return lone;
};

/**
 * A watch with the choices that its channel has, which are no part of how it is translated. Who has not agreed to a space in
 * a group has not agreed to its further channels there.
 */
const withChoices = (
  watch: ChannelWatch,
  before: ChannelWatch | undefined,
  watches: WatchesById,
): ChannelWatch => {
  const { group, channel } = watch;
  const choices = { ...before?.choices, ...watch.choices };
  if (group === undefined || group !== before?.group) {
    const isOwn = (each: ChannelWatch): boolean =>
      each.group === group && keyOf(each.channel.space) === keyOf(channel.space);
    const own = group && [...watches.values()].find((each) => isOwn(each.watch));
    const unagreed = own ? own.watch.choices?.unagreed : watch.choices?.unagreed;
    delete choices.unagreed;
    if (unagreed) Object.assign(choices, { unagreed });
  }
  return Object.keys(choices).length > 0 ? { ...watch, choices } : watch;
};

/**
 * Puts watches in place of their former ones; gives the channels that remained alone in their group, whose watches are
 * removed. Throws `bad-input` for a group that would have too many channels.
 */
export const putAll = (
  watches: WatchesById,
  changed: readonly ChannelWatch[],
  sinceMs: number,
): readonly Channel[] => {
  const before = changed.map(({ channel }) => watches.get(channelKey(channel))?.watch.group);
  for (const [place, given] of changed.entries()) {
    const id = channelKey(given.channel);
    const old = watches.get(id);
    const watch = withChoices(given, old?.watch, watches);
    const { mode, languages, group } = watch;
    const joinedMs = old && old.watch.group === group ? old.joinedMs : sinceMs + place;
    const had = old?.watch.mode === mode ? old.watch.languages : [];
    const hadAll = old && languages.every((each) => had.includes(each));
    const languagesMs = hadAll ? old.languagesMs : sinceMs;
    watches.set(id, { threadsSinceMs: 0, sinceMs, ...old, joinedMs, languagesMs, watch });
  }
  const groups = groupsIn(watches);
  for (const [place, { group }] of changed.entries()) {
    const size = group === before[place] ? 0 : (groups.get(group)?.length ?? 0);
    if (size > MOST_CHANNELS)
      throw userError('bad-input', 'autotranslate.link-full', { most: MOST_CHANNELS });
  }
  return takeLone(watches, before);
};

/** The choices for others of the group, by the keys of their channels or spaces. */
const BY_MEMBER = ['muted', 'held', 'unagreed'] as const;

/** Leaves out what is chosen for channels that are in no group with a watch any more. */
export const dropChoices = (watches: WatchesById): void => {
  const known = new Map(
    [...groupsIn(watches)].map(([group, members]) => [
      group,
      new Set(members.flatMap(({ channel }) => [channelKey(channel), keyOf(channel.space)])),
    ]),
  );
  for (const [id, stored] of watches) {
    const { choices = {}, ...watch } = stored.watch;
    if (!BY_MEMBER.some((name) => choices[name])) continue;
    const keys = known.get(watch.group) ?? new Set();
    const isOver = BY_MEMBER.some((name) =>
      Object.keys(choices[name] ?? {}).some((key) => !keys.has(key)),
    );
    if (!isOver) continue;
    const left = BY_MEMBER.filter((name) => choices[name]).map((name) => {
      const chosen = Object.entries(choices[name] ?? {});
      return [name, Object.fromEntries(chosen.filter(([key]) => keys.has(key)))] as const;
    });
    const kept = { ...choices, ...Object.fromEntries(left) };
    watches.set(id, { ...stored, watch: { ...watch, choices: kept } });
  }
};

/** Stores what differs between two states of watches. */
export const writeWatches = async (
  db: Transaction<Schema>,
  before: WatchesById,
  after: WatchesById,
): Promise<void> => {
  const gone = [...before].flatMap(([id, { watch }]) => (after.has(id) ? [] : [watch.channel]));
  for (const where of among('channel_id', placesOf(gone))) {
    await db.deleteFrom('channel_watch').where(where).execute();
    await setImmediate();
  }
  for (const [id, stored] of after) {
    if (before.get(id) === stored) continue;
    await setImmediate();
    const { watch, sinceMs, joinedMs, languagesMs } = stored;
    const { channel, mode, languages, group, transcribes, bots, below, choices } = watch;
    const how = {
      space_id: channel.space.id,
      mode,
      languages: JSON.stringify(languages),
      group_id: group ?? null,
      transcribes: Number(transcribes),
      bots: Number(bots),
      below: Number(below ?? false),
      choices: JSON.stringify({
        ...choices,
        ...(group === undefined ? {} : { joinedMs }),
        ...(languagesMs === sinceMs ? {} : { languagesMs }),
      } satisfies StoredChoices),
    };
    const first = { parent_id: channel.parentId ?? null, since_ms: sinceMs };
    await putRow(db, 'channel_watch', channelColumns(channel), how, first);
  }
};

type Where = (eb: ExpressionBuilder<Schema, 'channel_watch'>) => Expression<SqlBool>;

/** A change of watches, by what it may touch. */
interface Touched {
  readonly channels?: readonly Channel[];
  /** Groups that channels come into. */
  readonly groups?: readonly string[];
  readonly spaces?: readonly Space[];
}

/** Most ids of one statement, of which SQLite binds 32,766, and most rows that are decoded at once. */
const AT_ONCE = 250;

const placesOf = (channels: readonly Channel[]): readonly Space[] =>
  channels.map(({ space: { platform }, id }) => ({ platform, id }));

const among = (column: 'channel_id' | 'space_id', places: readonly Space[]): Where[] =>
  [...Map.groupBy(places, ({ platform }) => platform)].flatMap(([platform, of]) =>
    slicesOf(
      of.map(({ id }) => id),
      AT_ONCE,
    ).map(
      (ids): Where =>
        (eb) =>
          eb('platform', '=', platform).and(column, 'in', ids),
    ),
  );

/**
 * The queries of the rows that a change may touch: those of its channels and spaces, and of the groups that these are in
 * or come into. Each part is found by an index of its own, which neither engine does for parts of one condition.
 */
const around = (
  db: Pick<Store, 'selectFrom'>,
  { channels = [], groups = [], spaces = [] }: Touched,
) => {
  const rowsOf = (where: Where) => db.selectFrom('channel_watch').selectAll().where(where);
  const own = [...among('channel_id', placesOf(channels)), ...among('space_id', spaces)];
  const linkedWith = (where: Where) =>
    rowsOf((eb) =>
      eb('group_id', 'in', eb.selectFrom('channel_watch').select('group_id').where(where)).and(
        eb.not(where(eb)),
      ),
    );
  const joined = slicesOf(groups, AT_ONCE).map((some) =>
    rowsOf((eb) => eb('group_id', 'in', some)),
  );
  return [...own.map((where) => rowsOf(where).unionAll(linkedWith(where))), ...joined];
};

const storedWatch = (row: Selectable<Schema['channel_watch']>): StoredWatch => {
  const { since_ms: sinceMs, threads_since_ms: threadsSinceMs } = row;
  const stored = JSON.parse(row.choices) as StoredChoices;
  const { joinedMs = sinceMs, languagesMs = sinceMs, ...choices } = stored;
  const watch: ChannelWatch = {
    channel: rowChannel(row),
    mode: row.mode as WatchMode,
    languages: JSON.parse(row.languages) as string[],
    ...(row.group_id === null ? {} : { group: row.group_id }),
    transcribes: row.transcribes === 1,
    bots: row.bots === 1,
    ...(row.below === 1 ? { below: true } : {}),
    ...(Object.keys(choices).length === 0 ? {} : { choices }),
  };
  return { watch, sinceMs, threadsSinceMs, joinedMs, languagesMs };
};

/** Reads watches in the order in which they were set. Default: all */
export const readWatches = async (
  db: Pick<Store, 'selectFrom'>,
  touched?: Touched,
): Promise<WatchesById> => {
  const queries = touched ? around(db, touched) : [db.selectFrom('channel_watch').selectAll()];
  const stored: StoredWatch[] = [];
  for (const query of queries)
    for (const rows of slicesOf(await query.execute(), AT_ONCE)) {
      await setImmediate();
      stored.push(...rows.map(storedWatch));
    }
  return new Map(stored.toSorted(byAge).map((each) => [channelKey(each.watch.channel), each]));
};
