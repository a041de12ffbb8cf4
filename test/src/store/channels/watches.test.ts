import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { openWatchStore, type WatchStore } from '../../../../src/store/channels/watches.ts';
import { missAll } from '../../../fakes/missed-changes.ts';

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

const open = (): Promise<WatchStore> => openWatchStore(store, () => nowMs);

/** Tells the channels of the rows that each query reads. */
const notingReads = (note: (channelIds: readonly unknown[]) => void): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    note(result.rows.map(({ channel_id: id }) => id));
    return result;
  },
});

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
    watchOf({ below: true }),
    watchOf({ choices: { pause: { fromMs: 1 } } }),
  ])('are as they were set, also after the next start: %j', async (watch) => {
    await watches.set([watch]);
    expect(watches.of(watch.channel)).toEqual(watch);
    watches = await open();
    expect(watches.of(watch.channel)).toEqual(watch);
    expect(watches.list(SPACE)).toEqual([watch]);
  });

  it('that are in no group are in no list of one', async () => {
    await watches.set([watchOf()]);
    expect(watches.inGroup('')).toEqual([]);
  });

  it('are as they were set last, since they were set first', async () => {
    await watches.set([watchOf()]);
    nowMs = 2_000;
    const changed = watchOf({ mode: 'mirror', languages: ['ja'], group: 'g', bots: true });
    await watches.set([changed]);
    for (const each of [watches, await open()]) {
      expect(each.of(HERE)).toEqual(changed);
      expect(each.sinceMs(changed)).toBe(1_000);
      expect(each.group(changed)).toEqual([changed]);
    }
  });

  it('keep their pauses and rules when they are set anew, or join a group', async () => {
    const choices = { pause: { fromMs: 1 }, rules: { shortest: 3 } };
    await watches.set([watchOf({ choices })]);
    await watches.set([watchOf({ languages: ['ja'] })]);
    await watches.update(HERE, () => [watchOf({ mode: 'mirror', group: 'g', choices: {} })]);
    for (const each of [watches, await open()]) expect(each.of(HERE)?.choices).toEqual(choices);
  });

  it('mute and hold channels of their group alone: what left it counts as never chosen', async () => {
    const other = (id: string): ChannelWatch => ({ ...inGroup(id), channel: { space: OTHER, id } });
    const chosen = { 'test there': { fromMs: 1 }, 'test beyond': { fromMs: 2, untilMs: 3 } };
    const choices = { pause: { fromMs: 1 }, muted: chosen, held: chosen };
    await watches.set([{ ...inGroup('here'), choices }, other('there'), other('beyond')]);
    expect(watches.of(HERE)?.choices).toEqual(choices);
    await watches.remove([other('there').channel]);
    await watches.set([inGroup('beside')]);
    const left = { 'test beyond': { fromMs: 2, untilMs: 3 } };
    for (const each of [watches, await open()])
      expect(each.of(HERE)?.choices).toEqual({ ...choices, muted: left, held: left });
    await watches.set([
      { ...inGroup('here'), group: 'another' },
      { ...inGroup('x'), group: 'another' },
    ]);
    expect(
      JSON.stringify(await store.selectFrom('channel_watch').select('choices').execute()),
    ).not.toContain('beyond');
  });

  it('are no more in a group than may be, also where two grow it at once', async () => {
    const all = Array.from({ length: 21 }, (_, at) => inGroup(`${at}`));
    await watches.set(all.slice(0, 19));
    const grown = await Promise.allSettled([watches.set([all[19]!]), watches.set([all[20]!])]);
    expect(grown.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(watches.list(SPACE)).toHaveLength(20);
    await watches.set(all.slice(0, 20).map((each) => ({ ...each, languages: ['ja'] })));
  });

  it('are removed from a group only as long as they are in it', async () => {
    await watches.set([inGroup('here'), inGroup('there')]);
    await watches.update(HERE, () => [watchOf()]);
    await watches.set([inGroup('there')]);
    expect(await watches.remove([HERE, inGroup('there').channel], 'g')).toEqual([
      inGroup('there').channel,
    ]);
    expect(watches.of(HERE)).toEqual(watchOf());
  });

  it('are those of one space alone', async () => {
    await watches.set([watchOf()]);
    expect(watches.of({ ...HERE, space: OTHER })).toBeUndefined();
    expect(watches.of({ ...HERE, space: { ...SPACE, platform: 'other' } })).toBeUndefined();
    expect(watches.list(OTHER)).toEqual([]);
  });

  it('have their threads with them, unless translations stand in threads', async () => {
    await watches.set([watchOf()]);
    nowMs = 2_000;
    const inThread = watches.of(THREAD);
    expect(inThread).toEqual(watchOf({ channel: THREAD }));
    expect(watches.sinceMs(inThread!)).toBe(1_000);
    expect(watches.isOwn(THREAD)).toBe(false);
    await watches.set([watchOf({ mode: 'mirror', group: 'g' })]);
    expect(watches.of(THREAD)?.group).toBe('g');
    await watches.set([watchOf({ mode: 'thread' })]);
    expect(watches.of(THREAD)).toBeUndefined();
  });

  it('that were linked before threads were copied have those taken from the update on', async () => {
    await watches.set([watchOf({ mode: 'mirror', group: 'g' })]);
    await store.updateTable('channel_watch').set({ threads_since_ms: 5_000 }).execute();
    const updated = await openWatchStore(store, () => nowMs);
    expect(updated.sinceMs(updated.of(THREAD)!)).toBe(5_000);
    expect(updated.sinceMs(updated.of(HERE)!)).toBe(1_000);
  });

  const inGroup = (id: string): ChannelWatch =>
    watchOf({ channel: { ...HERE, id }, mode: 'mirror', group: 'g' });

  it('that are linked are one group, without those that left', async () => {
    const [here, there, beyond] = ['here', 'there', 'beyond'].map(inGroup) as [
      ChannelWatch,
      ChannelWatch,
      ChannelWatch,
    ];
    await watches.set([here, there, beyond]);
    expect(watches.group(here)).toEqual([here, there, beyond]);
    expect(await watches.remove([HERE])).toEqual([HERE]);
    for (const each of [watches, await open()]) {
      expect(each.group(there)).toEqual([there, beyond]);
      expect(each.of(HERE)).toBeUndefined();
    }
  });

  it.each([
    ['is removed', () => watches.remove([HERE])],
    ['is set otherwise', () => watches.set([watchOf()])],
  ])('end with the last but one of their group, which %s', async (_, change) => {
    const there = inGroup('there');
    await watches.set([inGroup('here'), there]);
    expect(await change()).toContainEqual(there.channel);
    for (const each of [watches, await open()]) expect(each.of(there.channel)).toBeUndefined();
  });

  it('that are set at the same moment are all kept', async () => {
    const all = ['here', 'there', 'beyond'].map((id) => watchOf({ channel: { ...HERE, id } }));
    await Promise.all(all.map((watch) => watches.set([watch])));
    expect(watches.list(SPACE)).toHaveLength(3);
    expect(watches.list(SPACE)).toEqual(expect.arrayContaining(all));
  });

  it('that are removed by the hundred leave other work its turns', async () => {
    const all = Array.from({ length: 100 }, (_, at) =>
      watchOf({ channel: { ...HERE, id: `${at}` } }),
    );
    await watches.set(all);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (watches.list(SPACE).length > 0) setImmediate(count);
    };
    count();
    await watches.remove(all.map(({ channel }) => channel));
    expect(turns).toBeGreaterThan(all.length);
  });

  it('that are changed have no row of others read', async () => {
    const others = Array.from({ length: 9 }, (_, at) =>
      watchOf({ channel: { space: OTHER, id: `other ${at}` }, group: `other ${at % 3}` }),
    );
    await watches.set([inGroup('here'), inGroup('there'), inGroup('beyond'), ...others]);
    const read = new Set<unknown>();
    const noting = notingReads((ids) => {
      for (const id of ids) if (id !== undefined) read.add(id);
    });
    const write = store.write.bind(store);
    Object.assign(store, {
      write: ((work, options) =>
        write((db) => work(db.withPlugin(noting)), options)) satisfies Store['write'],
    });
    const beside = inGroup('beside');
    await watches.update(beside.channel, () => [beside]);
    expect(read).toEqual(new Set(['here', 'there', 'beyond']));
  });

  it('that are changed are looked for among those around them, not among all', async () => {
    const [here, elsewhere] = [inGroup('here'), inGroup('elsewhere')];
    const apart = watchOf({ channel: { ...HERE, id: 'apart' } });
    const linked = { ...elsewhere, channel: { ...elsewhere.channel, space: OTHER } };
    await watches.set([here, linked, apart]);
    await watches.set([watchOf({ channel: { space: OTHER, id: 'beyond' } })]);
    const seen: string[][] = [];
    await watches.update(HERE, (all) => {
      seen.push(all.map(({ channel }) => channel.id).toSorted());
      return [];
    });
    expect(seen).toEqual([
      ['apart', 'elsewhere', 'here'],
      ['elsewhere', 'here'],
    ]);
  });

  it('that are removed count as set anew when they are set again', async () => {
    await watches.set([watchOf()]);
    await watches.remove([HERE]);
    nowMs = 2_000;
    await watches.set([watchOf()]);
    expect(watches.sinceMs(watchOf())).toBe(2_000);
  });
});

