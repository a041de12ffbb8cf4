import { describe, expect, it, vi } from 'vitest';
import type { Api } from '../../../../adapters/slack/api.ts';
import {
  createEventCover,
  createMissedEvents,
} from '../../../../adapters/slack/inbound/missed-events.ts';
import type { Installed } from '../../../../adapters/slack/install/installations.ts';
import type { Core } from '../../../../src/adapter.ts';
import type { Space } from '../../../../src/model/place.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createLoneProcess } from '../../../fakes/processes.ts';

const MINUTE_MS = 60_000;

/** Processes on one database, each with the times at which it found that events were missed. */
const open = () => {
  const clock = createTestClock(0);
  const { agreements } = createLoneProcess();
  const start = async () => {
    const stopping = new AbortController();
    const missed: number[] = [];
    const process = { missed, isTaking: true, end: () => stopping.abort() };
    const cover = createEventCover({
      agreements,
      clock,
      now: clock.nowMs,
      speed: 1,
      log: silentLog,
      stopped: stopping.signal,
      isTaking: () => process.isTaking,
      missed: async () => void missed.push(clock.nowMs()),
    });
    await cover.look();
    void cover.keep();
    await clock.advance(0);
    return process;
  };
  return { clock, start };
};

describe('the events of Slack', () => {
  it('were missed before the first process', async () => {
    const { start } = open();
    expect((await start()).missed.length).toBeGreaterThan(0);
  });

  it('were not missed before a process that starts while another one takes them', async () => {
    const { clock, start } = open();
    const first = await start();
    first.missed.length = 0;
    await clock.advance(60 * MINUTE_MS);
    expect((await start()).missed).toEqual([]);
    expect(first.missed).toEqual([]);
  });

  it.each([
    { awayMs: 40_000, isMissed: false },
    { awayMs: 2 * MINUTE_MS, isMissed: true },
  ])('without a process for $awayMs ms were missed: $isMissed', async ({ awayMs, isMissed }) => {
    const { clock, start } = open();
    const first = await start();
    await clock.advance(10 * MINUTE_MS);
    first.end();
    await clock.advance(awayMs);
    expect((await start()).missed.length > 0).toBe(isMissed);
  });

  it('were missed where the only process could not take them', async () => {
    const { clock, start } = open();
    const only = await start();
    only.missed.length = 0;
    only.isTaking = false;
    await clock.advance(5 * MINUTE_MS);
    only.isTaking = true;
    await clock.advance(MINUTE_MS);
    expect(only.missed).toHaveLength(1);
  });
});

const SPACES = ['T1', 'T2'].map((id) => ({ platform: 'slack', id }));
const [ONE, TWO] = SPACES as [Space, Space];

/** What finds missed events in a process; each workspace has a channel that is followed, and one that is not. */
const openMissed = ({ isHttp = true, receives = true } = {}) => {
  const stopping = new AbortController();
  const reads: string[] = [];
  const handled: string[] = [];
  let isRead = true;
  const api = {
    call: async ({ id }: Space) => ({ channels: [{ id: `C${id}` }, { id: `D${id}` }] }),
  } as unknown as Api;
  const missed = createMissedEvents({
    api,
    core: {
      feedListener: {
        follows: ({ id }: { readonly id: string }) => id.startsWith('C'),
        readMissed: async ({ id }: { readonly id: string }) => {
          reads.push(id);
          return isRead;
        },
      } as unknown as Core['feedListener'],
      log: silentLog,
      processes: createLoneProcess(),
      receives,
    },
    installations: { known: () => ({}) as Installed, list: () => SPACES },
    clock: createTestClock(0),
    speed: 1,
    stopped: stopping.signal,
    isTaking: isHttp ? () => true : undefined,
  });
  return {
    missed,
    reads,
    handled,
    resume: () => missed.resume(async ({ id }) => void handled.push(id)),
    hideHistories: () => {
      isRead = false;
    },
  };
};

describe('what finds that events were missed', () => {
  it('has the followed channels of all workspaces read where none was there to take events', async () => {
    const { missed, reads, handled, resume } = openMissed();
    expect(missed.reportsAll(ONE)).toBe(false);
    await resume();
    await vi.waitFor(() => expect(reads.toSorted()).toEqual(['CT1', 'CT2']));
    expect(handled.toSorted()).toEqual(['T1', 'T2']);
    await vi.waitFor(() => expect(SPACES.map(missed.reportsAll)).toEqual([true, true]));
  });

  it('says that a workspace reports all only once its channels were read', async () => {
    const { missed, reads, resume, hideHistories } = openMissed();
    await resume();
    await vi.waitFor(() => expect(SPACES.map(missed.reportsAll)).toEqual([true, true]));
    hideHistories();
    reads.length = 0;
    await missed.note(ONE);
    await vi.waitFor(() => expect(new Set(reads)).toEqual(new Set(['CT1'])));
    expect(SPACES.map(missed.reportsAll)).toEqual([false, true]);
    await missed.removed(ONE);
    expect(missed.reportsAll(ONE)).toBe(true);
  });

  it('has channels read at each connection of Socket Mode, which promises nothing', async () => {
    const { missed, reads, resume } = openMissed({ isHttp: false });
    await resume();
    expect(reads).toEqual([]);
    for (const times of [1, 2]) {
      missed.connected();
      await vi.waitFor(() => expect(reads).toHaveLength(times * SPACES.length));
    }
    missed.lookBack(TWO);
    await vi.waitFor(() => expect(reads.at(-1)).toBe('CT2'));
    expect(missed.reportsAll(ONE)).toBe(false);
  });

  it('reads nothing in a process that takes no events', async () => {
    const openNoted = async (receives: boolean) => {
      const opened = openMissed({ receives });
      await opened.resume();
      await opened.missed.note(ONE);
      await new Promise(setImmediate);
      return opened;
    };
    const { missed, reads, handled } = await openNoted(false);
    expect([reads, handled]).toEqual([[], []]);
    expect(missed.reportsAll(ONE)).toBe(false);
    // By then, another process has read.
    expect((await openNoted(true)).reads).not.toEqual([]);
  });
});
