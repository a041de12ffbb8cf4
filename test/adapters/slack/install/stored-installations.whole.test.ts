import { describe, expect, it } from 'vitest';
import { spaceOf } from '../../../../adapters/slack/ids.ts';
import { createStoredInstallations } from '../../../../adapters/slack/install/stored-installations.ts';
import type { Space } from '../../../../src/model/place.ts';
import type { InstallationStore } from '../../../../src/ports/store.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { cipherOf } from '../../../../src/store/secrets/encryption.ts';
import { createInstallationStore } from '../../../../src/store/secrets/installations.ts';
import { openSpaceData } from '../../../../src/store/privacy/space-data.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { watchEventLoop } from '../../../fakes/event-loop.ts';
import { onServer } from '../../../fakes/on-server.ts';

const ORGANISATION = spaceOf('E1');
const WORKSPACE = spaceOf('T1');
const POINTER = JSON.stringify({ organisation: ORGANISATION.id });

const written = (token: string, installedMs?: number): string =>
  JSON.stringify({
    installation: { appId: 'A1', bot: { token, id: 'B1', userId: 'U1', scopes: [] } },
    installedMs,
  });

/** Two processes on one database, the second of which may have another key. */
const open = async ({ otherKey = 1 } = {}) => {
  const url = await makeDatabase();
  const [first, second] = [await openTestStore(url), await openTestStore(url)];
  const storeOf = (store: typeof first, byte: number) =>
    createInstallationStore(store, cipherOf([new Uint8Array(32).fill(byte)])!);
  const there = storeOf(second, otherKey);
  const asked: string[] = [];
  const changed: Space[] = [];
  const counted: InstallationStore = {
    ...there,
    of: async (space) => {
      asked.push('of');
      return there.of(space);
    },
    all: async (platform) => {
      asked.push('all');
      return there.all(platform);
    },
  };
  const known = createStoredInstallations(counted, createLog('silent'));
  return {
    url,
    first,
    second,
    /** The queries of the second process. */
    asked,
    here: storeOf(first, 1),
    there,
    known,
    unwatch: known.watch((spaces) => void changed.push(...spaces)),
    /** The spaces that were told as changed since the last call. */
    takeChanged: () => changed.splice(0),
  };
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

  it('stores, replaces or removes is told as changed, but not one whose token is renewed', async () => {
    const { here, takeChanged } = await open();
    await here.put(WORKSPACE, written('one', 1));
    expect(takeChanged()).toEqual([WORKSPACE]);
    expect(await here.replace(WORKSPACE, written('one', 1), written('two', 1))).toBe(true);
    expect(takeChanged()).toEqual([]);
    await here.put(WORKSPACE, written('three', 2));
    expect(takeChanged()).toEqual([WORKSPACE]);
    await here.remove(WORKSPACE);
    expect(takeChanged()).toEqual([WORKSPACE]);
  });

  it('replaces for an organisation is told with its workspaces', async () => {
    const { here, takeChanged } = await open();
    await here.put(ORGANISATION, written('one', 1));
    await here.put(WORKSPACE, POINTER);
    takeChanged();
    await here.put(ORGANISATION, written('two', 2));
    expect(takeChanged()).toEqual([ORGANISATION, WORKSPACE]);
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

describe('stored installations whose changes may have been missed', () => {
  it('are read by one query, once', async () => {
    const { url, first, second, here, takeChanged, asked, known } = await open();
    const gone = spaceOf('T2');
    for (const space of [WORKSPACE, gone]) await here.put(space, written('one', 1));
    const data = await openSpaceData(first);
    await data.leave(gone);
    await data.remove(gone);
    expect(known.workspaces()).toEqual([WORKSPACE]);
    takeChanged();
    asked.splice(0);
    const reset = new Set<string>();
    for (const topic of ['installation', 'space-left'] as const)
      second.signals.subscribe(topic, (changed) => void (changed ?? reset.add(topic)));
    await onServer(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'dragoman session'`,
    );
    await expect.poll(() => reset.size).toBe(2);
    expect(asked).toEqual(['all']);
    expect(takeChanged()).toEqual([]);
    expect(known.of(WORKSPACE)?.token).toBe('one');
  });

  it('let others have their turns while thousands are decrypted', async () => {
    const stored = Array.from({ length: 1_000 }, (_, at) => ({
      space: spaceOf(`T${at}`),
      open: () => written('xoxb-1'),
    }));
    const all = async () => stored;
    const never: InstallationStore['of'] = async () => undefined;
    const none = { all, of: never, watch: () => () => undefined };
    const known = createStoredInstallations(none, createLog('silent'));
    const { turns } = await watchEventLoop(known.load);
    expect(turns).toBeGreaterThan(10);
    expect(known.workspaces()).toHaveLength(1_000);
  });

  it('are told where one came, went or was replaced', async () => {
    const { here, takeChanged, known, unwatch } = await open();
    unwatch();
    const [came, kept, gone] = [spaceOf('T1'), spaceOf('T2'), spaceOf('T3')];
    for (const space of [kept, gone]) await here.put(space, written('one', 1));
    await known.load();
    await here.put(came, written('one', 1));
    await here.put(kept, written('two', 1));
    await here.remove(gone);
    await known.reload();
    expect(new Set(takeChanged())).toEqual(new Set([came, gone]));
    expect(known.workspaces()).toEqual([came, kept]);
  });
});
