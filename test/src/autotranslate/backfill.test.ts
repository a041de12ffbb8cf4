import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';
import { plainWords } from '../../../src/model/compose-rich-text.ts';
import { plainText } from '../../../src/model/walk-rich-text.ts';
import type { Message } from '../../../src/model/message.ts';
import {
  createBackfill,
  type Backfill,
  type BackfillDeps,
} from '../../../src/autotranslate/backfill.ts';
import type { HistoryOptions } from '../../../src/ports/channel-feed.ts';
import type { HistoryGap } from '../../../src/store/history-gaps.ts';
import { channel, createFakeFeed, type FakeFeed } from '../../fakes/channel-feed.ts';

const GENERAL = channel('general');
const DAY_MS = 86_400_000;

let place: FakeFeed;
let backfill: Backfill;
let cursor: string | undefined;
let taken: string[];
let failTake: () => void;
/** Holds the history back until it resolves. */
let gate: Promise<void>;
let aheadMs: number;
/** From where on the last messages were asked for. */
let lookedBackTo: string | undefined;
/** The last messages before the cursor. */
let recent: Message[];
let deleted: string[];
let gaps: HistoryGap[];

const take = async ({ text, position }: Message): Promise<void> => {
  failTake();
  taken.push(plainText(text));
  if (position > (cursor ?? '')) cursor = position;
};
/** The channel was followed until now. */
const follow = async (): Promise<void> => {
  backfill.missed(GENERAL, undefined);
  await backfill.idle();
  place.calls.length = 0;
};
const report = (message: Message): Promise<void> => backfill.report(GENERAL, () => take(message));

const parts = (): BackfillDeps => ({
  cursors: {
    of: async () => cursor,
    recent: async (_, after) => {
      lookedBackTo = after;
      return recent;
    },
  },
  platforms: {
    find: () => ({
      mirrors: place.mirrors,
      feed: {
        ...place.feed,
        async *history(...args) {
          await gate;
          yield* place.feed.history(...args);
        },
      },
    }),
  },
  sinceMs: () => 0,
  take,
  markDeleted: async (refs) => void deleted.push(...refs.map(({ id }) => id)),
  noteGap: async (gap) => void gaps.push(gap),
  hold: () => ({ [Symbol.dispose]: () => undefined }),
  log: createLog('silent'),
  now: () => Date.now() + aheadMs,
});

beforeEach(() => {
  place = createFakeFeed();
  cursor = undefined;
  taken = [];
  failTake = () => undefined;
  gate = Promise.resolve();
  aheadMs = 0;
  lookedBackTo = undefined;
  [recent, deleted, gaps] = [[], [], []];
  backfill = createBackfill(parts());
});

afterEach(async () => backfill[Symbol.asyncDispose]());

