import { describe, expect, it } from 'vitest';
import { createEventCover } from '../../../../adapters/slack/inbound/missed-events.ts';
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
