import { sql, type Insertable, type Transaction } from 'kysely';
import { z } from 'zod';
import { keyOf, type Space, type Person } from '../model/place.ts';
import { FORMALITIES } from '../model/rules.ts';
import { USUAL_PAUSE_MS, type ConsentChoice } from '../model/room.ts';
import {
  type SpaceChoices,
  LINKS_OUTSIDE,
  OPEN_LINKS,
  rulesWatch,
  SERVER_NAMES,
} from '../model/space.ts';
import { currentActor } from './actor.ts';
import { noteChange } from './audit.ts';
import { putUndo } from './channels/watch-undos.ts';
import type { Store } from './index.ts';
import { personColumns, putRow, readRow, spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';
import { createCache, createLru } from '../async/lru.ts';

const putMember = (
  db: Transaction<Schema>,
  person: Person,
  values: Partial<Insertable<Schema['member_setting']>>,
): Promise<void> =>
  putRow(db, 'member_setting', personColumns(person), values, {
    space_id: person.homeId ?? null,
    language: null,
    voice_id: null,
  });

export interface Preferences {
  readonly language: string | undefined;
  readonly voiceId: string | undefined;
  /** False where answers to copies of the person's messages do not mention them. Default: true. */
  readonly answersMention?: boolean;
}

export type MemberSettings = ReturnType<typeof createMemberSettings>;

export const createMemberSettings = (store: Store) => ({
  async of(person: Person): Promise<Preferences> {
    const row = await readRow(store, 'member_setting', personColumns(person), [
      'language',
      'voice_id',
      'answer_mentions',
    ]);
    return {
      language: row?.language ?? undefined,
      voiceId: row?.voice_id ?? undefined,
      ...(row?.answer_mentions === 0 ? { answersMention: false } : {}),
    };
  },

  /** Changes settings. An omitted key keeps its value; `undefined` clears it. */
  async change(person: Person, change: Partial<Preferences>): Promise<void> {
    const values = {
      ...('language' in change ? { language: change.language ?? null } : {}),
      ...('voiceId' in change ? { voice_id: change.voiceId ?? null } : {}),
      ...(change.answersMention === undefined
        ? {}
        : { answer_mentions: change.answersMention ? 1 : 0 }),
    };
    if (Object.keys(values).length > 0) await store.write((db) => putMember(db, person, values));
  },
});

/** Most spaces whose choices are cached: each message in a watched channel reads them. */
const CACHED_SPACES = 5_000;

const limit = z.int().min(0).optional().catch(undefined);

const ids = z.array(z.string()).catch(() => []);

/**
 * Bounds of the pause that ends an utterance: shorter pauses occur within words, longer ones add
 * latency.
 */
const pauseMs = z.int().min(200).max(5_000).catch(USUAL_PAUSE_MS);

const rule = z
  .object({ only: z.literal(true).optional(), of: ids })
  .optional()
  .catch(undefined);

const rules = z.object({
  people: rule,
  roles: rule,
  words: rule,
  beginnings: rule,
  types: rule,
  shortest: limit,
  languages: ids.optional(),
  engine: z.string().optional().catch(undefined),
  formality: z
    .enum([...FORMALITIES, ''])
    .optional()
    .catch(undefined),
  reading: z.string().optional().catch(undefined),
});

const linkPolicy = z.object({
  outside: z.enum(LINKS_OUTSIDE),
  approved: ids,
  privateChannels: z.boolean(),
  channels: ids,
});
/** The policy in place of one that cannot be read: nothing is linked that moderators may have forbidden. */
const CLOSED_LINKS = { ...OPEN_LINKS, outside: 'nobody' as const, approved: [], channels: [] };

const roomChoices = z.object({
  consent: z.enum(['told', 'agreed']).catch('told'),
  spokenNotice: z.boolean().catch(true),
  joins: ids,
  languages: ids,
  partials: z.boolean().catch(true),
  showsAll: z.boolean().catch(false),
  pauseMs,
  bargeIn: z.enum(['off', 'lower', 'stop']).catch('off'),
  wakeWord: z.boolean().catch(false),
  readAloud: ids,
});

/**
 * Schema of the stored choices. An invalid value from another version falls back to its default, so
 * that the space still works.
 */
const choices = z.object({
  flags: z
    .object({
      on: z.boolean(),
      languages: z.record(z.string(), z.string()),
      keptMinutes: z.int().min(1).optional().catch(undefined),
    })
    .catch(() => ({ on: true, languages: {} })),
  roles: z.record(z.string(), z.array(z.string())).catch(() => ({})),
  dailyCharacters: limit,
  dailyAudioMinutes: limit,
  dailyChatTokens: limit,
  quietChannels: ids,
  serverNames: z
    .union([z.enum(SERVER_NAMES), z.boolean().transform((isOn) => (isOn ? 'always' : 'off'))])
    .catch('always'),
  links: linkPolicy.optional().catch(CLOSED_LINKS),
  rules: rules.catch(() => ({})),
  answersMention: z.boolean().catch(true),
  reactions: z.boolean().catch(true),
  announcesTerms: z.boolean().optional().catch(undefined),
  rooms: roomChoices.catch(() => roomChoices.parse({})),
  languageRoles: z.record(z.string(), z.string()).optional().catch(undefined),
  moderators: z.object({ channel: z.string(), locale: z.string() }).optional().catch(undefined),
  moderatorGroups: z.array(z.string()).optional().catch(undefined),
  greeted: z.array(z.string()).optional().catch(undefined),
}) satisfies z.ZodType<SpaceChoices>;

const record = z.record(z.string(), z.unknown());

const readStored = (stored: string | undefined): Readonly<Record<string, unknown>> => {
  let json: unknown;
  try {
    json = JSON.parse(stored ?? '{}');
  } catch {
    json = {};
  }
  return record.safeParse(json).data ?? {};
};

const parseChoices = (stored: string | undefined): SpaceChoices =>
  choices.parse(readStored(stored));

const read = async (db: Pick<Store, 'selectFrom'>, space: Space): Promise<SpaceChoices> =>
  parseChoices((await readRow(db, 'space_setting', spaceColumns(space), ['choices']))?.choices);

/**
 * Changes the choices of a space, whatever other processes change of them at the same time.
 *
 * @param how gives the changed ones; an omitted key keeps its value
 */
const changeChoices = async (
  db: Transaction<Schema>,
  space: Space,
  signals: Store['signals'],
  how: (before: SpaceChoices) => Partial<SpaceChoices>,
): Promise<{ readonly before: SpaceChoices; readonly after: SpaceChoices }> => {
  const key = spaceColumns(space);
  // The row that is written stays locked until the end of the transaction.
  const locked = await db
    .insertInto('space_setting')
    .values({ ...key, choices: '{}' })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'space_id'])
        .doUpdateSet((eb) => ({ choices: eb.ref('space_setting.choices') })),
    )
    .returning('choices')
    .executeTakeFirst();
  const before = parseChoices(locked?.choices);
  const changed = how(before);
  // What nobody chose is not stored, so that it stays the default.
  const stored = JSON.stringify({ ...readStored(locked?.choices), ...changed });
  await putRow(db, 'space_setting', key, { choices: stored });
  await signals.publish(db, 'space-settings', space);
  return { before, after: { ...before, ...changed } };
};