describe('catching up', () => {
  it('looks at the history before the first report of a channel', async () => {
    place.say(GENERAL, 'missed');
    await report(place.say(GENERAL, 'live'));
    await backfill.idle();
    expect(taken).toEqual(['missed', 'live', 'live']);
  });

  it('begins with channels in which messages wait for it', async () => {
    const quiet = Array.from({ length: 8 }, (_, index) => channel(`quiet-${index}`));
    for (const each of quiet) place.say(each, each.id);
    place.say(GENERAL, 'missed');
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    for (const each of [...quiet, GENERAL]) backfill.missed(each, undefined);
    const live = report(place.say(GENERAL, 'live'));
    opened.resolve();
    await live;
    const isQuiet = (text: string): boolean => text.startsWith('quiet');
    expect(taken.filter(isQuiet).length).toBeLessThan(quiet.length);
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
    await backfill.report(GENERAL, tell);
    const failing = backfill.report(GENERAL, () => Promise.reject(new Error('no disk')));
    const next = backfill.report(GENERAL, tell);
    await expect(failing).rejects.toThrow();
    await next;
    await backfill.idle();
    await backfill.report(GENERAL, tell);
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
    backfill.missed(GENERAL, undefined);
    await expect.poll(() => taken).toEqual([plainText(text)]);
  });

  it('looks for the newest of what was missed, though more was missed while it waited', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const held = backfill.report(GENERAL, () => opening.promise);
    backfill.missed(GENERAL, cursor);
    backfill.missed(GENERAL, place.say(GENERAL, 'missed').position);
    opening.resolve();
    await held;
    await backfill.idle();
    expect(taken).toEqual(['missed']);
  });

  it('leaves out no report of what the history cannot tell', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const reports = [backfill.report(GENERAL, () => opening.promise)];
    let gone = 0;
    for (let at = 0; at < 1_100; at += 1)
      reports.push(
        backfill.reportAlways(GENERAL, async () => {
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
    backfill.missed(GENERAL, undefined);
    const reported = report({
      ...place.say(GENERAL, 'gone before it was fetched'),
      text: plainWords('live'),
    });
    expect(taken).toEqual([]);
    opening.resolve();
    await reported;
    expect(taken).toEqual(['missed', 'gone before it was fetched', 'live']);
  });

  it('finds what was missed in a second gap, whatever was reported in between', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    backfill.missed(GENERAL, undefined);
    const between = report(place.say(GENERAL, 'between'));
    backfill.missed(GENERAL, undefined);
    opening.resolve();
    await between;
    const after = place.say(GENERAL, 'missed in the second gap');
    await backfill.idle();
    expect(cursor).toBe(after.position);
  });

  it('asks once for gaps that follow each other', async () => {
    for (let gap = 0; gap < 5; gap += 1) backfill.missed(GENERAL, undefined);
    await backfill.idle();
    expect(place.calls).toEqual(['history']);
  });

  it('drops no report for good when too many wait: their history is looked at', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    backfill.missed(GENERAL, undefined);
    const reports = Array.from({ length: 1_100 }, (_, at) => report(place.say(GENERAL, `${at}`)));
    opening.resolve();
    await Promise.all(reports);
    await backfill.idle();
    expect([...new Set(taken)]).toEqual(Array.from({ length: 1_100 }, (_, at) => `${at}`));
    expect(place.calls).toEqual(['history', 'history']);
  });

  it('fetches nothing that is older than a day, nor looks further back', async () => {
    cursor = place.say(GENERAL, 'long ago').position;
    place.say(GENERAL, 'long ago, and missed');
    aheadMs = 2 * DAY_MS;
    await follow();
    expect(taken).toEqual([]);
    expect(Number(lookedBackTo)).toBeGreaterThan(Number(cursor));
  });

  it('begins anew with a channel that was forgotten', async () => {
    await follow();
    backfill.forget(GENERAL);
    place.say(GENERAL, 'missed');
    await report(place.say(GENERAL, 'live'));
    expect(new Set(taken)).toEqual(new Set(['missed', 'live']));
  });

  it.each([
    new AppError('forbidden', 'closed'),
    new AppError('bad-input', 'the platform takes no such request'),
  ])('goes on with what is reported where the platform gives no history: %s', async (error) => {
    place.fail({ call: 'history', error });
    await report(place.say(GENERAL, 'live'));
    expect(taken).toEqual(['live']);
    expect(place.calls).toEqual(['history']);
  });

  it('reads a history again that nobody understands', async () => {
    place.fail({ call: 'history', error: new AppError('internal', 'half a page') });
    place.say(GENERAL, 'missed');
    backfill.missed(GENERAL, undefined);
    await backfill.idle();
    expect(taken).toEqual(['missed']);
  });

  it('lets go of no channel whose history is being read, however many there are', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const { ref } = place.say(GENERAL, 'before');
    gate = opening.promise;
    backfill.missed(GENERAL, undefined);
    for (let at = 0; at < 10_001; at += 1) backfill.missed(channel(`other ${at}`), undefined);
    const reported = report(place.edit(ref, 'after'));
    opening.resolve();
    await reported;
    await backfill.idle();
    expect(taken.at(-1)).toBe('after');
  });

  it('takes any number of reports, one after the other, without the history', async () => {
    await follow();
    const message = place.say(GENERAL, 'live');
    for (let at = 0; at < 1_100; at += 1) await report(message);
    expect(taken).toHaveLength(1_100);
    expect(place.calls).toEqual([]);
  });

  it('ends at once, though a history never comes to its end', async () => {
    let signal: AbortSignal | undefined;
    const endless = createBackfill({
      ...parts(),
      platforms: {
        find: () => ({
          mirrors: place.mirrors,
          feed: {
            ...place.feed,
            async *history(_of, _after, ending) {
              signal = ending;
              await new Promise((_, reject) => {
                ending.addEventListener('abort', () => reject(ending.reason as Error));
              });
            },
          },
        }),
      },
    });
    endless.missed(GENERAL, undefined);
    await expect.poll(() => signal).toBeDefined();
    await endless[Symbol.asyncDispose]();
    expect(signal?.aborted).toBe(true);
  });

  it('lets a report that fails fail alone', async () => {
    await follow();
    const failing = backfill.report(GENERAL, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    await report(place.say(GENERAL, 'next'));
    expect(taken).toEqual(['next']);
  });
});

