import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelWatch } from '../../../src/services.ts';
import { createCursorStore } from '../../../src/store/cursors.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { openWatchStore, type WatchStore } from '../../../src/store/watches.ts';
import { createWriter } from '../../../src/store/writer.ts';

const SPACE = { platform: 'test', id: 's' };
const OTHER = { platform: 'test', id: 'other' };
const HERE = { space: SPACE, id: 'here' };
const THREAD = { space: SPACE, id: 'thread', parentId: 'here' };

const watchOf = (part: Partial<ChannelWatch> = {}): ChannelWatch => ({
  channel: HERE,
  mode: 'reply',
  languages: ['es'],
  transcribes: true,
  bots: false,
  ...part,
});

let store: Store;
let watches: WatchStore;
let nowMs: number;

const open = (): Promise<WatchStore> => openWatchStore(store, createWriter(store), () => nowMs);

beforeEach(async () => {
  nowMs = 1_000;
  store = await openStore('sqlite::memory:');
  watches = await open();
});
afterEach(() => store.destroy());

describe('watched channels', () => {
  it.each([
    watchOf(),
    watchOf({ mode: 'thread', languages: ['es', 'ja'], transcribes: false, bots: true }),
    watchOf({ mode: 'mirror', group: 'g', channel: { ...HERE, parentId: 'above' } }),
  ])('are as they were set, also after the next start: %j', async (watch) => {
    await watches.set([watch]);
    expect(watches.of(watch.channel)).toEqual(watch);
    watches = await open();
    expect(watches.of(watch.channel)).toEqual(watch);
    expect(watches.list(SPACE)).toEqual([watch]);
  });

  it('are as they were set last, since they were set first', async () => {
    await watches.set([watchOf()]);
    nowMs = 2_000;
    const changed = watchOf({ mode: 'mirror', languages: ['ja'], group: 'g', bots: true });
    await watches.set([changed]);
    for (const each of [watches, await open()]) {
      expect(each.of(HERE)).toEqual(changed);
      expect(each.sinceMs(changed)).toBe(1_000);
      expect(each.inGroup('g')).toEqual([changed]);
    }
  });

  it('are those of one space alone', async () => {
    await watches.set([watchOf()]);
    expect(watches.of({ ...HERE, space: OTHER })).toBeUndefined();
    expect(watches.of({ ...HERE, space: { ...SPACE, platform: 'other' } })).toBeUndefined();
    expect(watches.list(OTHER)).toEqual([]);
  });

  it('have their threads with them where replies stand in place, and not otherwise', async () => {
    await watches.set([watchOf()]);
    nowMs = 2_000;
    const inThread = watches.of(THREAD);
    expect(inThread).toEqual(watchOf({ channel: THREAD }));
    expect(watches.sinceMs(inThread!)).toBe(1_000);
    expect(watches.isOwn(THREAD)).toBe(false);
    await watches.set([watchOf({ mode: 'mirror', group: 'g' })]);
    expect(watches.of(THREAD)).toBeUndefined();
  });

  it('that are linked are one group, without those that left', async () => {
    const there = watchOf({ channel: { ...HERE, id: 'there' }, mode: 'mirror', group: 'g' });
    const here = watchOf({ mode: 'mirror', group: 'g' });
    await watches.set([here, there]);
    expect(watches.group(here)).toEqual([here, there]);
    await watches.remove([HERE]);
    expect(watches.group(there)).toEqual([there]);
    expect(watches.of(HERE)).toBeUndefined();
    expect((await open()).inGroup('g')).toEqual([there]);
  });

  it('that are removed are followed from anew when they are set again', async () => {
    const cursors = createCursorStore(store, createWriter(store), () => undefined);
    await watches.set([watchOf()]);
    cursors.advance(HERE, '5');
    await cursors[Symbol.asyncDispose]();
    await watches.remove([HERE]);
    expect(await cursors.of(HERE)).toBeUndefined();
    nowMs = 2_000;
    await watches.set([watchOf()]);
    expect(watches.sinceMs(watchOf())).toBe(2_000);
  });
});
