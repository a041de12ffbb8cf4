import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createBackfill } from '../../../src/autotranslate/backfill.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { GENERAL, holdOf, withBackfill } from './backfill-support.ts';

const DAY_MS = 86_400_000;

const scene = withBackfill();
const { follow, report, parts } = scene;

describe('catching up', () => {
  it('looks at the history before the first report of a channel', async () => {
    scene.place.say(GENERAL, 'missed');
    await report(scene.place.say(GENERAL, 'live'));
    await scene.backfill.idle();
    expect(scene.taken).toEqual(['missed', 'live', 'live']);
  });

  it('looks at no history before it where everything is reported sooner or later', async () => {
    scene.reportsAll = true;
    scene.place.say(GENERAL, 'reported later');
    await report(scene.place.say(GENERAL, 'live'));
    await scene.backfill.idle();
    expect(scene.taken).toEqual(['live']);
    expect(scene.place.calls).toEqual([]);
  });

  it('looks at the history after a report that fails, unless it is reported again', async () => {
    scene.reportsAll = true;
    scene.failTake = () => {
      throw new AppError('unavailable', 'the database is away', { retryable: true });
    };
    await expect(report(scene.place.say(GENERAL, 'live'))).rejects.toThrow('away');
    await scene.backfill.idle();
    expect(scene.place.calls).toEqual([]);
  });

  it('looks at it though everything is reported where the watch is new to other processes', async () => {
    scene.reportsAll = true;
    scene.sinceMs = Date.now() - 1_000;
    scene.place.say(GENERAL, 'missed');
    await report(scene.place.say(GENERAL, 'live'));
    await scene.backfill.idle();
    expect(scene.taken).toEqual(['missed', 'live', 'live']);
  });

  it('tells when the history was read, and that it was not where nobody wants it any more', async () => {
    scene.place.say(GENERAL, 'missed');
    const opened = Promise.withResolvers<void>();
    scene.gate = opened.promise;
    const read = scene.backfill.missed(GENERAL, undefined);
    const joined = scene.backfill.missed(GENERAL, undefined);
    opened.resolve();
    expect(await Promise.all([read, joined])).toEqual([true, true]);
    expect(scene.taken).toEqual(['missed']);
    scene.gate = Promise.withResolvers<void>().promise;
    const dropped = scene.backfill.missed(GENERAL, undefined);
    scene.backfill.forget(GENERAL);
    scene.gate = Promise.resolve();
    expect(await dropped).toBe(false);
  });

  it.each([
    ['another platform', { space: { platform: 'elsewhere', id: 's' }, id: 'c' }, undefined],
    ['channels that are not linked', channel('linked'), holdOf(Promise.resolve())],
  ])('reads a history though those of %s take long', async (_, other, hold) => {
    const opened = Promise.withResolvers<void>();
    const { platforms, ...rest } = parts();
    const read: string[] = [];
    await using backfill = createBackfill({
      ...rest,
      hold: ({ id }) => (id === other.id ? hold : undefined),
      platforms: {
        find: (at) => {
          const found = platforms.find(at)!;
          return {
            ...found,
            feed: {
              ...found.feed,
              async *history({ id }) {
                read.push(id);
                if (id !== other.id) await opened.promise;
              },
            },
          };
        },
      },
    });
    for (let at = 0; at < 8; at += 1) void backfill.missed(channel(`slow ${at}`), undefined);
    void backfill.missed(other, undefined);
    await expect.poll(() => read).toContain(other.id);
    opened.resolve();
  });

  it('begins with channels in which messages wait for it', async () => {
    const quiet = Array.from({ length: 8 }, (_, index) => channel(`quiet-${index}`));
    for (const each of quiet) scene.place.say(each, each.id);
    scene.place.say(GENERAL, 'missed');
    const opened = Promise.withResolvers<void>();
    scene.gate = opened.promise;
    for (const each of [...quiet, GENERAL]) void scene.backfill.missed(each, undefined);
    const live = report(scene.place.say(GENERAL, 'live'));
    opened.resolve();
    await live;
    const isQuiet = (text: string): boolean => text.startsWith('quiet');
    expect(scene.taken.filter(isQuiet).length).toBeLessThan(quiet.length);
  });

  it('looks at no history where nothing was missed', async () => {
    await follow();
    await report(scene.place.say(GENERAL, 'live'));
    expect(scene.taken).toEqual(['live']);
    expect(scene.place.calls).toEqual([]);
  });

  it('tells a report whether everything before it was seen', async () => {
    await follow();
    const whole: boolean[] = [];
    const tell = (isWhole: boolean): Promise<void> => Promise.resolve(void whole.push(isWhole));
    await scene.backfill.report(GENERAL, tell);
    const failing = scene.backfill.report(GENERAL, () => Promise.reject(new Error('no disk')));
    const next = scene.backfill.report(GENERAL, tell);
    await expect(failing).rejects.toThrow();
    await next;
    await scene.backfill.idle();
    await scene.backfill.report(GENERAL, tell);
    expect(whole).toEqual([true, false, true]);
  });

  it('goes on looking until everything is taken', async () => {
    let faults = 1;
    scene.taken = [];
    const { text } = scene.place.say(GENERAL, 'missed');
    scene.failTake = () => {
      faults -= 1;
      if (faults >= 0) throw new Error('no disk');
    };
    void scene.backfill.missed(GENERAL, undefined);
    await expect.poll(() => scene.taken).toEqual([plainText(text)]);
  });

  it('looks for the newest of what was missed, though more was missed while it waited', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const held = scene.backfill.report(GENERAL, () => opening.promise);
    void scene.backfill.missed(GENERAL, scene.cursor);
    void scene.backfill.missed(GENERAL, scene.place.say(GENERAL, 'missed').position);
    opening.resolve();
    await held;
    await scene.backfill.idle();
    expect(scene.taken).toEqual(['missed']);
  });

  it('leaves out no report of what the history cannot tell', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const reports = [scene.backfill.report(GENERAL, () => opening.promise)];
    let gone = 0;
    for (let at = 0; at < 1_100; at += 1)
      reports.push(
        scene.backfill.reportAlways(GENERAL, async () => {
          gone += 1;
        }),
      );
    opening.resolve();
    await Promise.all(reports);
    expect(gone).toBe(1_100);
  });

  it('holds reports back while the history comes', async () => {
    const opening = Promise.withResolvers<void>();
    scene.gate = opening.promise;
    scene.place.say(GENERAL, 'missed');
    void scene.backfill.missed(GENERAL, undefined);
    const reported = report({
      ...scene.place.say(GENERAL, 'gone before it was fetched'),
      text: plainWords('live'),
    });
    expect(scene.taken).toEqual([]);
    opening.resolve();
    await reported;
    expect(scene.taken).toEqual(['missed', 'gone before it was fetched', 'live']);
  });

  it('finds what was missed in a second gap, whatever was reported in between', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    scene.gate = opening.promise;
    void scene.backfill.missed(GENERAL, undefined);
    const between = report(scene.place.say(GENERAL, 'between'));
    void scene.backfill.missed(GENERAL, undefined);
    opening.resolve();
    await between;
    const after = scene.place.say(GENERAL, 'missed in the second gap');
    await scene.backfill.idle();
    expect(scene.cursor).toBe(after.position);
  });

  it('asks once for gaps that follow each other', async () => {
    for (let gap = 0; gap < 5; gap += 1) void scene.backfill.missed(GENERAL, undefined);
    await scene.backfill.idle();
    expect(scene.place.calls).toEqual(['history']);
  });

  it('drops no report for good when too many wait: their history is looked at', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    scene.gate = opening.promise;
    void scene.backfill.missed(GENERAL, undefined);
    const reports = Array.from({ length: 1_100 }, (_, at) =>
      report(scene.place.say(GENERAL, `${at}`)),
    );
    opening.resolve();
    await Promise.all(reports);
    await scene.backfill.idle();
    expect([...new Set(scene.taken)]).toEqual(Array.from({ length: 1_100 }, (_, at) => `${at}`));
    expect(scene.place.calls).toEqual(['history', 'history']);
  });

  it('fetches nothing that is older than a day, nor looks further back', async () => {
    scene.cursor = scene.place.say(GENERAL, 'long ago').position;
    scene.place.say(GENERAL, 'long ago, and missed');
    scene.aheadMs = 2 * DAY_MS;
    await follow();
    expect(scene.taken).toEqual([]);
    expect(Number(scene.lookedBackTo)).toBeGreaterThan(Number(scene.cursor));
  });

  it('begins anew with a channel that was forgotten', async () => {
    await follow();
    scene.backfill.forget(GENERAL);
    scene.place.say(GENERAL, 'missed');
    await report(scene.place.say(GENERAL, 'live'));
    expect(new Set(scene.taken)).toEqual(new Set(['missed', 'live']));
  });

  it.each([
    new AppError('forbidden', 'closed'),
    new AppError('bad-input', 'the platform takes no such request'),
  ])('goes on with what is reported where the platform gives no history: %s', async (error) => {
    scene.place.fail({ call: 'history', error });
    await report(scene.place.say(GENERAL, 'live'));
    expect(scene.taken).toEqual(['live']);
    expect(scene.place.calls).toEqual(['history']);
  });

  it('reads a history again that nobody understands', async () => {
    scene.place.fail({ call: 'history', error: new AppError('internal', 'half a page') });
    scene.place.say(GENERAL, 'missed');
    void scene.backfill.missed(GENERAL, undefined);
    await scene.backfill.idle();
    expect(scene.taken).toEqual(['missed']);
  });

  it('lets go of no channel whose history is being read, however many there are', async () => {
    await follow();
    const opening = Promise.withResolvers<void>();
    const { ref } = scene.place.say(GENERAL, 'before');
    scene.gate = opening.promise;
    void scene.backfill.missed(GENERAL, undefined);
    for (let at = 0; at < 10_001; at += 1)
      void scene.backfill.missed(channel(`other ${at}`), undefined);
    const reported = report(scene.place.edit(ref, 'after'));
    opening.resolve();
    await reported;
    await scene.backfill.idle();
    expect(scene.taken.at(-1)).toBe('after');
  });

  it('takes any number of reports, one after the other, without the history', async () => {
    await follow();
    const message = scene.place.say(GENERAL, 'live');
    for (let at = 0; at < 1_100; at += 1) await report(message);
    expect(scene.taken).toHaveLength(1_100);
    expect(scene.place.calls).toEqual([]);
  });

  it('ends at once, though a history never comes to its end', async () => {
    let signal: AbortSignal | undefined;
    const endless = createBackfill({
      ...parts(),
      platforms: {
        find: () => ({
          mirrors: scene.place.mirrors,
          feed: {
            ...scene.place.feed,
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
    void endless.missed(GENERAL, undefined);
    await expect.poll(() => signal).toBeDefined();
    await endless[Symbol.asyncDispose]();
    expect(signal?.aborted).toBe(true);
  });

  it('lets a report that fails fail alone', async () => {
    await follow();
    const failing = scene.backfill.report(GENERAL, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    await report(scene.place.say(GENERAL, 'next'));
    expect(scene.taken.at(-1)).toBe('next');
  });
});
