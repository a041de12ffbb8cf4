import { hash, randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import { HOUR_MS } from '../../async/clock.ts';
import type { ChannelWatch, LinkInvite } from '../../model/space.ts';
import type { Store } from '../index.ts';
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

const deleteExpired = async (db: Transaction<Schema>, nowMs: number): Promise<void> => {
  await db.deleteFrom('link_invite').where('expires_ms', '<', nowMs).execute();
};

export type LinkInvites = ReturnType<typeof createLinkInvites>;

/** Stores invitations to link a channel with one elsewhere: each can be used once, within an hour. */
export const createLinkInvites = (store: Store, now: () => number) => ({
  /** Deletes the invitations that can be used no more. */
  clear: async (): Promise<void> => {
    await store.write(async (db) => deleteExpired(db, now()));
  },
  make: async (watch: ChannelWatch): Promise<LinkInvite> => {
    const code = newCode();
    const expiresMs = now() + LIFE_MS;
    const { platform, id } = watch.channel.space;
    await store.write(async (db) => {
      await deleteExpired(db, now());
      await db
        .insertInto('link_invite')
        .values({
          code_hash: hashOf(code),
          platform,
          space_id: id,
          watch: JSON.stringify(watch),
          expires_ms: expiresMs,
        })
        .execute();
    });
    return { code: grouped(code), expiresMs };
  },
  /** Takes an invitation; undefined for an unknown, used or expired one. */
  take: async (typed: string): Promise<ChannelWatch | undefined> => {
    const row = await store.write((db) =>
      db
        .deleteFrom('link_invite')
        .where('code_hash', '=', hashOf(typed))
        .where('expires_ms', '>=', now())
        .returning('watch')
        .executeTakeFirst(),
    );
    return row && (JSON.parse(row.watch) as ChannelWatch);
  },
});
