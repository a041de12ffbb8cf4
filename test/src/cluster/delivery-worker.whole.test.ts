import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createDeliveryWorker } from '../../../src/cluster/delivery-worker.ts';
import { AppError } from '../../../src/errors.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import { createSlotOwner, type SlotWorker } from '../../../src/cluster/slot-owner.ts';
import { storageError, type StorageFault } from '../../../src/sqlite/disk-fault.ts';
import { clearOld } from '../../../src/store/privacy/clear-old.ts';
import { createDeliveryStore, type DeliveryStore } from '../../../src/store/deliveries.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { slotOf } from '../../../src/store/rows.ts';
import { makeDatabase } from '../../fakes/database.ts';
import { createHastyClock, createTestClock } from '../../fakes/clock.ts';
import { NO_HORIZONS } from '../../fakes/horizons.ts';

const eventOf = (id: string, orderKey = 'here', authorId?: string) => ({
  id,
  space: { platform: 'test', id: 'one' },
  orderKey,
  authorId,
  body: `body of ${id}`,
});

/** A database, and deliveries on it that note what they handle. */
const open = async () => {
  const store = await openStore('sqlite::memory:');
  const clock = createHastyClock();
  const logged: string[] = [];
  const handled: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const slots = createSlotOwner({ leases: store.leases, log, clock });
  slots.start();
  const openDeliveries = createDeliveryWorker({
    slots,
    storeOf: (platform) => createDeliveryStore(store, platform, clock.nowMs),
    log,
    clock,
  });
  return {
    store,
    slots,
    clock,
    logged,
    handled,
    deliveries: (handle = async (body: string): Promise<void> => void handled.push(body)) =>
      openDeliveries('test', handle),
    bodies: async () => {
      const rows = await store.selectFrom('delivery').select('body').execute();
      return rows.map(({ body }) => body);
    },
    [Symbol.asyncDispose]: async () => store.destroy(),
  };
};

/** Deliveries of a process that is given its one slot, and loses it, by hand. */
const openWithSlot = async (
  handle: (body: string) => Promise<void>,
  url = 'sqlite::memory:',
  change: (stored: DeliveryStore, store: Store) => Partial<DeliveryStore> = () => ({}),
) => {
  const store = await openStore(url);
  const clock = createTestClock();
  const stored = createDeliveryStore(store, 'test', clock.nowMs);
  const logged: string[] = [];
  let worker: SlotWorker | undefined;
  let current: { readonly tenure: Tenure; readonly lost: AbortController } | undefined;
  const give = (epoch: number): void => {
    const lost = new AbortController();
    const tenure: Tenure = {
      name: 'slot:1',
      epoch,
      signal: lost.signal,
      isHeld: () => !lost.signal.aborted,
      assertHeld: () => lost.signal.throwIfAborted(),
      release: async () => undefined,
    };
    current = { tenure, lost };
    worker?.begin?.(slotOf('here'));
  };
  give(1);
  const deliveries = createDeliveryWorker({
    slots: {
      serve: (_, served) => {
        worker = served;
      },
      slots: () => (current ? [slotOf('here')] : []),
      tenureOf: () => current?.tenure,
      tell: () => undefined,
    },
    storeOf: () => ({ ...stored, ...change(stored, store) }),
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    clock,
  })('test', handle);
  await deliveries.resume();
  return {
    deliveries,
    logged,
    give,
    /** Loses the slot; resolves when nothing is under way any more. */
    lose: (): Promise<void> => {
      const { tenure, lost } = current!;
      current = undefined;
      lost.abort();
      return Promise.resolve(worker!.end!(slotOf('here'), tenure, 1_000));
    },
    open: () => stored.open([slotOf('here')]),
    [Symbol.asyncDispose]: async () => {
      deliveries[Symbol.dispose]();
      await store.destroy();
    },
  };
};

const AWAY: StorageFault = {
  reason: 'it is away',
  instruction: 'wait',
  remedy: 'remedies.database-away',
};

