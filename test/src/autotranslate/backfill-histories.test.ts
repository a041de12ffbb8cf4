import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createBackfill, type Backfill } from '../../../src/autotranslate/backfill.ts';
import type { Message } from '../../../src/model/message.ts';
import type { HistoryOptions } from '../../../src/ports/channel-feed.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { GENERAL, holdOf, withBackfill } from './backfill-support.ts';

const scene = withBackfill();
const { follow, parts } = scene;

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
                  yield* scene.place.feed.history(of, options?.missedAfter ?? after, signal);
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
    scene.place.say(GENERAL, 'missed');
    const whole: boolean[] = [];
    const message = scene.place.say(GENERAL, 'live');
    const tell = async (isWhole: boolean): Promise<void> => void whole.push(isWhole);
    await patient.report(GENERAL, tell);
    await patient.report(GENERAL, tell);
    opening.resolve();
    await patient.idle();
    await patient.report(GENERAL, tell);
    expect(whole).toEqual([false, false, true]);
    expect(scene.taken).toEqual(['missed', plainText(message.text)]);
  });

  it('keeps no other channel from its history', async () => {
    await using patient = slow();
    for (let at = 0; at < 10; at += 1) void patient.missed(channel(`slow ${at}`), undefined);
    scene.place.say(channel('slow 11'), 'missed');
    void patient.missed(channel('slow 11'), undefined);
    opening.resolve();
    await patient.idle();
    expect(scene.taken).toEqual(['missed']);
  });

  it('is read once more for all that was missed while it was read', async () => {
    await using patient = slow();
    for (let at = 0; at < 5; at += 1) {
      void patient.missed(GENERAL, undefined);
      await patient.report(GENERAL, async () => undefined);
    }
    opening.resolve();
    await patient.idle();
    expect(scene.place.calls.length).toBeLessThanOrEqual(2);
  });

  it('whose beginning is unread leaves a gap, told before anything is taken', async () => {
    const known = scene.place.say(GENERAL, 'known');
    scene.cursor = known.position;
    const lost = scene.place.say(GENERAL, 'lost');
    unread = ({ missedAfter, unread: tell }) => tell(missedAfter, lost.position);
    let gapsAtFirst = -1;
    scene.failTake = () => {
      if (gapsAtFirst < 0) gapsAtFirst = scene.gaps.length;
    };
    await using patient = slow();
    void patient.missed(GENERAL, undefined);
    opening.resolve();
    await patient.idle();
    expect(gapsAtFirst).toBe(1);
    expect(scene.gaps).toEqual([
      {
        channel: GENERAL,
        fromMs: scene.place.feed.timeOf(known.position),
        untilMs: scene.place.feed.timeOf(lost.position),
        reason: 'limited',
      },
    ]);
  });

  it('that leaves known messages unread counts none of them as deleted', async () => {
    const known = scene.place.say(GENERAL, 'known');
    scene.recent = [known];
    scene.cursor = known.position;
    unread = ({ missedAfter, unread: tell }, after) => tell(after, missedAfter);
    await using patient = slow();
    void patient.missed(GENERAL, undefined);
    opening.resolve();
    await patient.idle();
    expect([scene.deleted, scene.gaps]).toEqual([[], []]);
  });

  it('is none that fails once and then comes: reports wait', async () => {
    await follow();
    scene.place.fail({
      call: 'history',
      error: new AppError('unavailable', 'for a moment', { retryable: true }),
    });
    scene.place.say(GENERAL, 'missed');
    void scene.backfill.missed(GENERAL, undefined);
    let takenBefore = -1;
    await scene.backfill.report(GENERAL, async () => void (takenBefore = scene.taken.length));
    expect(takenBefore).toBe(1);
  });

  it('is any that is refused for longer: reports go on meanwhile', async () => {
    await follow();
    scene.place.fail({
      call: 'history',
      error: new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 1_100 }),
    });
    scene.place.say(GENERAL, 'missed');
    void scene.backfill.missed(GENERAL, undefined);
    let takenBefore = -1;
    await scene.backfill.report(GENERAL, async () => void (takenBefore = scene.taken.length));
    await scene.backfill.idle();
    expect([takenBefore, scene.taken]).toEqual([0, ['missed']]);
  });
});

describe('a history that comes late', () => {
  it('holds reports for little more than a second, and the cursor waits for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const opened = Promise.withResolvers<void>();
      scene.gate = opened.promise;
      const held: boolean[] = [];
      const hold = () => holdOf(Promise.resolve(), async () => void held.push(true));
      await using backfill = createBackfill({ ...parts(), hold });
      const missed = scene.place.say(GENERAL, 'missed');
      void backfill.missed(GENERAL, missed.position);
      const whole: boolean[] = [];
      const tell = async (isWhole: boolean): Promise<void> => void whole.push(isWhole);
      const reported = backfill.report(GENERAL, tell);
      await vi.advanceTimersByTimeAsync(1_199);
      expect([whole, held]).toEqual([[], []]);
      await vi.advanceTimersByTimeAsync(1);
      await reported;
      expect([whole, held, scene.taken]).toEqual([[false], [true], []]);
      opened.resolve();
      await backfill.idle();
      await backfill.report(GENERAL, tell);
      expect([whole, scene.taken]).toEqual([[false, true], ['missed']]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells what was missed from what may have been reported meanwhile', async () => {
    const taken: [string, boolean][] = [];
    const take = async ({ text }: Message, isMissed: boolean): Promise<void> =>
      void taken.push([plainText(text), isMissed]);
    await using backfill = createBackfill({ ...parts(), take });
    scene.place.say(GENERAL, 'missed');
    scene.aheadMs = -60_000;
    const live = scene.place.say(GENERAL, 'live');
    void backfill.missed(GENERAL, scene.place.feed.positionAt(Number(live.position) - 1));
    await backfill.idle();
    expect(taken).toEqual([
      ['missed', true],
      ['live', false],
    ]);
  });
});

describe('a history that may not be read', () => {
  it('leaves a gap since the last known message', async () => {
    scene.cursor = scene.place.say(GENERAL, 'known').position;
    scene.aheadMs = 60_000;
    scene.place.fail({ call: 'history', error: new AppError('forbidden', 'closed') });
    void scene.backfill.missed(GENERAL, undefined);
    await scene.backfill.idle();
    expect(scene.gaps).toMatchObject([
      { channel: GENERAL, fromMs: scene.place.feed.timeOf(scene.cursor), reason: 'forbidden' },
    ]);
  });
});
