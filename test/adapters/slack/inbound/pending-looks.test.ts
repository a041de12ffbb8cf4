import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPendingLooks } from '../../../../adapters/slack/inbound/pending-looks.ts';
import { createAgreements } from '../../../../src/store/agreements.ts';
import { openStore } from '../../../../src/store/index.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { fresh } from '../../../fakes/opened.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const MINUTE_MS = 60_000;
const CHANNELS = ['C1', 'C2'].map((id) => ({ space: SPACE, id }));

const opened = fresh(() => new AsyncDisposableStack());
afterEach(() => opened.disposeAsync());

/** Processes on one database; each reads the channels that it may. */
const open = async () => {
  const store = opened.use(await openStore('sqlite::memory:'));
  const clock = createTestClock(0);
  const reads: string[] = [];
  let isInstalled = true;
  const agreements = createAgreements(store);
  const start = async (
    name: string,
    readMissed: (id: string) => Promise<boolean> = async () => true,
  ) => {
    const stopping = new AbortController();
    const looks = createPendingLooks({
      processes: { agreements, leases: store.leases },
      isInstalled: () => isInstalled,
      channelsOf: async () => CHANNELS,
      readMissed: async ({ id }) => {
        reads.push(`${name} ${id}`);
        return readMissed(id);
      },
      log: silentLog,
      clock,
      now: clock.nowMs,
      stopped: stopping.signal,
    });
    await looks.start(async () => {});
    return { looks, end: () => stopping.abort() };
  };
  const uninstall = (): void => {
    isInstalled = false;
  };
  return {
    clock,
    reads,
    start,
    uninstall,
    rows: async () => (await agreements.read('slack-')).size,
  };
};

describe('looks back in a workspace', () => {
  it('are made by one process, once, and are pending in all of them until then', async () => {
    const { reads, start, rows } = await open();
    const gate = Promise.withResolvers<boolean>();
    const first = await start('first', () => gate.promise);
    const second = await start('second');
    await first.looks.note(SPACE);
    await vi.waitFor(() => expect(reads).toEqual(['first C1', 'first C2']));
    await vi.waitFor(() => expect(second.looks.isPending(SPACE)).toBe(true));
    gate.resolve(true);
    await vi.waitFor(async () => expect(await rows()).toBe(0));
    await vi.waitFor(() => expect(second.looks.isPending(SPACE)).toBe(false));
    expect(reads).toEqual(['first C1', 'first C2']);
  });

  it('go on in another process where the first one left off', async () => {
    const { reads, start, rows } = await open();
    const ended = Promise.withResolvers<boolean>();
    const first = await start('first', async (id) => id === 'C1' || ended.promise);
    await first.looks.note(SPACE);
    await vi.waitFor(async () => expect(await rows()).toBe(2));
    const second = await start('second');
    expect(second.looks.isPending(SPACE)).toBe(true);
    first.end();
    ended.resolve(false);
    await vi.waitFor(async () => expect(await rows()).toBe(0));
    expect(reads).toEqual(['first C1', 'first C2', 'second C2']);
  });

  it('are made when they are due, and again after one that could not be made', async () => {
    const { clock, reads, start, rows } = await open();
    let isThere = false;
    const { looks } = await start('only', async () => isThere);
    await looks.note(SPACE, clock.nowMs() + 5 * MINUTE_MS);
    expect(reads).toEqual([]);
    await clock.advance(5 * MINUTE_MS);
    await vi.waitFor(() => expect(reads).toHaveLength(2));
    isThere = true;
    await vi.waitFor(async () => {
      await clock.advance(MINUTE_MS);
      expect(await rows()).toBe(0);
    });
    expect(looks.isPending(SPACE)).toBe(false);
  });

  it('leave nothing of a workspace that removes the app, while they are made or noted again', async () => {
    const { start, rows, uninstall } = await open();
    const gate = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const { looks } = await start('only', async (id) => {
      if (id === 'C1') return gate.promise;
      begun.resolve();
      return false;
    });
    await looks.note(SPACE);
    await begun.promise;
    uninstall();
    await looks.forgetSpace(SPACE);
    gate.resolve(true);
    await looks.note(SPACE);
    await vi.waitFor(async () => expect(await rows()).toBe(0));
    expect(looks.isPending(SPACE)).toBe(false);
  });
});
