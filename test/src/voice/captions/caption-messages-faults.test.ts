import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { LostLines } from '../../../../src/voice/captions/missing-lines.ts';
import { away, caption, openDisplay, pass } from './fakes.ts';
import { casesOf } from '../../../fakes/cases.ts';

/** A request goes there and back in less than the 3 s after which it counts as hanging. */
const LONGEST_WAY_MS = 1_499;

describe('a display whose requests fail', () => {
  it('waits as long as the platform demands, then shows the newest state', async () => {
    let refusals = 1;
    const limited = new AppError('rate-limited', 'slow down', {
      retryable: true,
      retryAfterMs: 7_000,
    });
    const { clock, channel, display } = openDisplay({
      refuse: (kind) => (kind === 'edit' && refusals-- > 0 ? limited : undefined),
    });
    display.show(caption(1));
    await clock.advance(0);
    display.show(caption(2));
    await clock.advance(0);
    display.show(caption(3));
    await clock.advance(6_999);
    expect(channel.sent).toHaveLength(2);
    await clock.advance(1);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.\n**Ann**: line 3.']);
    expect(channel.sent).toHaveLength(3);
  });

  it('tries again what failed, with the newest state and in one message', async () => {
    let failures = 5;
    const { clock, channel, display } = openDisplay({
      refuse: () => (failures-- > 0 ? away : undefined),
    });
    display.show(caption(1, { text: 'one', isFinal: false }));
    await clock.advance(100);
    display.show(caption(1, { text: 'one.' }));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: one.']);
    expect(channel.sent).toHaveLength(6);
  });

  it('does not wait for an edit that hangs: new captions stand in another message', async () => {
    let ms = 0;
    const { clock, channel, display } = openDisplay({ latencyMs: () => ms });
    display.show(caption(1));
    await clock.advance(2_000);
    ms = 8_000;
    display.show(caption(2));
    await clock.advance(10);
    ms = 0;
    display.show(caption(3));
    await clock.advance(3_500);
    expect(channel.shown()).toEqual(['**Ann**: line 1.', '**Ann**: line 3.']);
    await pass(clock, display.settled());
    expect(channel.shown().join('\n')).toContain('line 2.');
    expect(channel.shown().at(-1)).toContain('line 3.');
  });

  it('waits longer after each failure in a row', async () => {
    const { clock, channel, display } = openDisplay({ refuse: () => away });
    display.show(caption(1));
    await clock.advance(62_000);
    const times = channel.sent.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((ms, at) => ms - (times[at] ?? 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
  });

  it('goes on when it may write again', async () => {
    let isForbidden = true;
    const told: (string | undefined)[] = [];
    const { clock, channel, display } = openDisplay(
      { refuse: () => (isForbidden ? new AppError('forbidden', 'no') : undefined) },
      { listener: { blocked: (error) => told.push(error?.code) } },
    );
    display.show(caption(1));
    await clock.advance(20_000);
    expect(channel.sent).toHaveLength(1);
    expect(told).toEqual(['forbidden']);
    isForbidden = false;
    display.show(caption(2));
    display.retry();
    await pass(clock, display.settled());
    expect(told).toEqual(['forbidden', undefined]);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.']);
  });

  it('asks a channel that refuses more and more rarely, and counts what it gives up meanwhile', async () => {
    let isForbidden = true;
    const lost: LostLines[] = [];
    const { clock, channel, display } = openDisplay(
      { refuse: () => (isForbidden ? new AppError('forbidden', 'no') : undefined) },
      { listener: { unshown: (lines) => lost.push(lines) } },
    );
    for (let minute = 0; minute < 60; minute += 1) {
      display.show(caption(minute + 1));
      // Permissions change again and again, and are still missing.
      for (let second = 0; second < 60; second += 1) {
        if (minute === 30) display.retry();
        await clock.advance(1_000);
      }
    }
    expect(channel.sent.length).toBeLessThan(30);
    expect(lost).toEqual([]);
    isForbidden = false;
    display.show(caption(100));
    display.retry();
    await pass(clock, display.settled());
    expect(channel.shown().join('\n')).toContain('line 100.');
    const [{ count, startMs } = { count: 0, startMs: 0 }] = lost;
    const shown = channel
      .shown()
      .join('\n')
      .match(/line \d+/g)!;
    expect([lost.length, count + shown.length, startMs]).toEqual([1, 61, caption(1).startMs]);
  });

  it('counts what it could not show also where it ends before the channel accepts anything', async () => {
    const lost: number[] = [];
    const { clock, display } = openDisplay(
      { refuse: () => new AppError('forbidden', 'no') },
      { listener: { unshown: ({ count }) => lost.push(count) } },
    );
    for (const id of [1, 2, 3]) display.show(caption(id));
    await clock.advance(1_000);
    await pass(clock, display.end(clock.nowMs() + 3_000));
    expect([lost, clock.waiting]).toEqual([[3], 0]);
  });

  it('sends nothing again that is refused for what it is', async () => {
    let isRefused = true;
    const { clock, channel, display } = openDisplay({
      refuse: () => (isRefused ? new AppError('bad-input', 'no') : undefined),
    });
    display.show(caption(1));
    await pass(clock, display.settled());
    expect(channel.sent).toHaveLength(1);
    isRefused = false;
    display.show(caption(2));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
  });

  it('goes on in a fresh message when somebody deleted the last one, without what stood there', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(1));
    display.show(caption(2, { text: 'and now', isFinal: false }));
    await pass(clock, display.settled());
    channel.messages.clear();
    display.show(caption(2, { text: 'and now this.' }));
    display.show(caption(3));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: and now this.\n**Ann**: line 3.']);
    expect(channel.sent.map(({ kind }) => kind)).toEqual(['post', 'edit', 'post']);
  });

  it('does not go back to an older message when somebody deleted the last one', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 2 } });
    for (const id of [1, 2, 3]) display.show(caption(id));
    display.remove(1);
    await pass(clock, display.settled());
    channel.messages.delete('m2');
    display.show(caption(4));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.', '**Ann**: line 4.']);
  });

  it('puts what was late for a deleted message into the next one', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 2 } });
    for (const id of [1, 3, 4, 5]) display.show(caption(id));
    await pass(clock, display.settled());
    channel.messages.delete('m1');
    display.show(caption(2));
    await pass(clock, display.settled());
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
    const { clock, channel, display } = openDisplay(
      { refuse: () => new AppError('not-found', 'no such channel') },
      { listener: { gone: ({ code }) => told.push(code) } },
    );
    display.show(caption(1));
    await pass(clock, display.settled());
    display.show(caption(2));
    await pass(clock, display.settled());
    expect(told).toEqual(['not-found']);
    expect(channel.sent).toHaveLength(1);
    expect(clock.waiting).toBe(0);
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
        fc.array(fc.nat(LONGEST_WAY_MS), { minLength: 1, maxLength: 8 }),
        async (steps, faults, latencies) => {
          const pending = [...faults];
          let request = 0;
          const { clock, channel, display } = openDisplay(
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
              display.remove(id);
              wanted.delete(id);
            } else {
              display.show(caption(id, { text, isFinal: version === 3 }));
              wanted.set(id, text);
            }
            await clock.advance(waitMs);
          }
          await pass(clock, display.settled(), 2_000);
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
      { numRuns: casesOf(60) },
    );
  });

  it('shows nothing twice and every new caption, whatever somebody deletes meanwhile', async () => {
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
          const { clock, channel, display } = openDisplay(
            { latencyMs: () => latencyMs },
            { limits: { lines: 3 } },
          );
          for (const [at, { deleted, late, waitMs }] of steps.entries()) {
            const ids = [...channel.messages.keys()];
            if (deleted !== null) channel.messages.delete(ids[deleted % ids.length] ?? '');
            display.show(caption(at + 1, { startMs: (late ? at - 1.5 : at + 1) * 10_000 }));
            await clock.advance(waitMs);
          }
          display.show(caption(100));
          await pass(clock, display.settled(), 1_000);
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
      { numRuns: casesOf(60) },
    );
  });
});
