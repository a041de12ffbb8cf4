import { describe, expect, it, onTestFinished } from 'vitest';
import { createShards, shardCount } from '../../../../adapters/discord/shards/shards.ts';
import type { ShardKey } from '../../../../adapters/discord/shards/shard.ts';
import { AppError } from '../../../../src/errors.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import type { Agreements, Tenure, Work, Processes } from '../../../../src/ports/processes.ts';
import { createLoneProcess } from '../../../fakes/processes.ts';

/** Options of shards that connect at once, with those that were opened and closed. */
const openShards = () => {
  const opened: ShardKey[] = [];
  const closed: ShardKey[] = [];
  const open = (key: ShardKey) => {
    opened.push(key);
    return {
      first: Promise.resolve(),
      isConnected: () => true,
      close: async () => void closed.push(key),
    };
  };
  return { opened, closed, options: { log: silentLog, identifyEveryMs: 0, open } };
};

describe('the number of shards', () => {
  it('is what the operator set, or what Discord recommended first', () => {
    expect(shardCount(undefined, undefined, 4)).toBe(4);
    expect(shardCount(4, undefined, 2)).toBe(4);
    expect(shardCount(4, 8, 2)).toBe(8);
  });

  it('grows once Discord recommends more than one and a half times as many', () => {
    expect(shardCount(4, undefined, 6)).toBe(4);
    expect(shardCount(4, undefined, 7)).toBe(7);
  });
});

