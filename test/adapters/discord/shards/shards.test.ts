import { describe, expect, it } from 'vitest';
import { createShards, wantedCount } from '../../../../adapters/discord/shards/shards.ts';
import type { ShardKey } from '../../../../adapters/discord/shards/shard.ts';
import { createLog } from '../../../../src/log.ts';
import type { Processes } from '../../../../src/ports/processes.ts';
import { createLoneProcess } from '../../../fakes/processes.ts';

describe('the number of shards', () => {
  it('is what the operator set, or what Discord recommended first', () => {
    expect(wantedCount(undefined, undefined, 4)).toBe(4);
    expect(wantedCount(4, undefined, 2)).toBe(4);
    expect(wantedCount(4, 8, 2)).toBe(8);
  });

  it('grows once Discord recommends more than one and a half times as many', () => {
    expect(wantedCount(4, undefined, 6)).toBe(4);
    expect(wantedCount(4, undefined, 7)).toBe(7);
  });
});

describe('a process that nobody shares the database with', () => {
  it('has all shards, and another number of them from its next start on', async () => {
    const processes = createLoneProcess();
    const start = async (wanted: number | undefined, recommended: number) => {
      const opened: ShardKey[] = [];
      const closed: ShardKey[] = [];
      await using shards = createShards({
        processes,
        log: createLog('silent'),
        open: (key) => {
          opened.push(key);
          return {
            first: Promise.resolve(),
            isConnected: () => true,
            close: async () => void closed.push(key),
          };
        },
      });
      await shards.start(wanted, recommended);
      expect(shards.own()).toHaveLength(opened.length);
      expect(shards.count()).toBe(opened.length);
      return { opened, closed };
    };
    const { opened, closed } = await start(undefined, 2);
    expect(opened).toEqual([
      { id: 0, count: 2 },
      { id: 1, count: 2 },
    ]);
    expect(closed).toEqual(opened);
    expect((await start(undefined, 3)).opened).toHaveLength(2);
    expect((await start(3, 1)).opened).toHaveLength(3);
    expect((await start(undefined, 1)).opened).toHaveLength(3);
  });
});

describe('a process that is about to stop', () => {
  it('keeps its shards, and takes none of another number of them', async () => {
    const lone = createLoneProcess();
    const claimsNoMore: string[] = [];
    const leases: Processes['leases'] = {
      ...lone.leases,
      share: (set, ...others) => ({
        ...lone.leases.share(set, ...others),
        stopClaiming: () => void claimsNoMore.push(set),
      }),
    };
    const opened: ShardKey[] = [];
    const closed: ShardKey[] = [];
    await using shards = createShards({
      processes: { ...lone, leases, isAlone: false },
      log: createLog('silent'),
      open: (key) => {
        opened.push(key);
        return {
          first: Promise.resolve(),
          isConnected: () => true,
          close: async () => void closed.push(key),
        };
      },
    });
    await shards.start(2, 2);
    shards.drain();
    await shards.start(4, 2);
    expect(claimsNoMore).toEqual(['discord-shards-2']);
    expect(opened.map(({ count }) => count)).toEqual([2, 2]);
    expect([shards.own().length, closed]).toEqual([2, []]);
  });
});
