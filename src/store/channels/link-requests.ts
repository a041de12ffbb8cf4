import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../async/clock.ts';
import type { Posted, Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Store } from '../index.ts';
import { changeRows, deleteExpired, deleteRows, readRows, spaceColumns } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { withoutChoices, type LinkAsker, type InviteTerms } from './link-invites.ts';

/** The link that both sides agree to. */
interface RequestedLink extends InviteTerms {
  /** The channel that the code was made for. */
  readonly invited: ChannelWatch;
  readonly joining: ChannelWatch;
  /** True where the joining side agreed to be linked with age-restricted channels, though its own is not. */
  readonly joinsAges: boolean;
  /** The `setupMark` of the joining channel as its side agreed; undefined before that. */
  readonly setup?: string | undefined;
  /** The messages that ask for an answer. */
  readonly questions?: readonly Posted[];
}

export interface StoredRequest extends RequestedLink {
  readonly id: string;
  readonly codeHash: string;
  readonly state: Schema['link_request']['state'];
  /** The name of the person who asks; undefined where they had their data deleted. */
  readonly askedBy: string | undefined;
  readonly askedById: string | undefined;
  readonly expiresMs: number;
}

type LinkAnswer = 'done' | 'refused' | 'withdrawn';
/** The end of a request, as its questions tell it. */
export type LinkEnd = LinkAnswer | 'linked' | 'gone' | 'changed' | 'expired' | 'over';

/** A request that can be answered no more, and of which its questions do not tell yet. */
export type EndedRequest = Required<Pick<StoredRequest, 'id' | 'invited' | 'questions'>> & {
  readonly became: LinkEnd;
};

/** Time within which the side that made the code has to answer. */
const ANSWER_MS = DAY_MS;
/** Time after which a request that is over is deleted, even where its questions do not say so. */
const CLOSING_MS = DAY_MS;

/** Most open requests of a space that are listed. */
const MOST_OPEN = 100;
const COLUMNS = [
  'id',
  'code_hash',
  'state',
  'request',
  'asked_by',
  'asked_by_name',
  'expires_ms',
] as const;

const requestOf = (
  row: Pick<Selectable<Schema['link_request']>, (typeof COLUMNS)[number]>,
): StoredRequest => ({
  ...(JSON.parse(row.request) as RequestedLink),
  id: row.id,
  codeHash: row.code_hash,
  state: row.state,
  askedBy: row.asked_by_name ?? undefined,
  askedById: row.asked_by ?? undefined,
  expiresMs: row.expires_ms,
});

const textOf = (request: RequestedLink, more: Partial<RequestedLink>): string => {
  const { invited, joining, known, mayMixAges, joinsAges, setup } = request;
  return JSON.stringify({ invited, joining, known, mayMixAges, joinsAges, setup, ...more });
};

export type LinkRequests = ReturnType<typeof createLinkRequestStore>;

