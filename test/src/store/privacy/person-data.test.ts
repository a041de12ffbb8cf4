import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { createMemberSettings } from '../../../../src/store/settings.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import type { InboxState } from '../../../../src/store/schema-messages.ts';
import { createUsage } from '../../../../src/store/usage.ts';
import { fresh } from '../../../fakes/opened.ts';

const ADA = { platform: 'test', id: 'ada' };
const BOB = { platform: 'test', id: 'bob' };
const SPACE = { platform: 'test', id: 's' };
const now = (): number => Date.UTC(2026, 0, 2);

const store = fresh(() => openStore('sqlite::memory:'));

const newUsage = () => createUsage(store, now);

const addMessage = async (id: string, authorId: string, state: InboxState): Promise<void> => {
  const settled = ['posted', 'skipped', 'dead'].includes(state);
  await store
    .insertInto('inbox')
    .values({
      platform: 'test',
      channel_id: 'c',
      message_id: id,
      purpose: 'watch',
      space_id: 's',
      parent_id: null,
      author_id: authorId,
      partition_key: 'c',
      slot: 1,
      written_ms: 1,
      position: id,
      message: settled ? null : JSON.stringify({ text: `words of ${id}` }),
      content_hash: 'h',
      revision: 1,
      state,
      reason: null,
      attempts: 1,
      begun: 1,
      due_ms: 0,
      epoch: 0,
      changed_ms: 1,
    })
    .execute();
};

const addMirror = async (sourceId: string): Promise<void> => {
  await store
    .insertInto('mirror')
    .values({
      source_platform: 'test',
      source_space_id: 's',
      source_channel_id: 'c',
      source_id: sourceId,
      purpose: 'watch',
      target_platform: 'test',
      target_channel_id: 'd',
      target_thread_id: '',
      target_space_id: 's',
      target_parent_id: null,
      ids: JSON.stringify([`copy of ${sourceId}`]),
      handle: null,
      content_hash: 'h',
      posted_ms: 1,
    })
    .execute();
};

const exported = async (member: typeof ADA): Promise<Record<string, unknown>> =>
  JSON.parse(Buffer.from(await createPrivacy(store).export(member)).toString()) as Record<
    string,
    unknown
  >;

const fill = async (): Promise<void> => {
  await createMemberSettings(store).change(ADA, { language: 'ja', voiceId: 'v' });
  const usage = newUsage();
  await usage.record(SPACE, 'ada', {
    characters: 10,
    audioMs: 20,
    chatTokens: 30,
    messages: 1,
  });
  await usage.record(SPACE, 'bob', { characters: 5, audioMs: 0, messages: 1 });
  await addMessage('1', 'ada', 'posted');
  await addMessage('2', 'ada', 'waiting');
  await addMessage('3', 'ada', 'waiting');
  await addMessage('4', 'ada', 'dead');
  await addMessage('5', 'bob', 'waiting');
  await addMirror('1');
  await addMirror('5');
};

describe('opting out', () => {
  it('is kept, beside what somebody chose', async () => {
    const privacy = createPrivacy(store);
    const settings = createMemberSettings(store);
    expect(await privacy.optedOut(ADA)).toBe(false);
    await settings.change(ADA, { language: 'ja' });
    await privacy.setOptedOut(ADA, true);
    await settings.change(ADA, { voiceId: 'v' });
    expect(await privacy.optedOut(ADA)).toBe(true);
    expect(await privacy.optedOut(BOB)).toBe(false);
    expect(await settings.of(ADA)).toEqual({ language: 'ja', voiceId: 'v' });
    await privacy.setOptedOut(ADA, false);
    expect(await privacy.optedOut(ADA)).toBe(false);
  });

  it('holds before it is written down, and where it cannot be, until somebody takes part again', async () => {
    const held = Promise.withResolvers<void>();
    const write = store.write.bind(store);
    Object.assign(store, { write: async () => held.promise });
    const privacy = createPrivacy(store);
    const leaving = privacy.setOptedOut(ADA, true);
    expect(await privacy.optedOut(ADA)).toBe(true);
    expect(await privacy.optedOut(BOB)).toBe(false);
    held.reject(new Error('the disk is full'));
    await expect(leaving).rejects.toThrow('the disk is full');
    expect(await privacy.optedOut(ADA)).toBe(true);
    Object.assign(store, { write });
    await privacy.setOptedOut(ADA, false);
    expect(await privacy.optedOut(ADA)).toBe(false);
  });
});

describe('what is exported', () => {
  it('is everything of one person, and nothing of others', async () => {
    await fill();
    const kept = await exported(ADA);
    expect(kept).toMatchObject({
      settings: { language: 'ja', voice: 'v', optedOut: false },
      usage: [
        {
          space: 's',
          day: '2026-01-02',
          characters: 10,
          audioMs: 20,
          chatTokens: 30,
          messages: 1,
        },
      ],
      copies: [{ of: '1', to: 'd', messages: ['copy of 1'] }],
    });
    expect(kept['messages']).toMatchObject([
      { id: '1', state: 'posted', message: null },
      { id: '2', state: 'waiting', message: { text: 'words of 2' } },
      { id: '3', state: 'waiting', message: { text: 'words of 3' } },
      { id: '4', state: 'dead', message: null },
    ]);
    expect(JSON.stringify(kept)).not.toMatch(/bob|words of 5|copy of 5/);
  });

  it('is empty for somebody nobody has seen', async () => {
    expect(await exported(BOB)).toMatchObject({ usage: [], messages: [], copies: [] });
  });
});

describe('forgetting', () => {
  it('leaves nothing that leads to the person', async () => {
    await fill();
    await createPrivacy(store, now).forget(ADA);
    expect(await exported(ADA)).toMatchObject({
      settings: { language: null, voice: null, optedOut: false },
      usage: [],
      messages: [],
      copies: [],
    });
    for (const table of [
      'member_setting',
      'usage_day',
      'inbox',
      'mirror',
      'mirror_message',
    ] as const) {
      const rows = await store.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows), table).not.toMatch(/ada|words of [1-4]/);
    }
  });

  it('leaves what still waits or is worked on to be ended, and others’ alone', async () => {
    await fill();
    await createPrivacy(store, now).forget(ADA);
    const rows = await store
      .selectFrom('inbox')
      .select(['message_id', 'state', 'reason', 'epoch'])
      .orderBy('message_id')
      .execute();
    expect(rows).toEqual([
      { message_id: '2', state: 'waiting', reason: 'forgotten', epoch: 0 },
      { message_id: '3', state: 'waiting', reason: 'forgotten', epoch: 0 },
      { message_id: '5', state: 'waiting', reason: null, epoch: 0 },
    ]);
  });

  it('keeps the sums of the days, and the copies that later deletes take along', async () => {
    await fill();
    const privacy = createPrivacy(store, now);
    await privacy.forget(ADA);
    await privacy.forget(BOB);
    const [day] = await newUsage().days(SPACE, 1);
    expect(day).toMatchObject({ characters: 15, audioMs: 20, messages: 2, people: 1 });
    expect(await store.selectFrom('mirror').select('source_id').execute()).toHaveLength(2);
  });

  it('keeps that somebody opted out', async () => {
    await fill();
    const privacy = createPrivacy(store, now);
    await privacy.setOptedOut(ADA, true);
    await privacy.forget(ADA);
    expect(await privacy.optedOut(ADA)).toBe(true);
    expect(await createMemberSettings(store).of(ADA)).toEqual({
      language: undefined,
      voiceId: undefined,
    });
  });
});
