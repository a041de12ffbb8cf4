import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/store/index.ts';
import { createTransact } from '../../../src/store/sqlite/dialect.ts';
import { createStoreWriter, createDiskSync } from '../../../src/store/writer.ts';
import { fresh } from '../../fakes/opened.ts';
import { languages, setLanguage } from '../../contracts/store.ts';

const store = fresh(() => openStore('sqlite::memory:'));
const writer = fresh(() => createStoreWriter(createTransact(store), async () => undefined));

describe('the writer', () => {
  it('takes effect in the order in which writes came', async () => {
    await Promise.all(['en', 'es', 'ja'].map((code) => writer.write(setLanguage('ada', code))));
    expect(await languages(store)).toEqual({ ada: 'ja' });
  });

  it('tries writes of a moment once, all together, where the database cannot be used', async () => {
    let tries = 0;
    const away = new AppError('unavailable', 'the database is away', {
      sentence: { key: 'errors.storage' },
      retryable: true,
    });
    const failing = createStoreWriter(
      async () => {
        tries += 1;
        throw away;
      },
      async () => undefined,
    );
    const all = Array.from({ length: 20 }, () => failing.write(setLanguage('ada', 'en')));
    const ended = await Promise.allSettled(all);
    expect(ended).toEqual(ended.map(() => ({ status: 'rejected', reason: away })));
    expect(tries).toBe(1);
  });

  it('puts writes of one moment into one transaction', async () => {
    let transactions = 0;
    const counting = {
      transaction: () => {
        transactions += 1;
        return store.transaction();
      },
    };
    const counted = createStoreWriter(createTransact(counting), async () => undefined);
    const all = Array.from({ length: 20 }, (_, at) => counted.write(setLanguage(`${at}`, 'en')));
    await Promise.all(all);
    expect(Object.keys(await languages(store))).toHaveLength(20);
    expect(transactions).toBe(1);
  });

  it('lets a durable write wait for the disk, and neither others nor what comes after it', async () => {
    const disk = Promise.withResolvers<void>();
    const slow = createStoreWriter(createTransact(store), () => disk.promise);
    let isSafe = false;
    const write = (async () => {
      await slow.write(setLanguage('ada', 'en'));
      isSafe = true;
    })();
    await slow.write(setLanguage('bob', 'es'), { durable: false });
    expect(await languages(store)).toEqual({ ada: 'en', bob: 'es' });
    expect(isSafe).toBe(false);
    disk.resolve();
    await write;
    await slow.written();
  });

  it('says so when the disk failed', async () => {
    const broken = createStoreWriter(createTransact(store), async () => {
      throw new Error('broken');
    });
    await expect(broken.write(setLanguage('ada', 'en'))).rejects.toThrow('broken');
    await broken.write(setLanguage('ada', 'es'), { durable: false });
  });

  it('undoes a write that fails, and that one alone', async () => {
    const broken = writer.write(async (db) => {
      await setLanguage('bob', 'xx')(db);
      throw new Error('broken');
    });
    const all = [
      writer.write(setLanguage('ada', 'en')),
      broken,
      writer.write(setLanguage('eva', 'es')),
    ];
    const results = await Promise.allSettled(all);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await languages(store)).toEqual({ ada: 'en', eva: 'es' });
  });

  it('resolves with what a write found, and is idle when none waits', async () => {
    const found = writer.write(async (db) => {
      await setLanguage('ada', 'en')(db);
      return db.selectFrom('member_setting').select('language').executeTakeFirst();
    });
    expect(await found).toEqual({ language: 'en' });
    await writer.written();
  });
});

/** A disk that is done with what it was asked for when the test says so. */
const slowDisk = () => {
  const asked: PromiseWithResolvers<void>[] = [];
  return {
    asked,
    flush: (): Promise<void> => {
      const turn = Promise.withResolvers<void>();
      asked.push(turn);
      return turn.promise;
    },
  };
};

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise<false>((resolve) => {
    setImmediate(resolve, false);
  });
  return Promise.race([promise.then(() => true), later]);
};

describe('waiting for the disk', () => {
  it('is shared by those who come while it is busy, and by nobody who came before', async () => {
    const { asked, flush } = slowDisk();
    const synced = createDiskSync(flush);
    const first = synced();
    const others = Promise.all([synced(), synced()]);
    asked[0]?.resolve();
    expect(await settled(first)).toBe(true);
    // What they wrote may have come too late for the first turn.
    expect(await settled(others)).toBe(false);
    expect(asked).toHaveLength(2);
    asked[1]?.resolve();
    expect(await settled(others)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('fails for those whom it fails, and is tried anew for the others', async () => {
    const { asked, flush } = slowDisk();
    const synced = createDiskSync(flush);
    const first = synced();
    const second = synced();
    asked[0]?.reject(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    asked[1]?.resolve();
    await second;
    const third = synced();
    asked[2]?.resolve();
    await third;
    expect(asked).toHaveLength(3);
  });
});