describe('a process that nobody shares the database with', () => {
  it('has all shards, and another number of them from its next start on', async () => {
    const processes = createLoneProcess();
    const start = async (wanted: number | undefined, recommended: number) => {
      const { opened, closed, options } = openShards();
      await using shards = createShards({ processes, ...options });
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
    const { opened, closed, options } = openShards();
    const processes = { ...lone, leases, isAlone: false };
    await using shards = createShards({ processes, ...options });
    await shards.start(2, 2);
    shards.drain();
    await shards.start(4, 2);
    expect(claimsNoMore).toEqual(['discord-shards-2']);
    expect(opened.map(({ count }) => count)).toEqual([2, 2]);
    expect([shards.own().length, closed]).toEqual([2, []]);
  });
});

describe('another number of shards, which several processes agree on', () => {
  /** A process that has two shards, and wants another number of them. */
  const start = async (
    wanted: number,
    write?: (values: object) => void,
    noted?: Readonly<Record<string, number>>,
  ) => {
    const lone = createLoneProcess();
    if (noted) await lone.agreements.write(noted);
    const works = new Map<string, Work>();
    const share: Processes['leases']['share'] = (set, size, begin, options) => {
      const note = (tenure: Tenure): Work => {
        const work = begin(tenure);
        works.set(tenure.name, work);
        return work;
      };
      return lone.leases.share(set, size, note, options);
    };
    const agreements: Agreements = {
      ...lone.agreements,
      write: async (values) => {
        write?.(values);
        await lone.agreements.write(values);
      },
    };
    const opened = new Map<string, () => void>();
    const closed: string[] = [];
    const up = new Set<string>();
    const nameOf = ({ id, count }: ShardKey): string => `${id} of ${count}`;
    const shards = createShards({
      processes: { ...lone, agreements, leases: { ...lone.leases, share }, isAlone: false },
      log: silentLog,
      identifyEveryMs: 0,
      open: (key, _, connected) => {
        const name = nameOf(key);
        opened.set(name, connected);
        return {
          first: Promise.resolve(),
          isConnected: () => up.has(name),
          close: async () => void closed.push(name),
        };
      },
      sleep: async () => undefined,
    });
    onTestFinished(async () => shards[Symbol.asyncDispose]());
    if (!noted) await shards.start(2, 1);
    await shards.start(wanted, 1);
    return {
      shards,
      closed,
      names: () => [...opened.keys()],
      connect: (name: string, isLasting = true) => {
        if (isLasting) up.add(name);
        opened.get(name)!();
      },
      /** Gives a shard to another process. */
      give: async (id: number, count: number) =>
        works.get(`discord-shards-${count}:${id}`)![Symbol.asyncDispose](),
      note: async (name: string) => lone.agreements.write({ [name]: 1 }),
      numbers: async () => Object.fromEntries(await lone.agreements.read('discord-shards')),
    };
  };
  const NEXT = ['0 of 3', '1 of 3', '2 of 3'];

  it('moves nothing of the former one to a process that begins meanwhile, unless that stays after all', async () => {
    const lone = createLoneProcess();
    const shared: [set: string, isEnding: boolean | undefined, waits: boolean][] = [];
    const begin = () => {
      const leases: Processes['leases'] = {
        ...lone.leases,
        share: (set, _size, _begin, { isEnding, joinMs = 0 } = {}) => {
          shared.push([set, isEnding, joinMs > 0]);
          return { stopClaiming: () => undefined, [Symbol.asyncDispose]: async () => undefined };
        },
      };
      const shards = createShards({
        processes: { ...lone, leases, isAlone: false },
        log: silentLog,
        identifyEveryMs: 0,
        open: () => expect.unreachable(),
      });
      onTestFinished(async () => shards[Symbol.asyncDispose]());
      return shards;
    };
    await begin().start(2, 1);
    const joining = begin();
    await joining.start(3, 1);
    expect(shared.slice(0, 1)).toEqual([['discord-shards-2', false, false]]);
    expect(shared).toContainEqual(['discord-shards-2', true, false]);
    expect(shared).toContainEqual(['discord-shards-3', false, true]);
    shared.length = 0;
    await joining.start(2, 1);
    expect(shared).toEqual([['discord-shards-2', false, false]]);
  });

  it('is taken beside the former one, which ends once all of the next are connected', async () => {
    const at = await start(3);
    expect(at.names()).toEqual(['0 of 2', '1 of 2', ...NEXT]);
    at.connect('0 of 3');
    at.connect('1 of 3');
    await expect.poll(at.numbers).toHaveProperty('discord-shards ready 3:1', 1);
    expect(at.closed).toEqual([]);
    expect(at.shards.count()).toBe(2);
    at.connect('2 of 3');
    await expect.poll(() => at.closed).toEqual(['0 of 2', '1 of 2']);
    expect(at.shards.count()).toBe(3);
    expect(at.shards.own()).toHaveLength(3);
    expect(await at.numbers()).toEqual({ 'discord-shards': 3 });
  });

  it('is not reached while a shard of it that was connected is given to another process', async () => {
    const at = await start(3);
    at.connect('0 of 3');
    at.connect('1 of 3');
    await expect.poll(at.numbers).toHaveProperty('discord-shards ready 3:1', 1);
    await at.give(1, 3);
    expect(Object.keys(await at.numbers())).not.toContain('discord-shards ready 3:1');
    at.connect('2 of 3');
    await expect.poll(at.numbers).toHaveProperty('discord-shards ready 3:2', 1);
    expect([at.shards.count(), at.closed]).toEqual([2, ['1 of 3']]);
    await at.note('discord-shards ready 3:1');
    await expect.poll(() => at.shards.count()).toBe(3);
  });

  it('is not reached by the note of a process that ended without a word', async () => {
    const noted = { 'discord-shards': 2, 'discord-shards next': 3, 'discord-shards ready 3:1': 1 };
    const at = await start(3, undefined, noted);
    await expect.poll(at.numbers).not.toHaveProperty('discord-shards ready 3:1');
    at.connect('0 of 3');
    at.connect('2 of 3');
    await expect.poll(at.numbers).toHaveProperty('discord-shards ready 3:2', 1);
    expect(at.shards.count()).toBe(2);
    at.connect('1 of 3');
    await expect.poll(() => at.shards.count()).toBe(3);
  });

  it('is given up when the former one is wanted again, with all that was noted for it', async () => {
    const at = await start(3);
    at.connect('0 of 3');
    await expect.poll(at.numbers).toHaveProperty('discord-shards ready 3:0', 1);
    await at.shards.start(2, 1);
    expect(at.closed).toEqual(NEXT);
    expect(at.shards.own()).toHaveLength(2);
    expect(await at.numbers()).toEqual({ 'discord-shards': 2 });
  });

  it('is reached by shards that connect again just when they are to be noted', async () => {
    const at = await start(3);
    for (const name of NEXT) at.connect(name, false);
    await expect.poll(() => at.shards.count()).toBe(3);
  });

  it.each([true, false])(
    'is reached where the notes of shards fail several times (retryable: %s)',
    async (retryable) => {
      let failures = 0;
      const at = await start(3, (values) => {
        if (!Object.keys(values).includes('discord-shards ready 3:2') || failures === 9) return;
        failures += 1;
        throw new AppError('internal', 'the database fails', { retryable });
      });
      for (const name of NEXT) at.connect(name);
      await expect.poll(() => at.shards.count()).toBe(3);
      expect(failures).toBe(9);
    },
  );
});
