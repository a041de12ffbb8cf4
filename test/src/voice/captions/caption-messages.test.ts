import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { away, caption, openDisplay, PACE_MS, pass } from './fakes.ts';

const END_MS = 10_000;

describe('a display', () => {
  it('shows the first words without waiting for anything', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(1, { text: 'Hello', isFinal: false }));
    await clock.advance(0);
    expect(channel.shown()).toEqual(['**Ann**: *Hello …*']);
  });

  it('groups what changes within its pace into one edit with the newest words', async () => {
    const { clock, channel, display } = openDisplay();
    for (const words of ['a', 'a b', 'a b c', 'a b c d']) {
      display.show(caption(1, { text: words, isFinal: false }));
      await clock.advance(PACE_MS / 5);
    }
    display.show(caption(1, { text: 'a b c d e' }));
    await pass(clock, display.settled());
    expect(channel.sent.map(({ kind, text }) => [kind, text])).toEqual([
      ['post', '**Ann**: *a …*'],
      ['edit', '**Ann**: a b c d e'],
    ]);
  });

  it('shows what is final at once, however much was still growing before it', async () => {
    const { clock, channel, display } = openDisplay(
      {},
      { editRate: { count: 4, windowMs: 5_000 } },
    );
    display.show(caption(1));
    await clock.advance(0);
    for (let step = 1; step <= 20; step += 1) {
      display.show(caption(2, { text: `word ${step}`, isFinal: false }));
      await clock.advance(200);
    }
    display.show(caption(2));
    await clock.advance(0);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.']);
    expect(channel.sent).toHaveLength(4);
    await display.end(0);
  });

  it('posts what changes in one moment as one message', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(2));
    display.show(caption(1));
    await clock.advance(0);
    expect(channel.shown()).toEqual(['**Ann**: line 1.\n**Ann**: line 2.']);
    expect(channel.sent).toHaveLength(1);
  });

  it('has one request on its way at a time, however slow it is', async () => {
    const { clock, channel, display } = openDisplay({ latencyMs: () => 700 });
    for (let id = 1; id <= 40; id += 1) {
      display.show(caption(id));
      await clock.advance(100);
    }
    await pass(clock, display.settled());
    expect(channel.faults).toEqual([]);
    expect(channel.lines()).toEqual(Array.from({ length: 40 }, (_, at) => `line ${at + 1}`));
  });

  it('deletes a message of which nothing is left', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(1));
    await pass(clock, display.settled());
    display.remove(1);
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual([]);
    display.show(caption(2));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
    expect(channel.faults).toEqual([]);
  });

  it('deletes a message that was being posted when its last caption was removed', async () => {
    const { clock, channel, display } = openDisplay(
      { latencyMs: () => 300 },
      { limits: { lines: 1 } },
    );
    display.show(caption(1));
    await clock.advance(100);
    display.show(caption(2));
    display.remove(1);
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.']);
  });

  it('takes everything out that a member said, older messages included', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 2 } });
    for (let id = 1; id <= 12; id += 1)
      display.show(caption(id, id % 2 === 0 ? {} : { speakerId: 'b', name: 'Ben' }));
    await pass(clock, display.settled());
    display.forget('b');
    await pass(clock, display.settled());
    expect(channel.shown().join('\n')).not.toContain('Ben');
    expect(channel.lines()).toHaveLength(6);
  });

  it('shows no change of what it does not show', async () => {
    const { clock, channel, display } = openDisplay();
    display.change(caption(1));
    await pass(clock, display.settled());
    expect(channel.sent).toEqual([]);
  });

  it('shows its last state before it ends, and leaves nothing behind', async () => {
    const { clock, channel, display } = openDisplay({ latencyMs: () => 50 });
    display.show(caption(1, { text: 'a', isFinal: false }));
    await clock.advance(0);
    display.show(caption(1, { text: 'a b.' }));
    await pass(clock, display.end(clock.nowMs() + END_MS));
    expect(channel.shown()).toEqual(['**Ann**: a b.']);
    expect(clock.waiting).toBe(0);
  });

  it('ends at the time that it is given although its channel takes nothing', async () => {
    const { clock, display } = openDisplay({ refuse: () => away });
    display.show(caption(1));
    let isOver = false;
    void display.end(clock.nowMs() + END_MS).then(() => (isOver = true));
    await clock.advance(END_MS - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('reports nothing after its end', async () => {
    const told: string[] = [];
    const { clock, display } = openDisplay(
      { latencyMs: () => 1_000, refuse: () => new AppError('not-found', 'no such channel') },
      { listener: { gone: ({ code }) => told.push(code) } },
    );
    display.show(caption(1));
    await clock.advance(0);
    await pass(clock, display.end(clock.nowMs() + 500));
    await clock.advance(5_000);
    expect(told).toEqual([]);
  });
});