describe('a change that another process hears of', () => {
  const spaces = ['a', 'b', 'c'].map((id) => ({ platform: 'test', id }));
  const channels = spaces.flatMap((space) =>
    ['1', '2', '3'].map((id) => ({ space, id: `${space.id}${id}` })),
  );
  const groups = ['g', 'h'];
  const knownBy = (of: WatchStore) => ({
    watches: channels.map((channel) => of.of(channel)),
    lists: spaces.map((space) => of.list(space)),
    groups: groups.map((group) => of.inGroup(group)),
  });
  const change = fc.record({
    of: fc.subarray(channels, { minLength: 1, maxLength: 4 }),
    group: fc.constantFrom(undefined, ...groups),
    isRemoved: fc.boolean(),
  });

  it('is known there as it is stored, whichever spaces are linked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        await watches.remove(channels);
        const other = await open();
        for (const { of, group, isRemoved } of changes) {
          nowMs += 1_000;
          const asked = of.map((channel) =>
            watchOf(group === undefined ? { channel } : { channel, mode: 'mirror', group }),
          );
          await (isRemoved ? watches.remove(of) : watches.set(asked));
          const stored = knownBy(await open());
          expect(knownBy(watches)).toEqual(stored);
          expect(knownBy(other)).toEqual(stored);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('has nothing read of spaces that it does not touch', async () => {
    await watches.set([watchOf({ channel: channels[0]! }), watchOf({ channel: channels[8]! })]);
    await store.write((db) =>
      db
        .updateTable('channel_watch')
        .set({ choices: 'unread' })
        .where('space_id', '=', 'c')
        .execute(),
    );
    await watches.set([watchOf({ channel: channels[0]!, languages: ['ja'] })]);
    expect(watches.of(channels[0]!)?.languages).toEqual(['ja']);
  });
});

describe('watches of which changes are missed', () => {
  const A = { space: SPACE, id: 'a' };
  const B = { space: OTHER, id: 'b' };
  const reads: (readonly unknown[])[] = [];
  let onRead: () => void;

  const changeElsewhere = async (channel: typeof A, languages: string): Promise<void> => {
    await store.write((db) =>
      db
        .updateTable('channel_watch')
        .set({ languages })
        .where('channel_id', '=', channel.id)
        .execute(),
    );
  };

  beforeEach(async () => {
    await watches.set([watchOf({ channel: A }), watchOf({ channel: B })]);
    await watches.set([watchOf({ channel: { space: { ...SPACE, id: 'far' }, id: 'far' } })]);
    reads.length = 0;
    onRead = () => {};
    const noted = store.withPlugin(
      notingReads((ids) => {
        reads.push(ids.map(String).toSorted());
        onRead();
      }),
    );
    Object.assign(store, { selectFrom: noted.selectFrom.bind(noted) });
    await watches.refresh(SPACE);
    expect(reads).toEqual([]);
    missAll(store);
  });

  it('are read once for all messages that ask at the same time, those of their spaces alone', async () => {
    await changeElsewhere(B, '["ja"]');
    const asking = Array.from({ length: 12 }, (_, at) => watches.refresh(at % 2 ? SPACE : OTHER));
    await Promise.all(asking);
    expect(reads).toEqual([['a', 'b']]);
    expect(watches.of(B)?.languages).toEqual(['ja']);
  });

  it('are read again for whoever asks after a read has begun', async () => {
    const later = new Promise<void>((resolve) => {
      onRead = () => {
        onRead = () => {};
        resolve(changeElsewhere(A, '["ja"]').then(() => watches.refresh(SPACE)));
      };
    });
    await watches.refresh(SPACE);
    await later;
    expect(watches.of(A)?.languages).toEqual(['ja']);
    expect(reads).toEqual([['a'], ['a']]);
  });

  it('are no longer known where a read finds them gone', async () => {
    await store.write((db) =>
      db.deleteFrom('channel_watch').where('channel_id', '=', A.id).execute(),
    );
    await watches.refresh(SPACE);
    expect(watches.of(A)).toBeUndefined();
    expect(watches.of(B)).toBeDefined();
  });
});
