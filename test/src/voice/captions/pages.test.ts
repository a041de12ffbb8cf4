import { describe, expect, it } from 'vitest';
import { caption, openDisplay, PACE_MS, pass, translated, saidNow } from './fakes.ts';

describe('a display of several messages', () => {
  it.each([
    ['full of lines', { lines: 1 }, 0],
    ['full of letters', { chars: 300 }, 0],
    ['too old', { ageMs: 5_000 }, 6_000],
    ['followed by a pause', { newPageAfterMs: 5_000 }, 6_000],
  ])('begins a fresh message after one that is %s', async (_, limits, waitMs) => {
    const { clock, channel, display } = openDisplay({}, { limits });
    display.show(caption(1, { text: 'a'.repeat(160) }));
    await pass(clock, display.settled());
    await clock.advance(waitMs);
    display.show(caption(2, { text: 'b'.repeat(160) }));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual([`**Ann**: ${'a'.repeat(160)}`, `**Ann**: ${'b'.repeat(160)}`]);
  });

  it('keeps room for translations that are awaited', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { chars: 500 } });
    const long = { text: 'a'.repeat(150), translations: translated({ es: {} }) };
    display.show(caption(1, long));
    display.show(caption(2, long));
    await pass(clock, display.settled());
    expect(channel.shown()).toHaveLength(2);
  });

  it('moves on what does not fit any more, and loses nothing', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { chars: 300 } });
    display.show(caption(1));
    display.show(caption(2));
    await pass(clock, display.settled());
    expect(channel.shown()).toHaveLength(1);
    display.change(caption(1, { translations: translated({ es: 'x'.repeat(130) }) }));
    display.change(caption(2, { translations: translated({ es: 'y'.repeat(130) }) }));
    await pass(clock, display.settled());
    const [first, second] = channel.shown();
    expect(first).toContain('line 1.\n↳ 🇪🇸 xxx');
    expect(second).toContain('line 2.\n↳ 🇪🇸 yyy');
  });

  it.each([
    ['the last two messages', 80_000, [2, 4, 6, 8, 9, 10, 12, 13, 14, 1]],
    ['messages to which something was added lately', 70_000, [1, 2, 4, 6, 8, 9, 10, 12, 13, 14]],
  ])('puts late lines into %s where they belong', async (_, laterMs, order) => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 3 } });
    for (const id of [2, 4, 6, 8, 10, 12, 14]) display.show(caption(id));
    await pass(clock, display.settled());
    expect(channel.shown()).toHaveLength(3);
    await clock.advance(laterMs);
    display.show(caption(1));
    display.show(caption(13));
    display.show(caption(9));
    await pass(clock, display.settled());
    const ids = channel
      .shown()
      .map((text) => [...text.matchAll(/line (\d+)/g)].map((match) => Number(match[1])));
    expect(ids.flat()).toEqual(order);
  });

  it('finds the place of a caption that comes a minute late, however many messages were begun since', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 1 } });
    display.show(saidNow(clock, 1));
    const late = saidNow(clock, 2);
    for (let id = 3; id <= 60; id += 1) {
      await clock.advance(PACE_MS);
      display.show(saidNow(clock, id));
    }
    display.show(late);
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(
      Array.from({ length: 60 }, (_, at) => `**Ann**: line ${at + 1}.`),
    );
  });

  it('finds the place of a caption in a message that was begun long ago and grew until then', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 3 } });
    display.show(saidNow(clock, 1));
    await clock.advance(100_000);
    display.show(saidNow(clock, 2));
    const late = saidNow(clock, 3);
    await clock.advance(PACE_MS);
    for (let id = 4; id <= 12; id += 1) display.show(saidNow(clock, id));
    await clock.advance(20_000);
    display.show(late);
    await pass(clock, display.settled());
    expect(channel.lines()).toEqual(Array.from({ length: 12 }, (_, at) => `line ${at + 1}`));
  });

  it('puts a caption at the beginning of the message after the pause in which it was spoken', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(1));
    await pass(clock, display.settled());
    await clock.advance(125_000);
    display.show(caption(14));
    await pass(clock, display.settled());
    display.show(caption(13, { startMs: 135_000, endMs: 136_000 }));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 1.', '**Ann**: line 13. line 14.']);
  });

  it('puts a caption from before all known messages at the end', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 1 } });
    const late = saidNow(clock, 1);
    for (let id = 2; id <= 120; id += 1) {
      await clock.advance(PACE_MS / 2);
      display.show(saidNow(clock, id));
    }
    display.show(late);
    await clock.advance(PACE_MS);
    display.show(saidNow(clock, 121));
    await pass(clock, display.settled());
    const ids = channel.shown().map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(ids).toEqual([...Array.from({ length: 119 }, (_, at) => at + 2), 1, 121]);
  });

  it('moves a caption that turns out to have begun before another one', async () => {
    const { clock, channel, display } = openDisplay();
    display.show(caption(1));
    display.show(caption(2, { isFinal: false }));
    display.show(caption(2, { startMs: 5_000, endMs: 5_000 }));
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 2.\n**Ann**: line 1.']);
  });

  it('keeps a bounded number of messages in hand', async () => {
    const { clock, channel, display } = openDisplay({}, { limits: { lines: 1 } });
    for (let id = 1; id <= 110; id += 1) {
      display.show(caption(id, { speakerId: `s${id}` }));
      await pass(clock, display.settled(), PACE_MS);
    }
    expect(channel.shown()).toHaveLength(110);
    display.change(caption(10, { text: 'too old to be changed' }));
    display.change(caption(11, { text: 'still at hand' }));
    await pass(clock, display.settled());
    expect(channel.shown().join()).not.toContain('too old');
    expect(channel.shown().join()).toContain('still at hand');
  });

  it('lets messages of long ago alone, but for the one before the last', async () => {
    const { clock, channel, display } = openDisplay();
    for (const id of [1, 2, 3]) {
      display.show(caption(id));
      await pass(clock, display.settled());
      await clock.advance(3_000_000);
    }
    display.forget('a');
    await pass(clock, display.settled());
    expect(channel.shown()).toEqual(['**Ann**: line 1.']);
  });
});
