import type { Transaction } from 'kysely';
import type { Space } from '../../src/model/place.ts';
import type { Schema } from '../../src/store/schema.ts';
import { makeDatabase, openTestStore } from '../fakes/database.ts';
import { testBroken, testContract, type Contract } from './contract.ts';
import { SIGNALS_CONTRACT, type SignalsSubject } from './signals.ts';

const contract: Contract<SignalsSubject> = SIGNALS_CONTRACT;

type Receive = (changed: Space) => Promise<void> | void;

const open = async (url = 'sqlite::memory:'): Promise<SignalsSubject> => {
  const store = await openTestStore(url);
  const subject: SignalsSubject<Transaction<Schema>> = {
    signals: store.signals,
    write: (work) => store.write(work),
    put: async (db, { platform, id }, value) => {
      const choices = String(value);
      await db
        .insertInto('space_setting')
        .values({ platform, space_id: id, choices })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'space_id']).doUpdateSet({ choices }),
        )
        .execute();
    },
    read: async ({ platform, id }) => {
      const row = await store
        .selectFrom('space_setting')
        .select('choices')
        .where('platform', '=', platform)
        .where('space_id', '=', id)
        .executeTakeFirst();
      return row && Number(row.choices);
    },
  };
  return subject as SignalsSubject;
};

/** A database in memory that delivers signals as `deliver` says, at the end of each write or before. */
const createBroken = (
  deliver: (receive: readonly Receive[], spaces: readonly Space[]) => Promise<void> | void,
  { isEarly = false, keepsTopics = true, keepsEnds = true } = {},
): SignalsSubject => {
  const stored = new Map<string, number>();
  const receivers = new Set<Receive>();
  return {
    signals: {
      publish: async (within, _, changed) => {
        (within as Space[]).push(changed as Space);
        if (isEarly) await deliver([...receivers], [changed as Space]);
      },
      subscribe: (topic, receive) => {
        const own: Receive = (changed) => receive(changed as never);
        if (!keepsTopics || topic === 'space-settings') receivers.add(own);
        return () => void (keepsEnds && receivers.delete(own));
      },
      isCurrent: () => true,
    },
    write: async (work) => {
      const spaces: Space[] = [];
      const before = new Map(stored);
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work(spaces);
      } catch (thrown) {
        stored.clear();
        for (const [key, value] of before) stored.set(key, value);
        throw thrown;
      }
      if (!isEarly) await deliver([...receivers], spaces);
      return result;
    },
    put: async (_, { id }, value) => void stored.set(id, value),
    read: async ({ id }) => stored.get(id),
  };
};

const all = async (receivers: readonly Receive[], spaces: readonly Space[]): Promise<void> => {
  for (const space of spaces) for (const receive of receivers) await receive(space);
};

testContract('signals of a database that one process holds', contract, open);
testContract('signals of PostgreSQL', contract, async () => open(await makeDatabase()));

testBroken(contract, {
  'delivers after the write': {
    port: createBroken((...given) => void setTimeout(() => void all(...given))),
    fails: 'are delivered to every subscriber before the write resolves',
  },
  'delivers to one subscriber': {
    port: createBroken((receivers, spaces) => all(receivers.slice(0, 1), spaces)),
    fails: 'are delivered to every subscriber before the write resolves',
  },
  'delivers before the commit': {
    port: createBroken(all, { isEarly: true }),
    fails: 'are delivered when the change can be read',
  },
  'delivers what is undone': {
    port: createBroken(all, { isEarly: true }),
    fails: 'are not delivered where the write is undone',
  },
  'knows no topics': {
    port: createBroken(all, { keepsTopics: false }),
    fails: 'are delivered by topic',
  },
  'delivers backwards': {
    port: createBroken(async (receivers, spaces) => {
      if (spaces[0]?.id === 'here') await new Promise(setImmediate);
      await all(receivers, spaces);
    }),
    fails: 'are delivered in the order of the writes',
  },
  'delivers twice': {
    port: createBroken((receivers, spaces) => all(receivers, [...spaces, ...spaces])),
    fails: 'are delivered once, in writes that come at the same moment too',
  },
  'keeps failures to itself': {
    port: createBroken((...given) => all(...given).catch(() => undefined)),
    fails: 'tell the writer of a subscriber that fails',
  },
  'forgets no subscriber': {
    port: createBroken(all, { keepsEnds: false }),
    fails: 'end with their subscription',
  },
});