/** Most places of a space that are remembered. */
const GREETED_PLACES = 500;

/** Notes that the bot introduces itself; resolves with false where that is noted already. See `SpaceChoices.greeted`. */
export const noteGreeted = async (
  db: Transaction<Schema>,
  space: Space,
  placeId: string,
  signals: Store['signals'],
): Promise<boolean> => {
  let isNew = false;
  await changeChoices(db, space, signals, ({ greeted = [] }) => {
    isNew = !greeted.includes(placeId);
    if (!isNew) return {};
    const all = [...greeted, placeId];
    const own = all.filter((id) => id === space.id);
    return { greeted: [...own, ...all.filter((id) => id !== space.id).slice(-GREETED_PLACES)] };
  });
  return isNew;
};

export type SpaceSettings = ReturnType<typeof createSpaceSettings>;

export const createSpaceSettings = (store: Store) => {
  const known = createCache((space: Space) => read(store, space), {
    keyOf,
    most: CACHED_SPACES,
    isCurrent: () => store.signals.isCurrent('space-settings', 'space-left'),
  });
  store.signals.subscribe('space-settings', known.forget);
  store.signals.subscribe('space-left', known.forget);

  return {
    of: known.of,

    /** Lists the spaces in which what a flag brings is removed again, with the minutes after which it is. */
    async removingFlags(): Promise<
      readonly { readonly space: Space; readonly keptMinutes: number }[]
    > {
      const rows = await store
        .selectFrom('space_setting')
        .select(['platform', 'space_id', 'choices'])
        // The condition of a partial index, word for word.
        .where(sql<boolean>`replace(choices, '"keptMinutes"', '') <> choices`)
        .execute();
      return rows.flatMap(({ platform, space_id: id, choices: stored }) => {
        const { keptMinutes } = choices.shape.flags.parse(readStored(stored)['flags']);
        return keptMinutes === undefined ? [] : [{ space: { platform, id }, keptMinutes }];
      });
    },

    /**
     * Changes choices, to values or by what they are at this moment. An omitted key keeps its value.
     *
     * @param claim work of the same transaction; it changes nothing where this rejects
     */
    async change(
      space: Space,
      change: Partial<SpaceChoices> | ((before: SpaceChoices) => Partial<SpaceChoices>),
      claim?: (db: Transaction<Schema>, before: SpaceChoices) => Promise<void>,
    ): Promise<void> {
      const how = typeof change === 'function' ? change : () => change;
      const by = currentActor();
      await store.write(async (db) => {
        const { before, after } = await changeChoices(db, space, store.signals, how);
        await claim?.(db, before);
        if (by?.undo) await putUndo(db, space, by.undo, [rulesWatch(space, before.rules)]);
        await noteChange(db, space, by, {
          what: 'setting',
          before: { ...before },
          after: { ...after },
        });
      });
    },

    /**
     * Resolves with true for who may introduce the bot in a space, or in a channel of it: once, also over restarts.
     *
     * @param placeId id of the channel, or of the space itself
     */
    greets: async (space: Space, placeId: string): Promise<boolean> =>
      store.write((db) => noteGreeted(db, space, placeId, store.signals)),
  };
};

