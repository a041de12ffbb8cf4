import type { Member } from '../model/member.ts';

import type { Store } from './index.ts';
import { forgetAuthor } from './inbox/authors.ts';
import { createCache, createLru } from '../async/lru.ts';
import { recordUsage } from './usage.ts';

/** The stored data about one person. */
export interface Privacy {
  optedOut(member: Pick<Member, 'platform' | 'id'>): Promise<boolean>;
  setOptedOut(member: Pick<Member, 'platform' | 'id'>, optedOut: boolean): Promise<void>;
  /** Exports all of it as JSON. */
  export(member: Pick<Member, 'platform' | 'id'>): Promise<Uint8Array>;
  /**
   * Deletes all of it except an opt-out or a refusal to be listened to, and cancels their
   * waiting translations. Mirrors of their messages stay, with an anonymous record of their
   * sources, so that deleting a source still deletes its mirrors. Daily totals stay without the
   * person.
   */
  forget(member: Pick<Member, 'platform' | 'id'>): Promise<void>;
}

type Person = Pick<Member, 'platform' | 'id'>;

/** Most people whose opt-out is cached: each message in a watched channel looks its author up. */
const CACHED_PEOPLE = 20_000;
/** Most opt-outs that are not stored yet. */
const MOST_UNWRITTEN = 1_000;

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

const parsed = (json: string | null): unknown => {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return json;
  }
};

const keyOf = ({ platform, id }: Person): string => `${platform} ${id}`;

/**
 * Creates the store of personal data.
 *
 * @param now returns ms since 1970
 */
export const createPrivacy = (store: Store, now: () => number = Date.now): Privacy => {
  const settingOf = ({ platform, id }: Person) =>
    store
      .selectFrom('member_setting')
      .select(['language', 'voice_id', 'opted_out'])
      .where('platform', '=', platform)
      .where('member_id', '=', id)
      .executeTakeFirst();

  const usageOf = ({ platform, id }: Person) =>
    store
      .selectFrom('usage_day')
      .select(['space_id', 'day', 'characters', 'audio_ms', 'messages'])
      .where('platform', '=', platform)
      .where('member_id', '=', id)
      .orderBy('day')
      .execute();

  const messagesOf = ({ platform, id }: Person) =>
    store
      .selectFrom('inbox')
      .select(['space_id', 'channel_id', 'message_id', 'purpose', 'state', 'reason', 'message'])
      .select(['attempts', 'changed_ms'])
      .where('platform', '=', platform)
      .where('author_id', '=', id)
      .orderBy('position')
      .execute();

  const mirrorsOf = ({ platform, id }: Person) =>
    store
      .selectFrom('mirror')
      .innerJoin('inbox', (join) =>
        join
          .onRef('inbox.platform', '=', 'mirror.source_platform')
          .onRef('inbox.channel_id', '=', 'mirror.source_channel_id')
          .onRef('inbox.message_id', '=', 'mirror.source_id'),
      )
      .select(['source_channel_id', 'source_id', 'target_channel_id', 'ids', 'posted_ms'])
      .distinct()
      .where('mirror.source_platform', '=', platform)
      .where('inbox.author_id', '=', id)
      .execute();

  const consentsOf = ({ platform, id }: Person) =>
    store
      .selectFrom('room_consent')
      .select(['space_id', 'is_heard'])
      .where('platform', '=', platform)
      .where('member_id', '=', id)
      .execute();

  const choice = createCache(async (person: Person) => (await settingOf(person))?.opted_out === 1, {
    keyOf,
    most: CACHED_PEOPLE,
  });
  store.signals.subscribe('opt-out', choice.forget);
  /** People whose opt-out is being stored or failed to be stored; it already applies. */
  const unwritten = createLru<string, symbol>(MOST_UNWRITTEN);

  return {
    optedOut: async (person) => unwritten.get(keyOf(person)) !== undefined || choice.of(person),

    async setOptedOut({ platform, id }, optedOut) {
      const opted_out = optedOut ? 1 : 0;
      const key = keyOf({ platform, id });
      const own = Symbol(key);
      if (optedOut) unwritten.set(key, own);
      else unwritten.delete(key);
      await store.write(async (db) => {
        await db
          .insertInto('member_setting')
          .values({ platform, member_id: id, language: null, voice_id: null, opted_out })
          .onConflict((conflict) =>
            conflict.columns(['platform', 'member_id']).doUpdateSet({ opted_out }),
          )
          .execute();
        await store.signals.publish(db, 'opt-out', { platform, id, optedOut });
      });
      // A newer choice is not stored yet.
      if (unwritten.get(key) === own) unwritten.delete(key);
    },

    async export(member) {
      const setting = await settingOf(member);
      const usage = await usageOf(member);
      const messages = await messagesOf(member);
      const mirrors = await mirrorsOf(member);
      const consents = await consentsOf(member);
      const kept = {
        platform: member.platform,
        member: member.id,
        settings: {
          language: setting?.language ?? null,
          voice: setting?.voice_id ?? null,
          optedOut: setting?.opted_out === 1,
        },
        heardInVoice: consents.map(({ space_id, is_heard }) => ({
          space: space_id,
          agreed: is_heard === 1,
        })),
        usage: usage.map(({ space_id, day, characters, audio_ms, messages: count }) => ({
          space: space_id,
          day,
          characters,
          audioMs: audio_ms,
          messages: count,
        })),
        messages: messages.map((row) => ({
          space: row.space_id,
          channel: row.channel_id,
          id: row.message_id,
          for: row.purpose,
          state: row.state,
          reason: row.reason,
          attempts: row.attempts,
          changed: isoTime(row.changed_ms),
          message: parsed(row.message),
        })),
        copies: mirrors.map((row) => ({
          of: row.source_id,
          from: row.source_channel_id,
          to: row.target_channel_id,
          messages: parsed(row.ids),
          posted: isoTime(row.posted_ms),
        })),
      };
      return Buffer.from(`${JSON.stringify(kept, undefined, 2)}\n`);
    },

    async forget(member) {
      const { platform, id } = member;
      await store.write(async (db) => {
        await db
          .deleteFrom('member_setting')
          .where('platform', '=', platform)
          .where('member_id', '=', id)
          .where('opted_out', '=', 0)
          .execute();
        await db
          .updateTable('member_setting')
          .set({ language: null, voice_id: null })
          .where('platform', '=', platform)
          .where('member_id', '=', id)
          .execute();
        // A refusal stays stored, as an opt-out does.
        await db
          .deleteFrom('room_consent')
          .where('platform', '=', platform)
          .where('member_id', '=', id)
          .where('is_heard', '=', 1)
          .execute();
        const days = await db
          .deleteFrom('usage_day')
          .where('platform', '=', platform)
          .where('member_id', '=', id)
          .returningAll()
          .execute();
        for (const { space_id, day, characters, audio_ms, messages } of days)
          await recordUsage(
            db,
            { platform, id: space_id },
            '',
            { characters, audioMs: audio_ms, messages },
            Date.parse(day),
          );
        await forgetAuthor(db, member, now());
        await store.signals.publish(db, 'forgotten', { platform, id });
      });
    },
  };
};