describe('a history that takes minutes', () => {
  /** Holds each history back until it resolves, and says what it leaves unread. */
  let opening: PromiseWithResolvers<void>;
  let unread: (options: HistoryOptions, after: string) => void;

  const slow = (isSlow = true): Backfill => {
    const { platforms, ...rest } = parts();
    return createBackfill({
      ...rest,
      platforms: {
        find: (at) => {
          const found = platforms.find(at);
          return (
            found && {
              ...found,
              feed: {
                ...found.feed,
                isHistorySlow: () => isSlow,
                async *history(of, after, signal, options) {
                  await opening.promise;
                  if (options) unread(options, after);
                  yield* place.feed.history(of, options?.missedAfter ?? after, signal);
                },
              },
            }
          );
        },
      },
    });
  };

  beforeEach(() => {
    opening = Promise.withResolvers<void>();
    unread = () => undefined;
  });

  it('delays no report, and the cursor waits for it', async () => {
    await using patient = slow();
    place.say(GENERAL, 'missed');
    const whole: boolean[] = [];
    const message = place.say(GENERAL, 'live');
    const tell = async (isWhole: boolean): Promise<void> => void whole.push(isWhole);
    await patient.report(GENERAL, tell);
    await patient.report(GENERAL, tell);
    opening.resolve();
    await patient.idle();
    await patient.report(GENERAL, tell);
    expect(whole).toEqual([false, false, true]);
    expect(taken).toEqual(['missed', plainText(message.text)]);
  });

  it('keeps no other channel from its history', async () => {
    await using patient = slow();
    for (let at = 0; at < 10; at += 1) patient.missed(channel(`slow ${at}`), undefined);
    place.say(channel('slow 11'), 'missed');
    patient.missed(channel('slow 11'), undefined);
    opening.resolve();
    await patient.idle();
    expect(taken).toEqual(['missed']);
  });

  it('is read once more for all that was missed while it was read', async () => {
    await using patient = slow();
    for (let at = 0; at < 5; at += 1) {
      patient.missed(GENERAL, undefined);
      await patient.report(GENERAL, async () => undefined);
    }
    opening.resolve();
    await patient.idle();
    expect(place.calls.length).toBeLessThanOrEqual(2);
  });

  it('whose beginning is unread leaves a gap, told before anything is taken', async () => {
    const known = place.say(GENERAL, 'known');
    cursor = known.position;
    const lost = place.say(GENERAL, 'lost');
    unread = ({ missedAfter, unread: tell }) => tell(missedAfter, lost.position);
    let gapsAtFirst = -1;
    failTake = () => {
      if (gapsAtFirst < 0) gapsAtFirst = gaps.length;
    };
    await using patient = slow();
    patient.missed(GENERAL, undefined);
    opening.resolve();
    await patient.idle();
    expect(gapsAtFirst).toBe(1);
    expect(gaps).toEqual([
      {
        channel: GENERAL,
        fromMs: place.feed.timeOf(known.position),
        untilMs: place.feed.timeOf(lost.position),
        reason: 'limited',
      },
    ]);
  });

  it('that leaves known messages unread counts none of them as deleted', async () => {
    const known = place.say(GENERAL, 'known');
    recent = [known];
    cursor = known.position;
    unread = ({ missedAfter, unread: tell }, after) => tell(after, missedAfter);
    await using patient = slow();
    patient.missed(GENERAL, undefined);
    opening.resolve();
    await patient.idle();
    expect([deleted, gaps]).toEqual([[], []]);
  });

  it('is none that fails once and then comes: reports wait', async () => {
    await follow();
    place.fail({
      call: 'history',
      error: new AppError('unavailable', 'for a moment', { retryable: true }),
    });
    place.say(GENERAL, 'missed');
    backfill.missed(GENERAL, undefined);
    let takenBefore = -1;
    await backfill.report(GENERAL, async () => void (takenBefore = taken.length));
    expect(takenBefore).toBe(1);
  });

  it('is any that is refused for longer: reports go on meanwhile', async () => {
    await follow();
    place.fail({
      call: 'history',
      error: new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 1_100 }),
    });
    place.say(GENERAL, 'missed');
    backfill.missed(GENERAL, undefined);
    let takenBefore = -1;
    await backfill.report(GENERAL, async () => void (takenBefore = taken.length));
    await backfill.idle();
    expect([takenBefore, taken]).toEqual([0, ['missed']]);
  });
});

describe('a history that may not be read', () => {
  it('leaves a gap since the last known message', async () => {
    cursor = place.say(GENERAL, 'known').position;
    aheadMs = 60_000;
    place.fail({ call: 'history', error: new AppError('forbidden', 'closed') });
    backfill.missed(GENERAL, undefined);
    await backfill.idle();
    expect(gaps).toMatchObject([
      { channel: GENERAL, fromMs: place.feed.timeOf(cursor), reason: 'forbidden' },
    ]);
  });
});
