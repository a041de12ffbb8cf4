import { describe, expect, it } from 'vitest';
import type { MessageRef, Posted } from '../../../../src/model/place.ts';
import type { StoredMirror } from '../../../../src/store/channels/mirror-rows.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore } from '../../../../src/store/index.ts';
import { fresh } from '../../../fakes/opened.ts';

const SPACE = { platform: 'test', id: 's' };
const SOURCE: MessageRef = { channel: { space: SPACE, id: 'from' }, id: '1' };
const THERE = { space: SPACE, id: 'to', parentId: 'above' };
const TARGET = { channel: THERE };
const KEY = { ref: SOURCE, purpose: 'watch' };
const FLAG = { ref: SOURCE, purpose: 'flag:ja' };

const store = fresh(() => openStore('sqlite::memory:'));
const mirrors = fresh(() => createMirrorStore(store, () => 1_000));

const postedAs = (first: string, ...rest: string[]): Posted => ({
  channel: THERE,
  ids: [first, ...rest],
  handle: 'a handle',
});
const put = (key: typeof KEY, kept: Omit<StoredMirror, 'target'>, isFirst = false): Promise<void> =>
  store.write((db) => mirrors.put(db, key, { target: TARGET, ...kept }, isFirst));
const sourceOf = (id: string) => mirrors.sourceOf({ channel: THERE, id });

describe('what stands of a message', () => {
  it('is kept as it was posted', async () => {
    const kept = { posted: postedAs('7', '8'), contentHash: 'one' };
    await put(KEY, kept, true);
    expect(await mirrors.of(KEY)).toEqual([{ target: TARGET, ...kept }]);
    expect(await sourceOf('8')).toEqual(KEY);
    expect(await sourceOf('9')).toBeUndefined();
  });

  it('is kept with the models that translated it', async () => {
    const kept = { posted: postedAs('7', '8'), contentHash: 'one', models: 'bergamot-en-es' };
    await put(KEY, kept, true);
    await put(FLAG, { posted: postedAs('9'), contentHash: 'one' }, true);
    const modelsOf = (id: string) => mirrors.modelsOf({ channel: THERE, id });
    expect(await mirrors.of(KEY)).toEqual([{ target: TARGET, ...kept }]);
    expect(await Promise.all(['7', '8', '9', '10'].map(modelsOf))).toEqual([
      ['bergamot-en-es'],
      ['bergamot-en-es'],
      [],
      [],
    ]);
    await put(KEY, { posted: postedAs('7'), contentHash: 'two' });
    expect(await modelsOf('7')).toEqual([]);
  });

  it('may be recorded by two processes, of which one had stood still', async () => {
    const kept = { posted: postedAs('7', '8'), contentHash: 'one' };
    await put(KEY, kept, true);
    await put(KEY, kept, true);
    expect(await mirrors.of(KEY)).toEqual([{ target: TARGET, ...kept }]);
  });

  it('is what it was changed to, and no part of what it was', async () => {
    await put(KEY, { posted: postedAs('7', '8'), contentHash: 'one' }, true);
    await put(KEY, { posted: postedAs('7', '9'), contentHash: 'two' });
    expect(await mirrors.of(KEY)).toMatchObject([
      { posted: postedAs('7', '9'), contentHash: 'two' },
    ]);
    expect(await sourceOf('8')).toBeUndefined();
    expect(await sourceOf('9')).toEqual(KEY);
  });

  it('is remembered as taken away by somebody, without parts', async () => {
    await put(KEY, { posted: postedAs('7'), contentHash: 'one' }, true);
    await put(KEY, { posted: undefined, contentHash: 'one' });
    expect(await mirrors.of(KEY)).toMatchObject([{ posted: undefined }]);
    expect(await sourceOf('7')).toBeUndefined();
  });

  it('is kept apart for each purpose, and dropped for one of them', async () => {
    await put(KEY, { posted: postedAs('7'), contentHash: 'one' }, true);
    await put(FLAG, { posted: postedAs('8'), contentHash: 'one' }, true);
    await store.write((db) => mirrors.drop(db, KEY, TARGET));
    expect(await mirrors.of(KEY)).toEqual([]);
    expect(await sourceOf('7')).toBeUndefined();
    expect(await mirrors.of(FLAG)).toHaveLength(1);
    expect(await sourceOf('8')).toEqual(FLAG);
  });
});

describe('what flags brought', () => {
  it('is listed until its removal is noted: one that cannot be removed keeps no other from it', async () => {
    await put(KEY, { posted: postedAs('7'), contentHash: 'one' }, true);
    await put(FLAG, { posted: postedAs('8'), contentHash: 'one' }, true);
    const listed = () => mirrors.flagReplies(SPACE, 1_000, 1);
    expect(await listed()).toEqual([FLAG]);
    await createInboxStore({ store, now: () => 1_000 }).markDeleted([SOURCE], {
      purpose: FLAG.purpose,
    });
    expect(await listed()).toEqual([]);
    const other = { ...FLAG, purpose: 'flag:fr' };
    await put(other, { posted: postedAs('9'), contentHash: 'one' }, true);
    expect(await listed()).toEqual([other]);
  });
});
