import { describe, expect, it } from 'vitest';
import { createStoreWriter } from '../../../../src/store/writer.ts';
import { createTransact } from '../../../../src/store/sqlite/dialect.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import type { Watches } from '../../../../src/model/watches.ts';
import { openTestAutoTranslate } from '../../../fakes/autotranslate.ts';
import { createFakeFeed, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';
import { admit, conditions, inviteTo } from './request-support.ts';

/** A store of which one transaction, counted from 0, is never answered: it is lost before (even) or done after (odd). */
const dyingStore = (store: Store, deathAt: number) => {
  const death = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let step = 0;
  let isArmed = false;
  const meetDeath = async (): Promise<void> => {
    if (!isArmed) return;
    if (step === deathAt) death.resolve();
    step += 1;
    if (step > deathAt) await never;
  };
  type Transaction = ReturnType<Store['transaction']>;
  const transaction = () => ({
    execute: async (run: Parameters<Transaction['execute']>[0]) => {
      await meetDeath();
      const result = await store.transaction().execute(run);
      await meetDeath();
      return result;
    },
  });
  const writer = createStoreWriter(
    createTransact({ transaction } as Pick<Store, 'transaction'>),
    async () => undefined,
  );
  const mortal = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in writer ? writer : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const arm = (): void => {
    step = 0;
    isArmed = true;
  };
  return { store: mortal, died: death.promise, arm };
};

describe('a program that is killed while a link is made', () => {
  /** What people do, from whatever stands; resolves once the channels are linked. */
  const linkFrom = async (watches: Watches, known: { code?: string; id?: string }) => {
    known.code ??= await inviteTo(watches);
    known.id ??= (await watches.propose(known.code, mirror(THERE, 'es'), conditions)).id;
    await watches.ask(known.id, WORKSPACE, admit).catch(() => undefined);
    await watches.answer(known.id, SPACE, true, admit);
  };

  it.each(Array.from({ length: 10 }, (_, deathAt) => deathAt))(
    'at its effect %i leaves nothing half-done, and the link can be made',
    async (deathAt) => {
      await using store = await openStore('sqlite::memory:');
      const feeds = [createFakeFeed(), createFakeFeed(WORKSPACE)];
      const [feed] = feeds;
      const known: { code?: string; id?: string } = {};
      const life = dyingStore(store, deathAt);
      const first = await openTestAutoTranslate(life.store);
      for (const { platform } of feeds) first.attach(platform);
      life.arm();
      await Promise.race([life.died, linkFrom(first.watches, known)]);

      await using second = await openTestAutoTranslate(store);
      for (const { platform } of feeds) second.attach(platform);
      const { watches } = second;
      const count = (): number => watches.list(SPACE).length + watches.list(WORKSPACE).length;
      expect([0, 2]).toContain(count());
      const before = count();
      if (before === 0) await linkFrom(watches, known);
      expect(count()).toBe(2);
      expect(watches.of(ENGLISH)?.group).toBe(watches.of(THERE)?.group);
      expect(feed?.texts(ENGLISH).filter((text) => text.includes('asks to')).length).toBeLessThan(
        3,
      );
    },
  );
});