export type RoomConsents = ReturnType<typeof createRoomConsents>;

/** Creates the store of members' choices about being listened to in the voice channels of a space. */
export const createRoomConsents = (store: Store) => ({
  of: async (space: Space, memberId: string): Promise<ConsentChoice> => {
    const key = { ...spaceColumns(space), member_id: memberId };
    const row = await readRow(store, 'room_consent', key, ['is_heard']);
    if (!row) return undefined;
    return row.is_heard === 1 ? 'allowed' : 'refused';
  },
  choose: async (
    space: Space,
    memberId: string,
    choice: Exclude<ConsentChoice, undefined>,
  ): Promise<void> => {
    const is_heard = choice === 'allowed' ? 1 : 0;
    const key = { ...spaceColumns(space), member_id: memberId };
    await store.write((db) => putRow(db, 'room_consent', key, { is_heard }));
  },
});

/** Most people whose opt-out is cached: each message in a watched channel looks its author up. */
const CACHED_PEOPLE = 20_000;
/** Most opt-outs that are not stored yet. */
const MOST_UNWRITTEN = 1_000;

/** Creates the store of the people who opted out of everything. */
export const createOptOuts = (store: Store) => {
  const stored = async (person: Person): Promise<boolean> =>
    (await readRow(store, 'member_setting', personColumns(person), ['opted_out']))?.opted_out === 1;
  const choice = createCache(stored, {
    keyOf,
    most: CACHED_PEOPLE,
    isCurrent: () => store.signals.isCurrent('opt-out', 'space-left'),
  });
  store.signals.subscribe('opt-out', choice.forget);
  store.signals.subscribe('space-left', (left) =>
    choice.forgetWhere(({ platform }) => platform === (left?.platform ?? platform)),
  );
  /** People whose opt-out is being stored or failed to be stored; it already applies. */
  const unwritten = createLru<string, symbol>(MOST_UNWRITTEN);

  return {
    optedOut: async (person: Person): Promise<boolean> =>
      unwritten.get(keyOf(person)) !== undefined || choice.of(person),

    async setOptedOut(person: Person, optedOut: boolean): Promise<void> {
      const { platform, id } = person;
      const opted_out = optedOut ? 1 : 0;
      const key = keyOf({ platform, id });
      const own = Symbol(key);
      if (optedOut) unwritten.set(key, own);
      else unwritten.delete(key);
      await store.write(async (db) => {
        await putMember(db, person, { opted_out });
        await store.signals.publish(db, 'opt-out', { platform, id, optedOut });
      });
      // A newer choice is not stored yet.
      if (unwritten.get(key) === own) unwritten.delete(key);
    },
  };
};