/** Stores the links that were asked for, until they are answered or expire. */
export const createLinkRequestStore = (store: Store, now: () => number) => ({
  /** Deletes the requests that have been over for long. */
  clear: async (): Promise<void> => {
    await store.write(async (db) => deleteExpired(db, 'link_request', now() - CLOSING_MS));
  },
  /** Stores a link that a person has not agreed to yet; resolves with its id. */
  draft: async (link: RequestedLink, codeHash: string, by: LinkAsker): Promise<string> => {
    const id = randomUUID();
    const { invited, joining } = link;
    await store.write(async (db) => {
      await db
        .insertInto('link_request')
        .values({
          ...spaceColumns(invited.channel.space),
          id,
          from_platform: joining.channel.space.platform,
          from_space_id: joining.channel.space.id,
          code_hash: codeHash,
          state: 'drafted',
          request: JSON.stringify({ ...link, joining: withoutChoices(joining) }),
          asked_by: by.id,
          asked_by_name: by.name,
          expires_ms: now() + HOUR_MS,
        })
        .execute();
    });
    return id;
  },
  /** Reads a request; undefined for one that is unknown, answered or expired. */
  find: async (id: string): Promise<StoredRequest | undefined> => {
    const row = await store
      .selectFrom('link_request')
      .where('id', '=', id)
      .where('state', '!=', 'ended')
      .where('expires_ms', '>=', now())
      .select(COLUMNS)
      .executeTakeFirst();
    return row && requestOf(row);
  },
  /** Lists the requests of a space, on either side, that wait for an answer, the oldest first. */
  open: async ({ platform, id }: Space): Promise<readonly StoredRequest[]> => {
    const rows = await store
      .selectFrom('link_request')
      .where('state', 'not in', ['drafted', 'ended'])
      .where('expires_ms', '>=', now())
      .where((eb) =>
        eb.or([
          eb.and({ platform, space_id: id }),
          eb.and({ from_platform: platform, from_space_id: id }),
        ]),
      )
      .select(COLUMNS)
      .orderBy('expires_ms')
      .limit(MOST_OPEN)
      .execute();
    return rows.map(requestOf);
  },
  /** Notes within a transaction that the joining side agreed; false where that was noted since the request was read. */
  ask: async (
    db: Transaction<Schema>,
    { id, state, ...link }: StoredRequest,
    setup: string,
  ): Promise<boolean> => {
    const request = textOf(link, { setup });
    const asked = { state: 'asked', request, expires_ms: now() + ANSWER_MS } as const;
    return (await changeRows(db, 'link_request', { id, state }, asked)) > 0;
  },
  /** Notes that the question stands, and where; false where the request was answered meanwhile. */
  told: async ({ id, ...link }: StoredRequest, questions: readonly Posted[]): Promise<boolean> => {
    const told = { state: 'told', request: textOf(link, { questions }) } as const;
    const untold = { id, state: 'asked' } as const;
    return store.write(async (db) => (await changeRows(db, 'link_request', untold, told)) > 0);
  },
  /** Lists the ids of the requests of which a platform's spaces were not told yet. */
  untold: async (platform: Space['platform']): Promise<readonly string[]> => {
    const rows = await readRows(store, 'link_request', { platform, state: 'asked' }, ['id']);
    return rows.map(({ id }) => id);
  },
  /** Ends a request within a transaction, with all but what its questions still have to say; false where it was ended already. */
  take: async (db: Transaction<Schema>, id: string, became: LinkEnd): Promise<boolean> => {
    const [row] = await readRows(db, 'link_request', { id }, ['state', 'request', 'expires_ms']);
    if (!row || row.state === 'ended' || row.expires_ms < now()) return false;
    const { state } = row;
    const { invited, questions } = JSON.parse(row.request) as RequestedLink;
    if (!questions) return (await deleteRows(db, 'link_request', { id, state })) > 0;
    const { platform, id: spaceId } = invited.channel.space;
    const ended = {
      state: 'ended',
      request: JSON.stringify({ invited, questions, became }),
      // What is left is the asked side's alone.
      from_platform: platform,
      from_space_id: spaceId,
      asked_by: null,
      asked_by_name: null,
      expires_ms: now() - 1,
    } as const;
    return (await changeRows(db, 'link_request', { id, state }, ended)) > 0;
  },
  /** Lists the requests that are over, and of which their questions do not tell yet. */
  over: async (of: { readonly platform: string } | { readonly id: string }) => {
    const rows = await store
      .selectFrom('link_request')
      .where((eb) => eb.and(of))
      .where('state', 'in', ['told', 'ended'])
      .where('expires_ms', '<', now())
      .select(['id', 'request'])
      .execute();
    const expired: Pick<EndedRequest, 'became'> = { became: 'expired' };
    return rows.map(({ id, request }) => {
      const stored = JSON.parse(request) as Omit<EndedRequest, 'id'>;
      return { ...expired, ...stored, id };
    });
  },
  /** Deletes a request that is over. */
  remove: async (id: string): Promise<void> => {
    await store.write(async (db) => deleteRows(db, 'link_request', { id }));
  },
});