const forever = async (): Promise<void> => new Promise(() => undefined);

describe('an event that was stored', () => {
  it('is handled once, however often it is delivered', async () => {
    await using given = await open();
    using deliveries = given.deliveries();
    await Promise.all([1, 2, 3].map(async () => deliveries.take(eventOf('one'))));
    await deliveries.take(eventOf('two'));
    await expect.poll(() => given.handled).toEqual(['body of one', 'body of two']);
    await deliveries.take(eventOf('one'));
    await expect.poll(given.bodies).toEqual([null, null]);
    expect(given.handled).toHaveLength(2);
  });

  it('waits for those before it of the same order, and for no others', async () => {
    await using given = await open();
    const held = Promise.withResolvers<void>();
    using deliveries = given.deliveries(async (body) => {
      if (body === 'body of one') await held.promise;
      given.handled.push(body);
    });
    for (const id of ['one', 'two']) await deliveries.take(eventOf(id));
    await deliveries.take(eventOf('three', 'there'));
    await expect.poll(() => given.handled).toEqual(['body of three']);
    held.resolve();
    await expect.poll(() => given.handled).toEqual(['body of three', 'body of one', 'body of two']);
  });

  it('is not given up while the database is away, however often it is tried', async () => {
    await using given = await open();
    let tries = 0;
    using deliveries = given.deliveries(async (body) => {
      tries += 1;
      if (tries <= 40) throw storageError('unavailable', AWAY, undefined);
      given.handled.push(body);
    });
    await deliveries.take(eventOf('one'));
    await expect.poll(() => given.handled).toEqual(['body of one']);
  });

  it('waits for those that another process has stored before it', async () => {
    await using given = await open();
    using deliveries = given.deliveries();
    await deliveries.resume();
    // Of a slot that this process does not have yet, it looks for all events anyway.
    await expect.poll(() => given.slots.tenureOf('here')).toBeDefined();
    await createDeliveryStore(given.store, 'test', given.clock.nowMs).put(eventOf('one'));
    await deliveries.take(eventOf('two'));
    await expect.poll(() => given.handled).toEqual(['body of one', 'body of two']);
  });

  it('delays those who wait for a space only where it is of that space', async () => {
    await using given = await open();
    using deliveries = given.deliveries(async (body) =>
      body === 'body of one' ? forever() : void given.handled.push(body),
    );
    const two = { platform: 'test', id: 'two' };
    await deliveries.take(eventOf('one'));
    await deliveries.take({ ...eventOf('two', 'there'), space: two });
    const ended: string[] = [];
    void deliveries.handled(eventOf('one').space).then(() => ended.push('one'));
    await deliveries.handled(two);
    expect(given.handled).toEqual(['body of two']);
    expect(ended).toEqual([]);
  });

  it('is handled by the next process where this one ends before', async () => {
    await using given = await open();
    const first = given.deliveries(forever);
    for (const id of ['one', 'two']) await first.take(eventOf(id));
    first[Symbol.dispose]();
    using next = given.deliveries();
    await next.resume();
    await next.take(eventOf('three'));
    await expect.poll(() => given.handled).toEqual(['body of one', 'body of two', 'body of three']);
  });

  it('is handled again after a failure, and given up where that cannot help', async () => {
    await using given = await open();
    const faults = [
      new Error('the disk is full'),
      new AppError('unavailable', 'not now', { retryable: true }),
    ];
    using deliveries = given.deliveries(async (body) => {
      if (body === 'body of two') throw new AppError('bad-input', 'no event');
      const fault = faults.shift();
      if (fault) throw fault;
      given.handled.push(body);
    });
    for (const id of ['one', 'two', 'three']) await deliveries.take(eventOf(id));
    await expect.poll(() => given.handled).toEqual(['body of one', 'body of three']);
    expect(given.logged.filter((line) => line.includes('given up'))).toHaveLength(1);
  });

  it('is not handled once its author’s data was deleted', async () => {
    await using given = await open();
    const first = given.deliveries(forever);
    for (const author of ['ada', 'bob']) await first.take(eventOf(`of ${author}`, 'here', author));
    first[Symbol.dispose]();
    await createPrivacy(given.store).forget({ platform: 'test', id: 'ada' });
    expect(await given.bodies()).toEqual([null, 'body of of bob']);
    using next = given.deliveries();
    await next.resume();
    await expect.poll(() => given.handled).toEqual(['body of of bob']);
  });

  it('leaves its id for a while, and is not cleared before it was handled', async () => {
    await using given = await open();
    using deliveries = given.deliveries(async (body) =>
      body === 'body of two' ? forever() : undefined,
    );
    for (const id of ['one', 'two']) await deliveries.take(eventOf(id, id));
    await expect.poll(given.bodies).toEqual([null, 'body of two']);
    await clearOld(given.store, { ...NO_HORIZONS, deliveriesMs: given.clock.nowMs() });
    expect(await given.bodies()).toEqual([null, 'body of two']);
    await clearOld(given.store, { ...NO_HORIZONS, deliveriesMs: given.clock.nowMs() + 1 });
    expect(await given.bodies()).toEqual(['body of two']);
  });
});

