import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { createBoard, type BoardParts } from '../../../../src/room/captions/board.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { caption, createChannel, PACE_MS, pass, RATE, quiet, texts, translated } from './fakes.ts';
import type { ChannelOptions } from './fakes.ts';

const setUp = (options: ChannelOptions = {}, parts: Partial<BoardParts> = {}) => {
  const clock = createTestClock();
  const channel = createChannel(clock, options);
  const board = createBoard({
    clock,
    port: channel,
    editRate: RATE,
    texts,
    log: quiet,
    ...parts,
  });
  return { clock, channel, board };
};

const END_MS = 10_000;
const away = new AppError('unavailable', 'away', { retryable: true });

describe('a board', () => {
  it('shows the first words without waiting for anything', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(1, { text: 'Hello', isFinal: false }));
    await clock.advance(0);
    expect(channel.shown()).toEqual(['**Ann**: *Hello …*']);
  });

  it('groups what changes within its pace into one edit with the newest words', async () => {
    const { clock, channel, board } = setUp();
    for (const words of ['a', 'a b', 'a b c', 'a b c d']) {
      board.show(caption(1, { text: words, isFinal: false }));
      await clock.advance(PACE_MS / 5);
    }
    board.show(caption(1, { text: 'a b c d e' }));
    await pass(clock, board.settled());
    expect(channel.sent.map(({ kind, text }) => [kind, text])).toEqual([
      ['post', '**Ann**: *a …*'],
      ['edit', '**Ann**: a b c d e'],
    ]);
  });

  it('posts what changes in one moment as one message', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(2));
    board.show(caption(1));
    await clock.advance(0);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.']);
    expect(channel.sent).toHaveLength(1);
  });

  it('has one request on its way at a time, however slow it is', async () => {
    const { clock, channel, board } = setUp({ latencyMs: () => 700 });
    for (let id = 1; id <= 40; id += 1) {
      board.show(caption(id));
      await clock.advance(100);
    }
    await pass(clock, board.settled());
    expect(channel.faults).toEqual([]);
    expect(
      channel
        .shown()
        .join('\n')
        .match(/line \d+/g),
    ).toEqual(Array.from({ length: 40 }, (_, at) => `line ${at + 1}`));
  });

  it('waits as long as it is told to, then shows the newest state', async () => {
    let refusals = 1;
    const limited = new AppError('rate-limited', 'slow down', {
      retryable: true,
      retryAfterMs: 7_000,
    });
    const { clock, channel, board } = setUp({
      refuse: (kind) => (kind === 'edit' && refusals-- > 0 ? limited : undefined),
    });
    board.show(caption(1));
    await clock.advance(0);
    board.show(caption(2));
    await clock.advance(0);
    board.show(caption(3));
    await clock.advance(6_999);
    expect(channel.sent).toHaveLength(2);
    await clock.advance(1);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.\n**Ann**: line 3.']);
    expect(channel.sent).toHaveLength(3);
  });

  it('tries again what failed, with the newest state and in one message', async () => {
    let failures = 5;
    const { clock, channel, board } = setUp({ refuse: () => (failures-- > 0 ? away : undefined) });
    board.show(caption(1, { text: 'one', isFinal: false }));
    await clock.advance(100);
    board.show(caption(1, { text: 'one.' }));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: one.']);
    expect(channel.sent).toHaveLength(6);
  });

  it('waits longer after each failure in a row', async () => {
    const { clock, channel, board } = setUp({ refuse: () => away });
    board.show(caption(1));
    await clock.advance(62_000);
    const times = channel.sent.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((ms, at) => ms - (times[at] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  it('goes on when it may write again', async () => {
    let isForbidden = true;
    const told: (string | undefined)[] = [];
    const { clock, channel, board } = setUp(
      { refuse: () => (isForbidden ? new AppError('forbidden', 'no') : undefined) },
      { hindered: (error) => told.push(error?.code) },
    );
    board.show(caption(1));
    await clock.advance(100_000);
    expect(channel.sent.length).toBeLessThan(6);
    expect(told).toEqual(['forbidden']);
    isForbidden = false;
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(told).toEqual(['forbidden', undefined]);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.']);
  });

  it('sends nothing again that is refused for what it is', async () => {
    let isRefused = true;
    const { clock, channel, board } = setUp({
      refuse: () => (isRefused ? new AppError('bad-input', 'no') : undefined),
    });
    board.show(caption(1));
    await pass(clock, board.settled());
    expect(channel.sent).toHaveLength(1);
    isRefused = false;
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
  });

  it('goes on in a fresh message when somebody deleted the last one, without what stood there', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(1));
    board.show(caption(2, { text: 'and now', isFinal: false }));
    await pass(clock, board.settled());
    channel.messages.clear();
    board.show(caption(2, { text: 'and now this.' }));
    board.show(caption(3));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: and now this.\n**Ann**: line 3.']);
    expect(channel.sent.map(({ kind }) => kind)).toEqual(['post', 'edit', 'post']);
  });

  it('does not go back to an older message when somebody deleted the last one', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 2 } });
    for (const id of [1, 2, 3]) board.show(caption(id));
    board.remove(1);
    await pass(clock, board.settled());
    channel.messages.delete('m2');
    board.show(caption(4));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.', '**Ann**: line 4.']);
  });

  it('puts what was late for a deleted message into the next one', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 2 } });
    for (const id of [1, 3, 4, 5]) board.show(caption(id));
    await pass(clock, board.settled());
    channel.messages.delete('m1');
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(
      channel
        .shown()
        .join('\n')
        .match(/line \d/g),
    ).toEqual(expect.arrayContaining(['line 2', 'line 4', 'line 5']));
    expect(channel.shown().join('\n')).not.toContain('line 1');
  });

  it('ends when its channel is gone', async () => {
    const told: string[] = [];
    const { clock, channel, board } = setUp(
      { refuse: () => new AppError('not-found', 'no such channel') },
      { gone: ({ code }) => told.push(code) },
    );
    board.show(caption(1));
    await pass(clock, board.settled());
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(told).toEqual(['not-found']);
    expect(channel.sent).toHaveLength(1);
    expect(clock.waiting).toBe(0);
  });

  it.each([
    ['full of lines', { lines: 1 }, 0],
    ['full of letters', { chars: 300 }, 0],
    ['too old', { ageMs: 5_000 }, 6_000],
    ['followed by a pause', { pauseMs: 5_000 }, 6_000],
  ])('begins a fresh message after one that is %s', async (_, limits, waitMs) => {
    const { clock, channel, board } = setUp({}, { limits });
    board.show(caption(1, { text: 'a'.repeat(160) }));
    await pass(clock, board.settled());
    await clock.advance(waitMs);
    board.show(caption(2, { text: 'b'.repeat(160) }));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual([`**Ann**: ${'a'.repeat(160)}`, `**Ann**: ${'b'.repeat(160)}`]);
  });

  it('keeps room for translations that are awaited', async () => {
    const { clock, channel, board } = setUp({}, { limits: { chars: 500 } });
    const long = { text: 'a'.repeat(150), translations: translated({ es: {} }) };
    board.show(caption(1, long));
    board.show(caption(2, long));
    await pass(clock, board.settled());
    expect(channel.shown()).toHaveLength(2);
  });

  it('moves on what does not fit any more, and loses nothing', async () => {
    const { clock, channel, board } = setUp({}, { limits: { chars: 300 } });
    board.show(caption(1));
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(channel.shown()).toHaveLength(1);
    board.change(caption(1, { translations: translated({ es: 'x'.repeat(130) }) }));
    board.change(caption(2, { translations: translated({ es: 'y'.repeat(130) }) }));
    await pass(clock, board.settled());
    const [first, second] = channel.shown();
    expect(first).toContain('line 1.\n↳ 🇪🇸 xxx');
    expect(second).toContain('line 2.\n↳ 🇪🇸 yyy');
  });

  it.each([
    ['the last two messages', 80_000, [2, 4, 6, 8, 9, 10, 12, 13, 14, 1]],
    ['messages to which something was added lately', 70_000, [1, 2, 4, 6, 8, 9, 10, 12, 13, 14]],
  ])('puts late lines into %s where they belong', async (_, laterMs, order) => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 3 } });
    for (const id of [2, 4, 6, 8, 10, 12, 14]) board.show(caption(id));
    await pass(clock, board.settled());
    expect(channel.shown()).toHaveLength(3);
    await clock.advance(laterMs);
    board.show(caption(1));
    board.show(caption(13));
    board.show(caption(9));
    await pass(clock, board.settled());
    const ids = channel
      .shown()
      .map((text) => [...text.matchAll(/line (\d+)/g)].map((match) => Number(match[1])));
    expect(ids.flat()).toEqual(order);
  });

  it('finds the place of a line that comes a minute late, however many messages were begun since', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 1 } });
    const said = (id: number) =>
      caption(id, { startMs: clock.nowMs(), endMs: clock.nowMs(), speakerId: `s${id}` });
    board.show(said(1));
    const late = said(2);
    for (let id = 3; id <= 60; id += 1) {
      await clock.advance(PACE_MS);
      board.show(said(id));
    }
    board.show(late);
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(
      Array.from({ length: 60 }, (_, at) => `**Ann**: line ${at + 1}.`),
    );
  });

  it('finds the place of a line in a message that was begun long ago and grew until then', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 3 } });
    const said = (id: number) =>
      caption(id, { startMs: clock.nowMs(), endMs: clock.nowMs(), speakerId: `s${id}` });
    board.show(said(1));
    await clock.advance(100_000);
    board.show(said(2));
    const late = said(3);
    await clock.advance(PACE_MS);
    for (let id = 4; id <= 12; id += 1) board.show(said(id));
    await clock.advance(20_000);
    board.show(late);
    await pass(clock, board.settled());
    expect(
      channel
        .shown()
        .join('\n')
        .match(/line \d+/g),
    ).toEqual(Array.from({ length: 12 }, (_, at) => `line ${at + 1}`));
  });

  it('puts a line at the beginning of the message after the pause in which it was spoken', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(1));
    await pass(clock, board.settled());
    await clock.advance(125_000);
    board.show(caption(14));
    await pass(clock, board.settled());
    board.show(caption(13, { startMs: 135_000, endMs: 136_000 }));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 1.', '**Ann**: line 13. line 14.']);
  });

  it('puts a line of before all messages at hand where it is when it comes', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 1 } });
    const said = (id: number) =>
      caption(id, { startMs: clock.nowMs(), endMs: clock.nowMs(), speakerId: `s${id}` });
    const late = said(1);
    for (let id = 2; id <= 120; id += 1) {
      await clock.advance(PACE_MS / 2);
      board.show(said(id));
    }
    board.show(late);
    await clock.advance(PACE_MS);
    board.show(said(121));
    await pass(clock, board.settled());
    const ids = channel.shown().map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(ids).toEqual([...Array.from({ length: 119 }, (_, at) => at + 2), 1, 121]);
  });

  it('moves a line that turns out to have begun before another one', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(1));
    board.show(caption(2, { isFinal: false }));
    board.show(caption(2, { startMs: 5_000, endMs: 5_000 }));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.\n**Ann**: line 1.']);
  });

  it('deletes a message of which nothing is left', async () => {
    const { clock, channel, board } = setUp();
    board.show(caption(1));
    await pass(clock, board.settled());
    board.remove(1);
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual([]);
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
    expect(channel.faults).toEqual([]);
  });

  it('takes back a message that was on its way when its last line went', async () => {
    const { clock, channel, board } = setUp({ latencyMs: () => 300 }, { limits: { lines: 1 } });
    board.show(caption(1));
    await clock.advance(100);
    board.show(caption(2));
    board.remove(1);
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
  });

  it('uses an emptied message again where none can be deleted', async () => {
    const clock = createTestClock();
    const { post, edit, ...channel } = createChannel(clock);
    const port = { post, edit };
    const board = createBoard({
      clock,
      port,
      editRate: RATE,
      texts,
      log: quiet,
    });
    board.show(caption(1));
    await pass(clock, board.settled());
    board.remove(1);
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['…']);
    board.show(caption(2));
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
  });

  it('takes everything out that a member said, older messages included', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 2 } });
    for (let id = 1; id <= 12; id += 1)
      board.show(caption(id, id % 2 === 0 ? {} : { speakerId: 'b', name: 'Ben' }));
    await pass(clock, board.settled());
    board.forget('b');
    await pass(clock, board.settled());
    expect(channel.shown().join('\n')).not.toContain('Ben');
    expect(
      channel
        .shown()
        .join('\n')
        .match(/line \d+/g),
    ).toHaveLength(6);
  });

  it('shows no change of what it does not show', async () => {
    const { clock, channel, board } = setUp();
    board.change(caption(1));
    await pass(clock, board.settled());
    expect(channel.sent).toEqual([]);
  });

  it('keeps a bounded number of messages in hand', async () => {
    const { clock, channel, board } = setUp({}, { limits: { lines: 1 } });
    for (let id = 1; id <= 110; id += 1) {
      board.show(caption(id, { speakerId: `s${id}` }));
      await pass(clock, board.settled(), PACE_MS);
    }
    expect(channel.shown()).toHaveLength(110);
    board.change(caption(10, { text: 'too old to be changed' }));
    board.change(caption(11, { text: 'still at hand' }));
    await pass(clock, board.settled());
    expect(channel.shown().join()).not.toContain('too old');
    expect(channel.shown().join()).toContain('still at hand');
  });

  it('lets messages of long ago alone, but for the one before the last', async () => {
    const { clock, channel, board } = setUp();
    for (const id of [1, 2, 3]) {
      board.show(caption(id));
      await pass(clock, board.settled());
      await clock.advance(3_000_000);
    }
    board.forget('a');
    await pass(clock, board.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 1.']);
  });

  it('shows its last state before it ends, and leaves nothing behind', async () => {
    const { clock, channel, board } = setUp({ latencyMs: () => 50 });
    board.show(caption(1, { text: 'a', isFinal: false }));
    await clock.advance(0);
    board.show(caption(1, { text: 'a b.' }));
    await pass(clock, board.end(clock.nowMs() + END_MS));
    expect(channel.shown()).toEqual(['**Ann**: a b.']);
    expect(clock.waiting).toBe(0);
  });

  it('ends at the time that it is given although its channel takes nothing', async () => {
    const { clock, board } = setUp({ refuse: () => away });
    board.show(caption(1));
    let isOver = false;
    void board.end(clock.nowMs() + END_MS).then(() => (isOver = true));
    await clock.advance(END_MS - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('tells nothing after its end', async () => {
    const told: string[] = [];
    const { clock, board } = setUp(
      { latencyMs: () => 1_000, refuse: () => new AppError('not-found', 'no such channel') },
      { gone: ({ code }) => told.push(code) },
    );
    board.show(caption(1));
    await clock.advance(0);
    await pass(clock, board.end(clock.nowMs() + 500));
    await clock.advance(5_000);
    expect(told).toEqual([]);
  });

  it('ends up with exactly what it is to show, whatever fails meanwhile', async () => {
    const fault = fc.constantFrom(
      undefined,
      undefined,
      away,
      new AppError('rate-limited', 'x', { retryable: true, retryAfterMs: 3_000 }),
      new AppError('timeout', 'x', { retryable: true }),
      new AppError('internal', 'x'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            id: fc.integer({ min: 1, max: 12 }),
            waitMs: fc.nat(1_500),
            version: fc.nat(3),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        fc.array(fault, { maxLength: 12 }),
        fc.array(fc.nat(1_500), { minLength: 1, maxLength: 8 }),
        async (steps, faults, latencies) => {
          const pending = [...faults];
          let request = 0;
          const { clock, channel, board } = setUp(
            {
              refuse: () => pending.shift(),
              latencyMs: () => latencies[request++ % latencies.length] ?? 0,
            },
            { limits: { lines: 6 } },
          );
          const wanted = new Map<number, string>();
          for (const { id, waitMs, version } of steps) {
            const text = `l${id}v${version}`;
            if (version === 0) {
              board.remove(id);
              wanted.delete(id);
            } else {
              board.show(caption(id, { text, isFinal: version === 3 }));
              wanted.set(id, text);
            }
            await clock.advance(waitMs);
          }
          await pass(clock, board.settled(), 2_000);
          const expected = [...wanted].toSorted(([a], [b]) => a - b).map(([, text]) => text);
          expect(
            channel
              .shown()
              .join('\n')
              .match(/l\d+v\d/g) ?? [],
          ).toEqual(expected);
          expect(channel.faults).toEqual([]);
          expect(clock.waiting).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows nothing twice and every new line, whatever somebody deletes meanwhile', async () => {
    const step = fc.record({
      deleted: fc.option(fc.nat(5)),
      late: fc.boolean(),
      waitMs: fc.nat(1_500),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.nat(800),
        async (steps, latencyMs) => {
          const { clock, channel, board } = setUp(
            { latencyMs: () => latencyMs },
            { limits: { lines: 3 } },
          );
          for (const [at, { deleted, late, waitMs }] of steps.entries()) {
            const ids = [...channel.messages.keys()];
            if (deleted !== null) channel.messages.delete(ids[deleted % ids.length] ?? '');
            board.show(caption(at + 1, { startMs: (late ? at - 1.5 : at + 1) * 10_000 }));
            await clock.advance(waitMs);
          }
          board.show(caption(100));
          await pass(clock, board.settled(), 1_000);
          const shown =
            channel
              .shown()
              .join('\n')
              .match(/line \d+/g) ?? [];
          expect(new Set(shown).size).toBe(shown.length);
          expect(shown.at(-1)).toBe('line 100');
          if (steps.every(({ deleted }) => deleted === null))
            expect(shown).toHaveLength(steps.length + 1);
          expect(channel.faults).toEqual([]);
          expect(clock.waiting).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
