import { hash, randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { HOUR_MS } from '../../async/clock.ts';
import type { Member } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { LinkInvite } from '../../model/watches.ts';
import { currentActor } from '../actor.ts';
import { noteChange } from '../audit.ts';
import type { Store } from '../index.ts';
import { deleteExpired, deleteRows } from '../rows.ts';
import type { Schema } from '../schema.ts';

/** Letters and digits that are not mistaken for each other (Crockford's base32). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Twelve characters of five bits cannot be guessed within their hour. */
const CODE_CHARS = 12;
const GROUP_CHARS = 4;
const LIFE_MS = HOUR_MS;

const newCode = (): string =>
  Array.from(randomBytes(CODE_CHARS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

const grouped = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join('-') ?? code;

/** The code as it was made, whatever it looks like when somebody has typed it. */
const plain = (typed: string): string =>
  typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

const hashOf = (typed: string): string => hash('sha256', plain(typed));

export interface InviteTerms {
  /** Keys of the channels that its group had when it was made. */
  readonly known: readonly string[];
  /** True where an age-restricted channel may be linked with channels of the group that are not. */
  readonly mayMixAges: boolean;
}

/** A person as the other side reads of them. */
export type LinkAsker = Pick<Member, 'id' | 'name'>;

export interface StoredInvite extends InviteTerms {
  readonly watch: ChannelWatch;
  readonly codeHash: string;
  /** The name of the person who made the code; undefined where they had their data deleted. */
  readonly madeBy: string | undefined;
}

/** A watch without what is chosen for its channel meanwhile, which a link leaves as it is. */
export const withoutChoices = (watch: ChannelWatch): ChannelWatch => {
  const { choices: _, ...rest } = watch;
  return rest;
};

export type LinkInvites = ReturnType<typeof createLinkInvites>;

/** Stores invitations to link a channel with one elsewhere: each can be used once, within an hour. */
export const createLinkInvites = (store: Store, now: () => number) => ({
  /** Deletes the invitations that can be used no more. */
  clear: async (): Promise<void> => {
    await store.write(async (db) => deleteExpired(db, 'link_invite', now()));
  },
  make: async (watch: ChannelWatch, terms: InviteTerms, by: LinkAsker): Promise<LinkInvite> => {
    const code = newCode();
    const expiresMs = now() + LIFE_MS;
    const { platform, id } = watch.channel.space;
    const actor = currentActor();
    await store.write(async (db) => {
      await deleteExpired(db, 'link_invite', now());
      const { space, id: channelId } = watch.channel;
      await noteChange(db, space, actor, { what: 'link-code', channelId });
      await db
        .insertInto('link_invite')
        .values({
          code_hash: hashOf(code),
          platform,
          space_id: id,
          watch: JSON.stringify({ ...withoutChoices(watch), ...terms }),
          made_by: by.id,
          made_by_name: by.name,
          expires_ms: expiresMs,
        })
        .execute();
    });
    return { code: grouped(code), expiresMs };
  },
  /** Reads an invitation; undefined for an unknown, used or expired one. */
  find: async (typed: string): Promise<StoredInvite | undefined> => {
    const codeHash = hashOf(typed);
    const row = await store
      .selectFrom('link_invite')
      .where('code_hash', '=', codeHash)
      .where('expires_ms', '>=', now())
      .select(['watch', 'made_by_name'])
      .executeTakeFirst();
    if (!row) return undefined;
    const stored = JSON.parse(row.watch) as ChannelWatch & Partial<InviteTerms>;
    const { known = [], mayMixAges = false, ...watch } = stored;
    return { watch, known, mayMixAges, codeHash, madeBy: row.made_by_name ?? undefined };
  },
  /** Uses an invitation up within a transaction; false for an unknown, used or expired one. */
  take: async (db: Transaction<Schema>, codeHash: string): Promise<boolean> => {
    await deleteExpired(db, 'link_invite', now());
    return (await deleteRows(db, 'link_invite', { code_hash: codeHash })) > 0;
  },
});