describe('an event whose slot is lost', () => {
  it.each([
    ['for now', new AppError('unavailable', 'not now', { retryable: true })],
    ['for good', new AppError('bad-input', 'no event')],
  ])('while it is handled, which fails %s, is left to the next owner', async (_, fault) => {
    const failing = Promise.withResolvers<void>();
    const tried: string[] = [];
    await using given = await openWithSlot(async (body) => {
      tried.push(body);
      await failing.promise;
    });
    await given.deliveries.take(eventOf('one'));
    await expect.poll(() => tried).toHaveLength(1);
    const ended = given.lose();
    failing.reject(fault);
    await ended;
    expect([tried, await given.open()]).toEqual([['body of one'], [expect.anything()]]);
  });

  it.each([
    ['while it is being given up is left to the next owner', 2, [expect.anything()], 0],
    ['while it is being given up is given up where it has no owner yet', 1, [], 1],
  ])('%s', async (_, epoch, left, said) => {
    const written: Promise<boolean>[] = [];
    await using given = await openWithSlot(
      async () => {
        throw new AppError('bad-input', 'no event');
      },
      await makeDatabase(),
      (stored, store) => ({
        giveUp: async (...asked) => {
          const lease = { name: 'slot:1', set_name: 'slot:', owner: 'a', expires_ms: 0, epoch };
          await store.write((db) => db.insertInto('lease').values(lease).execute());
          written.push(stored.giveUp(...asked));
          return written[0]!;
        },
      }),
    );
    await given.deliveries.take(eventOf('one'));
    await expect.poll(() => written).toHaveLength(1);
    await written[0];
    await given.lose();
    expect(await given.open()).toEqual(left);
    expect(given.logged.filter((line) => line.includes('given up'))).toHaveLength(said);
  });

  it('while it is handled, which succeeds, is not handled again', async () => {
    const handling = Promise.withResolvers<void>();
    const tried: string[] = [];
    await using given = await openWithSlot(async (body) => {
      tried.push(body);
      await handling.promise;
    });
    await given.deliveries.take(eventOf('one'));
    await expect.poll(() => tried).toHaveLength(1);
    const ended = given.lose();
    handling.resolve();
    await ended;
    expect(await given.open()).toEqual([]);
  });

  it('while it waits for its next try is tried as soon as the slot comes again, in its order', async () => {
    const tried: string[] = [];
    await using given = await openWithSlot(async (body) => {
      tried.push(body);
      if (tried.length === 1) throw new AppError('unavailable', 'not now', { retryable: true });
    });
    await given.deliveries.take(eventOf('one'));
    await given.deliveries.take(eventOf('two'));
    await expect.poll(() => given.logged.join('')).toContain('could not be handled yet');
    await given.lose();
    given.give(2);
    await expect.poll(() => tried).toEqual(['body of one', 'body of one', 'body of two']);
  });
});
