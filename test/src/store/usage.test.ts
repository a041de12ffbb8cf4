import { beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { createUsage, foldUsage, recordUsage } from '../../../src/store/usage.ts';
import { fresh } from '../../fakes/opened.ts';

const SPACE = { platform: 'test', id: 's' };
const OTHER = { platform: 'test', id: 'other' };
const used = (characters: number, audioMs = 0, chatTokens = 0) => ({
  characters,
  audioMs,
  chatTokens,
  messages: 1,
});

let nowMs: number;
const store = fresh(() => openStore('sqlite::memory:'));
beforeEach(async () => {
  nowMs = Date.UTC(2026, 2, 1, 23, 59);
});

const newUsage = () => createUsage(store, () => nowMs);

describe('the use of a space', () => {
  it('adds up by day, with how many people there were', async () => {
    const usage = newUsage();
    await usage.record(SPACE, 'ada', used(10, 1_000));
    await usage.record(SPACE, 'ada', used(5, 500.4));
    await usage.record(SPACE, 'bob', used(1, 0, 70));
    await usage.record(OTHER, 'bob', used(100));
    expect(await usage.today(SPACE)).toMatchObject({
      characters: 16,
      audioMs: 1_500,
      chatTokens: 70,
      messages: 3,
    });
    expect(await usage.days(SPACE, 1)).toEqual([
      {
        day: '2026-03-01',
        characters: 16,
        audioMs: 1_500,
        chatTokens: 70,
        messages: 3,
        people: 2,
      },
    ]);
  });

  it('begins anew at midnight, and keeps the days without use', async () => {
    const usage = newUsage();
    await usage.record(SPACE, 'ada', used(10));
    nowMs += 2 * 86_400_000;
    await usage.record(SPACE, 'ada', used(7));
    expect(await usage.today(SPACE)).toMatchObject({ characters: 7 });
    const days = await usage.days(SPACE, 4);
    expect(days.map(({ day, characters }) => [day, characters])).toEqual([
      ['2026-02-28', 0],
      ['2026-03-01', 10],
      ['2026-03-02', 0],
      ['2026-03-03', 7],
    ]);
  });

  it('is nothing where nothing was used', async () => {
    const usage = newUsage();
    expect(await usage.today(SPACE)).toMatchObject({ characters: 0, audioMs: 0, messages: 0 });
    expect(await usage.days(SPACE, 2)).toHaveLength(2);
  });

  it('of days long past is what all used together', async () => {
    for (const id of ['ada', 'bob']) await newUsage().record(SPACE, id, used(10, 500, 7));
    nowMs = Date.UTC(2026, 2, 3);
    await newUsage().record(SPACE, 'ada', used(1));
    const fold = (most: number) => store.write((db) => foldUsage(db, Date.UTC(2026, 2, 2), most));
    expect([await fold(1), await fold(25), await fold(25)]).toEqual([1, 1, 0]);
    const rows = await store.selectFrom('usage_day').selectAll().orderBy('day').execute();
    expect(rows).toMatchObject([
      {
        day: '2026-03-01',
        member_id: '',
        characters: 20,
        audio_ms: 1_000,
        chat_tokens: 14,
        messages: 2,
      },
      { day: '2026-03-03', member_id: 'ada', characters: 1 },
    ]);
  });

  it('is undone with the transaction that recorded it', async () => {
    const undone = store.transaction().execute(async (db) => {
      await recordUsage(db, SPACE, 'ada', used(10), nowMs);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await newUsage().today(SPACE)).toMatchObject({ characters: 0 });
  });
});

describe('the use of a person', () => {
  it('is that of today, in one space', async () => {
    const usage = newUsage();
    await usage.record(SPACE, 'ada', used(10, 1_000, 5));
    await usage.record(SPACE, 'bob', used(1));
    await usage.record(OTHER, 'ada', used(100));
    expect(await usage.todayOf(SPACE, 'ada')).toEqual(used(10, 1_000, 5));
    nowMs += 86_400_000;
    expect(await usage.todayOf(SPACE, 'ada')).toEqual({ ...used(0), messages: 0 });
  });

  it('is listed by its share of all, whatever was used', async () => {
    const usage = newUsage();
    await usage.record(SPACE, 'writer', used(900));
    await usage.record(SPACE, 'asker', used(100, 0, 50));
    await usage.record(SPACE, 'speaker', used(0, 40_000));
    await usage.record(SPACE, '', used(5_000));
    await usage.record(OTHER, 'stranger', used(9_999));
    nowMs += 86_400_000;
    await usage.record(SPACE, 'asker', used(0, 0, 50));
    expect(await usage.top(SPACE, 7, 2)).toEqual([
      { memberId: 'asker', ...used(100, 0, 100), messages: 2 },
      { memberId: 'speaker', ...used(0, 40_000) },
    ]);
    expect(await usage.top(SPACE, 1, 9)).toMatchObject([{ memberId: 'asker', chatTokens: 50 }]);
    expect(await usage.top({ platform: 'test', id: 'new' }, 7, 9)).toEqual([]);
  });
});
