import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { openWatchStore } from '../../../../src/store/channels/watches.ts';
import type { Store } from '../../../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';

const ROUNDS = 5;
const SPACE = { platform: 'test', id: 's' };

const openTwo = async () => {
  const url = await makeDatabase();
  const open = async () => openWatchStore(await openTestStore(url), () => 1);
  return [await open(), await open()] as const;
};

it('two processes that change watches at the same moment lose none of both changes', async () => {
  const [one, two] = await openTwo();
  for (let round = 0; round < ROUNDS; round += 1) {
    const channel = { space: SPACE, id: `${round}` };
    await one.set([watchOf(channel)]);
    const change = (part: Partial<ChannelWatch>) => (all: readonly ChannelWatch[]) =>
      all.filter((each) => each.channel.id === channel.id).map((each) => ({ ...each, ...part }));
    await Promise.all([
      one.update(channel, change({ choices: { pause: { fromMs: 1 } } })),
      two.update(channel, change({ bots: true })),
    ]);
    expect(one.of(channel)).toMatchObject({ choices: { pause: { fromMs: 1 } }, bots: true });
    const group = mirrorOf(
      ...['a', 'b', 'c'].map((id) => [{ space: SPACE, id: `${round}${id}` }, 'en'] as const),
    ).map((each) => ({ ...each, group: `g${round}` }));
    await one.set(group);
    const [first, second, third] = group.map((each) => each.channel);
    await Promise.all([one.remove([first!]), two.remove([second!])]);
    expect(one.of(third!)).toBeUndefined();
  }
});

/** Most values that the lists of a statement have. */
const longestList = (node: unknown): number =>
  node !== null && typeof node === 'object'
    ? Math.max(
        'values' in node && Array.isArray(node.values) ? node.values.length : 0,
        ...Object.values(node).map(longestList),
      )
    : 0;

const notingLists = (note: (length: number) => void): KyselyPlugin => ({
  transformQuery: ({ node }) => {
    note(longestList(node));
    return node;
  },
  transformResult: async ({ result }) => result,
});

/** Has reads beside transactions fail, as many as these. */
const failReads = (store: Store, count: number): void => {
  const read = store.selectFrom.bind(store);
  let left = count;
  const failing = (...from: Parameters<typeof read>) => {
    if (left === 0) return read(...from);
    left -= 1;
    throw new Error('not read');
  };
  Object.assign(store, { selectFrom: failing });
};

describe.each([
  ['SQLite', async () => 'sqlite::memory:'],
  ['PostgreSQL', makeDatabase],
])('watches in %s', (_, urlOf) => {
  const CHANNELS = 2_000;
  const apart = watchOf({ space: SPACE, id: 'apart' });

  it('of a large space are read by lists that do not grow with it', async () => {
    const store = await openTestStore(await urlOf());
    const rows = Array.from({ length: CHANNELS }, (__, at) => ({
      platform: SPACE.platform,
      space_id: SPACE.id,
      channel_id: `c${at}`,
      parent_id: null,
      mode: 'mirror',
      languages: '["es"]',
      group_id: `g${Math.floor(at / 20)}`,
      transcribes: 1,
      bots: 0,
      below: 0,
      choices: '{}',
      since_ms: at,
      threads_since_ms: 0,
    }));
    for (let at = 0; at < CHANNELS; at += 500)
      await store.write((db) =>
        db
          .insertInto('channel_watch')
          .values(rows.slice(at, at + 500))
          .execute(),
      );
    const [watches, other] = [
      await openWatchStore(store, () => 1),
      await openWatchStore(store, () => 1),
    ];
    let longest = 0;
    const noting = store.withPlugin(
      notingLists((length) => {
        longest = Math.max(longest, length);
      }),
    );
    Object.assign(store, { selectFrom: noting.selectFrom.bind(noting) });
    const gone = Array.from({ length: 600 }, (__, at) => ({ space: SPACE, id: `c${at}` }));
    await watches.remove(gone);
    for (const each of [watches, other]) {
      expect(each.list(SPACE)).toHaveLength(CHANNELS - 600);
      expect(each.inGroup('g29')).toEqual([]);
      expect(each.inGroup('g30')).toHaveLength(20);
    }
    expect(longest).toBeLessThan(500);
  });

  it('of which a read failed after a change are read again, before they are relied on', async () => {
    const store = await openTestStore(await urlOf());
    const watches = await openWatchStore(store, () => 1);
    failReads(store, 1);
    await expect(watches.set([apart])).rejects.toThrow('not read');
    await watches.refresh(SPACE);
    expect(watches.list(SPACE)).toEqual([apart]);
  });

  it('of which reads failed after a change are read again until they are known', async () => {
    const store = await openTestStore(await urlOf());
    const watches = await openWatchStore(store, () => 1);
    failReads(store, 2);
    await expect(watches.set([apart])).rejects.toThrow('not read');
    await expect.poll(() => watches.list(SPACE), { timeout: 10_000 }).toEqual([apart]);
    await expect.poll(() => store.signals.isCurrent()).toBe(true);
  });
});
