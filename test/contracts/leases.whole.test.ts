import { onTestFinished } from 'vitest';
import type { Leases, Tenure } from '../../src/ports/processes.ts';
import { openEmbeddedLeases } from '../../src/store/sqlite/store.ts';
import { openStore } from '../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../fakes/database.ts';
import { testBroken, testContract } from './contract.ts';
import { LEASES_CONTRACT, type LeasesSubject } from './leases.ts';

testContract('leases of a database that one process holds', LEASES_CONTRACT, async () => {
  const store = await openStore('sqlite::memory:');
  onTestFinished(() => store.destroy());
  return {
    leases: await openEmbeddedLeases(store, 'first'),
    restart: () => openEmbeddedLeases(store, 'second'),
  };
});

testContract('leases of PostgreSQL', LEASES_CONTRACT, async () => {
  const url = await makeDatabase();
  const { leases } = await openTestStore(url);
  return { leases, restart: async () => (await openTestStore(url)).leases };
});

/** Leases that are given to everybody, with what a tenure of theirs has otherwise. */
const broken = (part: (signal: AbortSignal) => Partial<Tenure> = () => ({})): LeasesSubject => {
  const leases: Leases = {
    acquire: async (name, signal) => ({
      name,
      epoch: 1,
      signal,
      isHeld: () => !signal.aborted,
      assertHeld: () => undefined,
      release: async () => undefined,
      ...part(signal),
    }),
    share: () => ({ stopClaiming: () => undefined, [Symbol.asyncDispose]: async () => undefined }),
    tell: () => undefined,
    isAnyHeld: async () => false,
  };
  return { leases, restart: async () => leases };
};

testBroken(LEASES_CONTRACT, {
  'gives a name to everybody': { port: broken(), fails: 'give a name to one holder at a time' },
  'counts no epochs': {
    port: broken(),
    fails: 'give every tenure of a name a larger epoch, in the next process too',
  },
  'goes on waiting': {
    port: broken(),
    fails: 'end a wait with its signal, and pass its turn on',
  },
  'forgets the signal': {
    port: broken(() => ({ isHeld: () => true })),
    fails: 'end a tenure with the signal that it was acquired with',
  },
  'lets a released tenure go on': {
    port: broken(),
    fails: 'let nothing be done in a tenure that was released',
  },
});
