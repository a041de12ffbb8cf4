import { describe, expect, it } from 'vitest';
import { spaceOf } from '../../../../adapters/slack/ids.ts';
import { createStoredInstallations } from '../../../../adapters/slack/install/stored-installations.ts';
import { createLog } from '../../../../src/log.ts';
import { cipherOf } from '../../../../src/store/encryption.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { openSpaceData } from '../../../../src/store/space-data.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';

const ORGANISATION = spaceOf('E1');
const WORKSPACE = spaceOf('T1');
const POINTER = JSON.stringify({ organisation: ORGANISATION.id });

const written = (token: string): string =>
  JSON.stringify({
    installation: { appId: 'A1', bot: { token, id: 'B1', userId: 'U1', scopes: [] } },
  });

/** Two processes on one database, the second of which may have another key. */
const open = async ({ otherKey = 1 } = {}) => {
  const url = await makeDatabase();
  const [first, second] = [await openTestStore(url), await openTestStore(url)];
  const storeOf = (store: typeof first, byte: number) =>
    createInstallationStore(store, cipherOf([new Uint8Array(32).fill(byte)])!);
  const there = storeOf(second, otherKey);
  const known = createStoredInstallations(there, createLog('silent'));
  return { first, here: storeOf(first, 1), there, known, unwatch: known.watch() };
};

describe('an installation that another process', () => {
  it('stores, replaces or removes is known when the write resolves', async () => {
    const { here, known } = await open();
    await here.put(WORKSPACE, written('one'));
    expect(known.of(WORKSPACE)?.token).toBe('one');
    await here.put(WORKSPACE, written('two'));
    expect(known.of(WORKSPACE)?.token).toBe('two');
    await here.remove(WORKSPACE);
    expect(known.of(WORKSPACE)).toBeUndefined();
  });

  it('removes with all data of a workspace takes that workspace out of its organisation', async () => {
    const { first, here, known } = await open();
    await here.put(ORGANISATION, written('one'));
    await here.put(WORKSPACE, POINTER);
    expect(known.workspaces()).toEqual([WORKSPACE]);
    const data = await openSpaceData(first);
    await data.leave(WORKSPACE);
    await data.remove(WORKSPACE);
    expect(known.organisationOf(WORKSPACE)).toBeUndefined();
    expect(known.workspaces()).toEqual([]);
  });

  it('encrypts with a key that is not known here leaves what was known', async () => {
    const { here, there, known } = await open({ otherKey: 2 });
    await there.put(WORKSPACE, written('one'));
    await here.put(WORKSPACE, written('two'));
    expect(known.of(WORKSPACE)?.token).toBe('one');
  });

  it('changes is not read after the end', async () => {
    const { here, known, unwatch } = await open();
    unwatch();
    await here.put(WORKSPACE, written('one'));
    expect(known.of(WORKSPACE)).toBeUndefined();
  });
});
