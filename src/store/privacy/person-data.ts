import type { Store } from '../index.ts';
import type { Person } from '../../model/place.ts';
import { createOptOuts, personColumns } from '../settings.ts';
import { forgetDeliveries } from '../deliveries.ts';
import { forgetAuthor } from '../inbox/index.ts';
import { keepTotals } from '../usage.ts';
import type { PersonalData } from '../../ports/platform.ts';

export type Privacy = ReturnType<typeof createPrivacy>;

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

const parsed = (json: string | null): unknown => {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return json;
  }
};

/**
 * Creates the store of the data about people.
 *
 * @param now returns ms since 1970
 * @param personalData finds what a platform, by its name, keeps itself
 */
export const createPrivacy = (
  store: Store,
  now: () => number = Date.now,
  personalData: (platform: string) => PersonalData | undefined = () => undefined,
) => {
  const settingOf = (person: Person) =>
    store
      .selectFrom('member_setting')
      .select(['language', 'voice_id', 'opted_out'])
      .where((eb) => eb.and(personColumns(person)))
      .executeTakeFirst();

  const usageOf = (person: Person) =>
    store
      .selectFrom('usage_day')
      .select(['space_id', 'day', 'characters', 'audio_ms', 'chat_tokens', 'messages'])
      .where((eb) => eb.and(personColumns(person)))
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

  const consentsOf = (person: Person) =>
    store
      .selectFrom('room_consent')
      .select(['space_id', 'is_heard'])
      .where((eb) => eb.and(personColumns(person)))
      .execute();

  const roomsOf = async (person: Person) => {
    const informed = await store
      .selectFrom('open_room_informed')
      .select('space_id')
      .where((eb) => eb.and(personColumns(person)))
      .execute();
    const started = await store
      .selectFrom('open_room')
      .select(['space_id', 'channel_id'])
      .where('platform', '=', person.platform)
      .where('started_by', '=', person.id)
      .execute();
    return {
      notifiedIn: informed.map(({ space_id }) => space_id),
      startedCaptionsIn: started.map(({ channel_id }) => channel_id),
    };
  };

  const keysSetBy = async (person: Person) => {
    const rows = await store
      .selectFrom('space_key')
      .select('space_id')
      .where('platform', '=', person.platform)
      .where('set_by', '=', person.id)
      .execute();
    return rows.map(({ space_id }) => space_id);
  };

  return {
    ...createOptOuts(store),

    /** Returns true when a platform keeps messages, files and names itself. */
    isKeptBy: (platform: string): boolean => personalData(platform) !== undefined,

    /** Exports all data about one person as JSON. */
    async export(member: Person): Promise<Uint8Array> {
      const setting = await settingOf(member);
      const usage = await usageOf(member);
      const messages = await messagesOf(member);
      const mirrors = await mirrorsOf(member);
      const consents = await consentsOf(member);
      const rooms = await roomsOf(member);
      const setKeysIn = await keysSetBy(member);
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
        openVoiceChannels: rooms,
        setApiKeysIn: setKeysIn,
        usage: usage.map((row) => ({
          space: row.space_id,
          day: row.day,
          characters: row.characters,
          audioMs: row.audio_ms,
          chatTokens: row.chat_tokens,
          messages: row.messages,
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
        ...(await personalData(member.platform)?.export(member.id)),
      };
      return Buffer.from(`${JSON.stringify(kept, undefined, 2)}\n`);
    },

    /**
     * Deletes all of it except an opt-out or a refusal to be listened to, and cancels their
     * waiting translations. Mirrors of their messages stay, with an anonymous record of their
     * sources, so that deleting a source still deletes its mirrors. Daily totals stay without the
     * person.
     */
    async forget(member: Person): Promise<void> {
      const { platform, id } = member;
      const own = personColumns(member);
      await store.write(async (db) => {
        await db
          .deleteFrom('member_setting')
          .where((eb) => eb.and(own))
          .where('opted_out', '=', 0)
          .execute();
        await db
          .updateTable('member_setting')
          .set({ language: null, voice_id: null })
          .where((eb) => eb.and(own))
          .execute();
        // A refusal stays stored, as an opt-out does.
        await db
          .deleteFrom('room_consent')
          .where((eb) => eb.and(own))
          .where('is_heard', '=', 1)
          .execute();
        await db
          .deleteFrom('open_room_informed')
          .where((eb) => eb.and(own))
          .execute();
        await db
          .updateTable('open_room')
          .set({ started_by: null })
          .where('platform', '=', platform)
          .where('started_by', '=', id)
          .execute();
        await db
          .updateTable('space_key')
          .set({ set_by: null, set_by_name: null })
          .where('platform', '=', platform)
          .where('set_by', '=', id)
          .execute();
        const days = await db
          .deleteFrom('usage_day')
          .where((eb) => eb.and(own))
          .returningAll()
          .execute();
        await keepTotals(db, days);
        await forgetDeliveries(db, member);
        await forgetAuthor(db, member, now());
        await store.signals.publish(db, 'forgotten', { platform, id });
      });
    },
  };
};
