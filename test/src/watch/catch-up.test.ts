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
/** Holds the history back until it resolves. */
let gate: Promise<void>;

const take = async ({ text, position }: Message): Promise<void> => {
  taken.push(text);
  if (position > (cursor ?? '')) cursor = position;
};
const report = (message: Message): Promise<void> => catchUp.report(GENERAL, () => take(message));

beforeEach(() => {
  place = createWatchedPlace();
  cursor = undefined;
  taken = [];
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

  it('looks at no history of a channel that was not watched before', async () => {
    place.say(GENERAL, 'before');
    catchUp.fresh(GENERAL);
    await report(place.say(GENERAL, 'live'));
    expect(taken).toEqual(['live']);
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
    catchUp.fresh(GENERAL);
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
    catchUp.fresh(GENERAL);
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
    catchUp.fresh(GENERAL);
    const failing = catchUp.report(GENERAL, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    await report(place.say(GENERAL, 'next'));
    expect(taken).toEqual(['next']);
  });
});
