import { sql, type Selectable } from 'kysely';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import type { Person } from '../../model/place.ts';
import { changeRows, deleteRows, holdsId, personColumns, readRow, readRows } from '../rows.ts';
import { forgetAbout, removeFromChanges } from '../audit.ts';
import { blockKey } from '../blocks.ts';
import { createOptOuts } from '../settings.ts';
import { forgetDeliveries } from '../deliveries.ts';
import { forgetAuthor } from '../inbox/index.ts';
import { isBy } from '../inbox/row.ts';
import { addToTotals } from '../usage.ts';
import type { PersonalData } from '../../ports/platform.ts';

export type Privacy = ReturnType<typeof createPrivacy>;

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();

type Change = Pick<Selectable<Schema['audit_entry']>, 'space_id' | 'what' | 'at_ms'>;

const toldChange = ({ space_id: space, what, at_ms }: Change) => ({
  space,
  what,
  time: isoTime(at_ms),
});

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
  /** Reads what the database holds of a person, as it is exported. */
  const readAll = async (person: Person) => {
    const { platform, id } = person;
    const own = personColumns(person);
    const setting = await readRow(store, 'member_setting', own, [
      'language',
      'voice_id',
      'opted_out',
      'answer_mentions',
    ]);
    const consents = await readRows(store, 'room_consent', own, ['space_id', 'is_heard']);
    const informed = await readRows(store, 'open_room_informed', own, ['space_id']);
    const started = await readRows(store, 'open_room', { platform, started_by: id }, [
      'channel_id',
    ]);
    const awaited = await readRows(store, 'open_answer', own, ['space_id']);
    const imports = await readRows(store, 'pending_import', { platform, author_id: id }, [
      'space_id',
      'file',
    ]);
    const proposing = { platform, author_id: id };
    const proposals = await readRows(store, 'glossary_proposal', proposing, [
      'space_id',
      'channel_id',
      'proposed_term',
      'proposed_translation',
    ]);
    const keys = await readRows(store, 'space_key', { platform, set_by: id }, ['space_id']);
    const codes = await readRows(store, 'link_invite', { platform, made_by: id }, ['space_id']);
    const asking = { from_platform: platform, asked_by: id };
    const links = await readRows(store, 'link_request', asking, ['from_space_id']);
    const blocks = await readRows(store, 'blocked_author', { author_hash: blockKey(person) }, [
      'space_id',
      'author_name',
      'since_ms',
    ]);
    const changes = await readRows(store, 'audit_entry', { platform, changed_by: id }, [
      'space_id',
      'what',
      'at_ms',
    ]);
    const isNaming = (column: string) => sql`platform = ${platform} AND ${holdsId(column, id)}`;
    const naming = await sql<{ readonly space: string; readonly channel: string | null }>`
      SELECT space_id AS space, channel_id AS channel FROM channel_watch WHERE ${isNaming('choices')}
      UNION ALL SELECT space_id, NULL FROM space_setting WHERE ${isNaming('choices')}
      UNION ALL SELECT space_id, NULL FROM watch_undo WHERE ${isNaming('watches')}`.execute(store);
    const about = await sql<Change>`
      SELECT space_id, what, at_ms FROM audit_entry
      WHERE about_hash = ${blockKey(person)} OR ${isNaming('before')} OR ${isNaming('after')}`.execute(
      store,
    );
    const usage = await store
      .selectFrom('usage_day')
      .select(['space_id as space', 'day', 'characters', 'audio_ms as audioMs'])
      .select(['chat_tokens as chatTokens', 'messages'])
      .where((eb) => eb.and(own))
      .orderBy('day')
      .execute();
    const messages = await store
      .selectFrom('inbox')
      .select(['space_id as space', 'channel_id as channel', 'message_id as id', 'purpose as for'])
      .select(['state', 'reason', 'attempts', 'changed_ms', 'message'])
      .where(isBy(person))
      .orderBy('position')
      .execute();
    const mirrors = await store
      .selectFrom('mirror')
      .innerJoin('inbox', (join) =>
        join
          .onRef('inbox.platform', '=', 'mirror.source_platform')
          .onRef('inbox.channel_id', '=', 'mirror.source_channel_id')
          .onRef('inbox.message_id', '=', 'mirror.source_id'),
      )
      .select(['source_id as of', 'source_channel_id as from', 'target_channel_id as to'])
      .select(['ids', 'posted_ms'])
      .distinct()
      .where('mirror.source_platform', '=', platform)
      .where('inbox.author_id', '=', id)
      .execute();
    return {
      settings: {
        language: setting?.language ?? null,
        voice: setting?.voice_id ?? null,
        optedOut: setting?.opted_out === 1,
        answersMention: setting?.answer_mentions !== 0,
      },
      heardInVoice: consents.map(({ space_id: space, is_heard }) => ({
        space,
        agreed: is_heard === 1,
      })),
      openVoiceChannels: {
        notifiedIn: informed.map(({ space_id }) => space_id),
        startedCaptionsIn: started.map(({ channel_id }) => channel_id),
      },
      awaitedAnswersIn: awaited.map(({ space_id }) => space_id),
      undecidedImports: imports.map(({ space_id: space, file }) => ({ space, file })),
      proposedTerms: proposals.map((row) => ({
        space: row.space_id,
        channel: row.channel_id,
        term: row.proposed_term,
        translation: row.proposed_translation,
      })),
      setApiKeysIn: keys.map(({ space_id }) => space_id),
      madeLinkCodesIn: codes.map(({ space_id }) => space_id),
      askedForLinksIn: links.map(({ from_space_id }) => from_space_id),
      copiesStoppedIn: blocks.map((row) => ({
        space: row.space_id,
        name: row.author_name,
        since: isoTime(row.since_ms),
      })),
      namedInRules: naming.rows,
      changedSettings: changes.map(toldChange),
      namedInChanges: about.rows.map(toldChange),
      usage,
      messages: messages.map(({ changed_ms, message, ...row }) => ({
        ...row,
        changed: isoTime(changed_ms),
        message: parsed(message),
      })),
      copies: mirrors.map(({ ids, posted_ms, ...row }) => ({
        ...row,
        messages: parsed(ids),
        posted: isoTime(posted_ms),
      })),
    };
  };

  return {
    ...createOptOuts(store),

    /** Returns true when a platform keeps messages, files and names itself. */
    isKeptBy: (platform: string): boolean => personalData(platform) !== undefined,

    /** Exports all data about one person as JSON. */
    async export(member: Person): Promise<Uint8Array> {
      const stored = {
        platform: member.platform,
        member: member.id,
        ...(await readAll(member)),
        ...(await personalData(member.platform)?.export(member.id)),
      };
      return Buffer.from(`${JSON.stringify(stored, undefined, 2)}\n`);
    },

    /**
     * Deletes all of it except an opt-out, a refusal to be listened to, and what moderators decided about them, and cancels
     * their waiting translations. Mirrors of their messages stay, with an anonymous record of their
     * sources, so that deleting a source still deletes its mirrors. Daily totals stay without the
     * person.
     */
    async forget(member: Person): Promise<void> {
      const { platform, id } = member;
      const own = personColumns(member);
      await store.write(async (db) => {
        await deleteRows(db, 'member_setting', { ...own, opted_out: 0 });
        await changeRows(db, 'member_setting', own, {
          language: null,
          voice_id: null,
          answer_mentions: 1,
        });
        // A refusal stays stored, as an opt-out does.
        await deleteRows(db, 'room_consent', { ...own, is_heard: 1 });
        await deleteRows(db, 'open_room_informed', own);
        await deleteRows(db, 'open_answer', own);
        await deleteRows(db, 'pending_import', { platform, author_id: id });
        await deleteRows(db, 'glossary_proposal', { platform, author_id: id });
        await changeRows(db, 'open_room', { platform, started_by: id }, { started_by: null });
        const setKeys = { platform, set_by: id };
        await changeRows(db, 'space_key', setKeys, { set_by: null, set_by_name: null });
        const blocked = { author_hash: blockKey(member) };
        await changeRows(db, 'blocked_author', blocked, { author_name: null });
        await forgetAbout(db, blocked.author_hash);
        const changed = { platform, changed_by: id };
        await changeRows(db, 'audit_entry', changed, { changed_by: null, changed_by_name: null });
        await removeFromChanges(db, id, platform);
        const madeCodes = { platform, made_by: id };
        await changeRows(db, 'link_invite', madeCodes, { made_by: null, made_by_name: null });
        const asked = { from_platform: platform, asked_by: id };
        await changeRows(db, 'link_request', asked, { asked_by: null, asked_by_name: null });
        const days = await db
          .deleteFrom('usage_day')
          .where((eb) => eb.and(own))
          .returningAll()
          .execute();
        await addToTotals(db, days);
        await forgetDeliveries(db, member);
        await forgetAuthor(db, member, now());
        await store.signals.publish(db, 'forgotten', { platform, id });
      });
    },
  };
};
