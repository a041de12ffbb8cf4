import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sentence, MessageKey } from '../../../../src/errors.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { backlogOf, retryAll } from '../../../../src/store/inbox/backlog.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { createMemberSettings } from '../../../../src/store/settings.ts';
import { openStore } from '../../../../src/store/index.ts';
import { EARLIER, HERE, messageOf, PARTITION, refOf, SPACE, THERE, withInbox } from './support.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';

const ELSEWHERE = { space: { ...SPACE, id: 'other' }, id: 'far' };

describe('what waits in a space', () => {
  const inbox = withInbox();
  const backlog = () => backlogOf(inbox.store, SPACE, Number, inbox.clock.ms);
  /** Lets messages come that cannot be done. */
  const bury = async (
    numbers: readonly number[],
    channel = HERE,
    sentence: Sentence = { key: 'reasons.bad-reply' },
  ): Promise<void> => {
    for (const id of numbers) {
      await inbox.accept(messageOf(id, 'hello', channel));
      const [row] = await inbox.claim();
      await inbox.store.write((db) =>
        inbox.ours.settle(db, row!, { state: 'dead', reason: 'bad-reply', sentence }),
      );
    }
  };

  it('is counted whether somebody works on it or not, from the oldest on', async () => {
    expect(await backlog()).toMatchObject({ waiting: 0, oldestMs: undefined });
    for (const id of [2, 3]) await inbox.accept(messageOf(id));
    await inbox.accept(messageOf(1, 'hello', ELSEWHERE), { partition: 'other' });
    await inbox.ours.claim(PARTITION, 1, EARLIER);
    expect(await backlog()).toMatchObject({ waiting: 2, oldestMs: 2, dead: 0 });
  });

  it('has the reason of the oldest message that is to be tried again', async () => {
    for (const id of [1, 2, 3]) await inbox.accept(messageOf(id));
    expect((await backlog()).waitsFor).toBeUndefined();
    const { rows } = await inbox.ours.claim(PARTITION, 3, EARLIER);
    const sentence = { key: 'reasons.unavailable' } as const;
    await inbox.ours.release(rows, { tried: 1, dueMs: inbox.clock.ms + 60_000, sentence });
    expect((await backlog()).waitsFor).toMatchObject(sentence);
    await inbox.accept(messageOf(1, 'changed'));
    expect((await backlog()).waitsFor).toBeUndefined();
  });

  it('is told apart from what could not be done, of which the newest are named', async () => {
    await bury(Array.from({ length: 12 }, (_, index) => index + 1));
    await bury([99], ELSEWHERE);
    const { waiting, dead, newestDead } = await backlog();
    expect({ waiting, dead }).toEqual({ waiting: 0, dead: 12 });
    expect(newestDead.map(({ ref }) => ref.id)).toEqual([
      '12',
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
    ]);
    expect(newestDead[0]).toMatchObject({ ref: refOf(12), reason: { key: 'reasons.bad-reply' } });
  });

  it.each<[what: string, sentence: Sentence]>([
    [
      'languages',
      {
        key: 'service.no-translation',
        params: { from: { language: 'fi' }, to: { language: 'ko' } },
      },
    ],
    ['numbers', { key: 'limits.audio', params: { used: 1, limit: 2, hours: 3 } }],
    ['nothing', { key: 'service.no-credit' }],
  ])('names the reason of what could not be done, with %s in it', async (_, sentence) => {
    await bury([1], HERE, sentence);
    expect((await backlog()).newestDead).toEqual([
      { ref: refOf(1), code: 'bad-reply', reason: { params: {}, ...sentence } },
    ]);
  });

  it('leaves out words that go with the reason, and that it does not say', async () => {
    await bury([1], HERE, { key: 'service.no-access', params: { detail: 'secret' } });
    const reason = { key: 'service.no-access', params: {} };
    expect((await backlog()).newestDead).toEqual([{ ref: refOf(1), code: 'bad-reply', reason }]);
  });

  it.each<[what: string, sentence: Sentence]>([
    ['words that may be anybody’s', { key: 'limits.of-another', params: { name: 'secret' } }],
    [
      'a text that may be anybody’s',
      { key: 'limits.of-another', params: { name: plainWords('secret') } },
    ],
    ['a sentence that is no more', { key: 'service.gone' as MessageKey }],
  ])('names the kind of failure in place of %s', async (_, sentence) => {
    await bury([1], HERE, sentence);
    expect((await backlog()).newestDead).toEqual([
      { ref: refOf(1), code: 'bad-reply', reason: { key: 'reasons.bad-reply' } },
    ]);
    const rows = await inbox.store.selectFrom('inbox').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('is told apart from what the daily limit of the last day left untranslated', async () => {
    const skip = async (id: number, reason: string): Promise<void> => {
      await inbox.accept(messageOf(id));
      const [row] = await inbox.claim();
      await inbox.store.write((db) => inbox.ours.settle(db, row!, { state: 'skipped', reason }));
    };
    await skip(1, 'daily-limit');
    inbox.clock.ms += 86_400_000;
    await skip(2, 'daily-limit');
    await skip(3, 'same-language');
    expect(await backlog()).toMatchObject({ waiting: 0, dead: 0, overLimit: 2 });
    inbox.clock.ms += 1;
    expect((await backlog()).overLimit).toBe(1);
  });

  it('is also what is to be tried once more, as if it had come just now', async () => {
    await bury([1]);
    await bury([2], ELSEWHERE);
    expect(await retryAll(inbox.store, SPACE)).toEqual([PARTITION]);
    expect(await inbox.claim()).toMatchObject([{ message: 'unread', attempts: 1 }]);
  });
});

describe('what is old', () => {
  const inbox = withInbox();
  const clear = (rowsMs: number, mirrorsMs: number) =>
    clearOld(inbox.store, { ...NO_HORIZONS, rowsMs, mirrorsMs });
  const copyOf = (id: number) => inbox.mirrors.of({ ref: refOf(id), purpose: WATCH });
  const put = (id: number): Promise<void> => {
    const key = { ref: refOf(id), purpose: WATCH };
    const posted = { channel: THERE, ids: [`copy of ${id}`] as const };
    return inbox.store.write((db) =>
      inbox.mirrors.put(db, key, { target: { channel: THERE }, posted, contentHash: 'x' }, true),
    );
  };

  it('is cleared, all of it, but nothing that is open or newer', async () => {
    for (let id = 1; id <= 60; id += 1) await inbox.accept(messageOf(id), { skip: 'command' });
    await inbox.accept(messageOf(61));
    inbox.clock.ms += 1;
    await inbox.accept(messageOf(62), { skip: 'command' });
    await clear(inbox.clock.ms, 0);
    const rows = await inbox.store.selectFrom('inbox').select('message_id').execute();
    expect(rows.map(({ message_id: id }) => id).toSorted()).toEqual(['61', '62']);
  });

  it('is forgotten of copies too, with all their parts', async () => {
    for (let id = 1; id <= 60; id += 1) await put(id);
    inbox.clock.ms += 1;
    await put(61);
    await clear(0, inbox.clock.ms);
    expect(await copyOf(60)).toEqual([]);
    expect(await inbox.mirrors.sourceOf({ channel: THERE, id: 'copy of 60' })).toBeUndefined();
    expect(await copyOf(61)).toHaveLength(1);
    expect(await inbox.mirrors.sourceOf({ channel: THERE, id: 'copy of 61' })).toBeDefined();
  });

  it('stays in no journal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-journal-'));
    const file = join(folder, 'x.db');
    const store = await openStore(`sqlite:${file}`);
    await createMemberSettings(store).change({ platform: 'test', id: 'ada' }, { language: 'ja' });
    await clearOld(store, NO_HORIZONS);
    await store.checkpoint();
    expect(statSync(`${file}-wal`).size).toBe(0);
    await store.destroy();
    rmSync(folder, { recursive: true });
  });
});
