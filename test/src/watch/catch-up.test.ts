import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/log.ts';
import type { Message } from '../../../src/model.ts';
import { createCatchUp, type CatchUp } from '../../../src/watch/catch-up.ts';
import { channel, createWatchedPlace, type WatchedPlace } from '../../fakes/watched-place.ts';

const GENERAL = channel('general');

let place: WatchedPlace;
let catchUp: CatchUp;
let cursor: string | undefined;
let taken: string[];
let failTake: () => void;
/** Holds the history back until it resolves. */
let gate: Promise<void>;

const take = async ({ text, position }: Message): Promise<void> => {
  failTake();
  taken.push(text);
  if (position > (cursor ?? '')) cursor = position;
};
/** The channel was followed until now. */
const follow = async (): Promise<void> => {
  catchUp.missed(GENERAL, undefined);
  await catchUp.idle();
  place.calls.length = 0;
};
const report = (message: Message): Promise<void> => catchUp.report(GENERAL, () => take(message));

beforeEach(() => {
  place = createWatchedPlace();
  cursor = undefined;
  taken = [];
  failTake = () => undefined;
  gate = Promise.resolve();
  catchUp = createCatchUp({
    cursors: { of: async () => cursor, recent: async () => [] },
    port: () => ({
      ...place.port,
      async *history(...args) {
        await gate;
        yield* place.port.history(...args);
      },
    }),
    sinceMs: () => 0,
    take,
    gone: async () => undefined,
    log: createLog('silent'),
    now: () => Date.now(),
  });
});

afterEach(async () => catchUp[Symbol.asyncDispose]());

describe('catching up', () => {
  it('looks at the history before the first report of a channel', async () => {
    place.say(GENERAL, 'missed');
    await report(place.say(GENERAL, 'live'));
    await catchUp.idle();
    expect(taken).toEqual(['missed', 'live', 'live']);
  });

  it('looks at no history where nothing was missed', async () => {
    await follow();
    await report(place.say(GENERAL, 'live'));
    expect(taken).toEqual(['live']);
    expect(place.calls).toEqual([]);
  });

  it('tells a report whether everything before it was seen', async () => {
    await follow();
    const whole: boolean[] = [];
    const tell = (isWhole: boolean): Promise<void> => Promise.resolve(void whole.push(isWhole));
    await catchUp.report(GENERAL, tell);
    const failing = catchUp.report(GENERAL, () => Promise.reject(new Error('no disk')));
    const next = catchUp.report(GENERAL, tell);
    await expect(failing).rejects.toThrow();
    await next;
    await catchUp.idle();
    await catchUp.report(GENERAL, tell);
    expect(whole).toEqual([true, false, true]);
  });

  it('goes on looking until everything is taken', async () => {
    let faults = 1;
    taken = [];
    const { text } = place.say(GENERAL, 'missed');
    failTake = () => {
      faults -= 1;
      if (faults >= 0) throw new Error('no disk');
    };
    catchUp.missed(GENERAL, undefined);
    await expect.poll(() => taken, { timeout: 5_000 }).toEqual([text]);
  });

  it('looks for the newest of what was missed, though more was missed while it waited', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const held = catchUp.report(GENERAL, () => opening.promise);
    catchUp.missed(GENERAL, cursor);
    catchUp.missed(GENERAL, place.say(GENERAL, 'missed').position);
    opening.resolve();
    await held;
    await catchUp.idle();
    expect(taken).toEqual(['missed']);
  });

  it('leaves out no report of what the history cannot tell', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const reports = [catchUp.report(GENERAL, () => opening.promise)];
    let gone = 0;
    for (let at = 0; at < 1_100; at += 1)
      reports.push(
        catchUp.reportAlways(GENERAL, async () => {
          gone += 1;
        }),
      );
    opening.resolve();
    await Promise.all(reports);
    expect(gone).toBe(1_100);
  });

  it('holds reports back while the history comes', async () => {
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    place.say(GENERAL, 'missed');
    catchUp.missed(GENERAL, undefined);
    const reported = report({ ...place.say(GENERAL, 'gone before it was fetched'), text: 'live' });
    expect(taken).toEqual([]);
    opening.resolve();
    await reported;
    expect(taken).toEqual(['missed', 'gone before it was fetched', 'live']);
  });

  it('finds what was missed in a second gap, whatever was reported in between', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    catchUp.missed(GENERAL, undefined);
    const between = report(place.say(GENERAL, 'between'));
    catchUp.missed(GENERAL, undefined);
    opening.resolve();
    await between;
    const after = place.say(GENERAL, 'missed in the second gap');
    await catchUp.idle();
    expect(cursor).toBe(after.position);
  });

  it('asks once for gaps that follow each other', async () => {
    for (let gap = 0; gap < 5; gap += 1) catchUp.missed(GENERAL, undefined);
    await catchUp.idle();
    expect(place.calls).toEqual(['history']);
  });

  it('drops no report for good when too many wait: their history is looked at', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    catchUp.missed(GENERAL, undefined);
    const reports = Array.from({ length: 1_100 }, (_, at) => report(place.say(GENERAL, `${at}`)));
    opening.resolve();
    await Promise.all(reports);
    await catchUp.idle();
    expect([...new Set(taken)]).toEqual(Array.from({ length: 1_100 }, (_, at) => `${at}`));
    expect(place.calls).toEqual(['history', 'history']);
  });

  it('lets a report that fails fail alone', async () => {
    await follow();
    const failing = catchUp.report(GENERAL, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    await report(place.say(GENERAL, 'next'));
    expect(taken).toEqual(['next']);
  });
});
