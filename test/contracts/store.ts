import { expect } from 'vitest';
import type { Store } from '../../src/store/index.ts';
import type { Contract } from './contract.ts';

type Transaction = Parameters<Parameters<Store['write']>[0]>[0];

/** A store without rows, and another connection to the same one where the engine has such. */
export interface StoreSubject {
  readonly store: Store;
  readonly reopen?: () => Promise<Store>;
}

export const setLanguage =
  (id: string, language: string) =>
  async (db: Transaction): Promise<void> => {
    await db
      .insertInto('member_setting')
      .values({ platform: 'test', member_id: id, language, voice_id: null })
      .onConflict((conflict) =>
        conflict.columns(['platform', 'member_id']).doUpdateSet({ language }),
      )
      .execute();
  };

export const languages = async (store: Store): Promise<Record<string, string | null>> => {
  const rows = await store.selectFrom('member_setting').select(['member_id', 'language']).execute();
  return Object.fromEntries(rows.map(({ member_id: id, language }) => [id, language]));
};

const failing = async (): Promise<never> => {
  throw new Error('broken');
};

/** Texts in the order of their code points, which is the order of their bytes in UTF-8. */
const SORTED = ['', '10', '9', 'A', 'Z', '_', 'a', 'ab', 'z', 'é', '字', '\u{1F600}'];

const setCursors = (texts: readonly string[]) => async (db: Transaction) => {
  for (const text of texts)
    await db
      .insertInto('channel_cursor')
      .values({
        platform: 'test',
        channel_id: `of ${text}`,
        space_id: 's',
        parent_id: null,
        position: text,
      })
      .execute();
};

/** What every engine of the store must do. */
export const storeContract: Contract<StoreSubject> = {
  'shows a write once it has resolved': async ({ store }) => {
    const found = await store.write(async (db) => {
      await setLanguage('ada', 'en')(db);
      return db.selectFrom('member_setting').select('language').executeTakeFirst();
    });
    expect(found).toEqual({ language: 'en' });
    expect(await languages(store)).toEqual({ ada: 'en' });
  },

  'lets writes that are equally durable take effect in the order in which they came': async ({
    store,
  }) => {
    const codes = ['en', 'es', 'ja', 'de', 'fr', 'ko'];
    const writes = [true, false].flatMap((durable) =>
      codes.map((code) => store.write(setLanguage(`durable: ${durable}`, code), { durable })),
    );
    await Promise.all(writes);
    expect(await languages(store)).toEqual({ 'durable: true': 'ko', 'durable: false': 'ko' });
  },

  'undoes a write that fails, and no other': async ({ store }) => {
    const results = await Promise.allSettled([
      store.write(setLanguage('ada', 'en')),
      store.write(async (db) => {
        await setLanguage('bob', 'xx')(db);
        return failing();
      }),
      store.write(setLanguage('eva', 'es'), { durable: false }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await languages(store)).toEqual({ ada: 'en', eva: 'es' });
  },

  'loses no change that reads before it writes': async ({ store }) => {
    await store.write(setLanguage('ada', '0'));
    const count = async (db: Transaction): Promise<void> => {
      const row = await db
        .selectFrom('member_setting')
        .select('language')
        .where('member_id', '=', 'ada')
        .executeTakeFirstOrThrow();
      await setLanguage('ada', String(Number(row.language) + 1))(db);
    };
    await Promise.all(Array.from({ length: 50 }, () => store.write(count)));
    expect(await languages(store)).toEqual({ ada: '50' });
  },

  'has nothing left to write when it says so': async ({ store }) => {
    const writes = Array.from({ length: 40 }, (_, index) =>
      store.write(setLanguage(`${index}`, 'en'), { durable: false }),
    );
    await store.written();
    expect(Object.keys(await languages(store))).toHaveLength(40);
    await Promise.all(writes);
  },

  'sorts positions by their bytes': async ({ store }) => {
    await store.write(setCursors(SORTED.toReversed()));
    const rows = await store
      .selectFrom('channel_cursor')
      .select('position')
      .orderBy('position')
      .execute();
    expect(rows.map(({ position }) => position)).toEqual(SORTED);
    const after = await store
      .selectFrom('channel_cursor')
      .select('position')
      .where('position', '>', 'Z')
      .where('position', '<', 'é')
      .orderBy('position', 'desc')
      .execute();
    expect(after.map(({ position }) => position)).toEqual(['z', 'ab', 'a', '_']);
  },

  'gives numbers back as numbers, however large': async ({ store }) => {
    const used = { characters: 2 ** 40, audio_ms: 2 ** 45, chat_tokens: 2 ** 41, messages: 3 };
    const key = { platform: 'test', space_id: 's', day: '2026-01-02', member_id: 'ada' };
    await store.write(async (db) =>
      db
        .insertInto('usage_day')
        .values({ ...key, ...used })
        .execute(),
    );
    const sums = await store
      .selectFrom('usage_day')
      .select(({ fn }) => [
        fn.sum<number>('characters').as('characters'),
        fn.sum<number>('audio_ms').as('audio_ms'),
        fn.countAll<number>().as('rows'),
      ])
      .executeTakeFirst();
    expect(sums).toEqual({ characters: 2 ** 40, audio_ms: 2 ** 45, rows: 1 });
    expect(await store.selectFrom('usage_day').selectAll().execute()).toEqual([
      { ...key, ...used },
    ]);
  },

  'tells what a write has changed': async ({ store }) => {
    await store.write(setLanguage('ada', 'en'));
    const changed = await store.write(async (db) => {
      const known = await db
        .insertInto('member_setting')
        .values({ platform: 'test', member_id: 'ada', language: 'es', voice_id: null })
        .onConflict((conflict) => conflict.doNothing())
        .returning('language')
        .executeTakeFirst();
      const { numDeletedRows } = await db
        .deleteFrom('member_setting')
        .where('member_id', '=', 'ada')
        .executeTakeFirstOrThrow();
      const { numUpdatedRows } = await db
        .updateTable('member_setting')
        .set({ language: 'xx' })
        .executeTakeFirstOrThrow();
      return { known, numDeletedRows, numUpdatedRows };
    });
    expect(changed).toEqual({ known: undefined, numDeletedRows: 1n, numUpdatedRows: 0n });
  },

  'keeps what is there through a checkpoint': async ({ store }) => {
    const write = store.write(setLanguage('ada', 'en'));
    await Promise.all([write, store.checkpoint(), store.checkpoint()]);
    expect(await languages(store)).toEqual({ ada: 'en' });
  },

  'keeps what was written for the next process': async ({ store, reopen }) => {
    if (!reopen) return;
    await store.write(setLanguage('ada', 'en'), { durable: false });
    await store.write(setLanguage('bob', 'es'));
    await store.written();
    await store.destroy();
    await using next = await reopen();
    expect(await languages(next)).toEqual({ ada: 'en', bob: 'es' });
  },
};
