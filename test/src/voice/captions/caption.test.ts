import { describe, expect, it } from 'vitest';
import { createTranscript } from '../../../../src/voice/captions/caption.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { caption, translated } from './fakes.ts';

const setUp = (bounds: { mostLines?: number; mostBytes?: number } = {}) =>
  createTranscript({ clock: createTestClock(5_000), startedMs: 0, ...bounds });

describe('the transcript of a session', () => {
  it('has what is final, in spoken order and with times since its start', () => {
    const transcript = setUp();
    transcript.show(caption(2));
    transcript.show(caption(1));
    transcript.show(caption(3, { isFinal: false }));
    transcript.show(caption(0, { startMs: 4_000, endMs: 6_000 }));
    expect(transcript.lines().map(({ text, startMs, endMs }) => [text, startMs, endMs])).toEqual([
      ['line 0.', 0, 1_000],
      ['line 1.', 5_000, 6_000],
      ['line 2.', 15_000, 16_000],
    ]);
  });

  it('has finished translations alone', () => {
    const transcript = setUp();
    const failed = { text: '', done: true, failed: true };
    transcript.show(caption(1));
    transcript.change(
      caption(1, { translations: translated({ es: 'Uno.', fr: { text: 'U' }, de: failed }) }),
    );
    transcript.change(caption(2));
    expect(transcript.lines().map(({ translations }) => translations)).toEqual([{ es: 'Uno.' }]);
  });

  it('loses captions that were removed and those of a forgotten member', () => {
    const transcript = setUp();
    for (const id of [1, 2, 3, 4])
      transcript.show(caption(id, { speakerId: id % 2 === 0 ? 'a' : 'b' }));
    transcript.remove(4);
    transcript.forget('b');
    expect(transcript.lines().map(({ text }) => text)).toEqual(['line 2.']);
    expect(transcript.droppedLines).toBe(0);
  });

  it('drops its first captions above its bounds, and counts them', () => {
    const transcript = setUp({ mostLines: 3 });
    for (let id = 1; id <= 10; id += 1) transcript.show(caption(id));
    transcript.change(caption(1));
    expect(transcript.lines().map(({ text }) => text)).toEqual(['line 8.', 'line 9.', 'line 10.']);
    expect(transcript.droppedLines).toBe(7);
  });

  it('is bounded in memory, translations included', () => {
    const mostBytes = 100_000;
    const transcript = setUp({ mostBytes });
    const text = 'x'.repeat(1_000);
    for (let id = 1; id <= 500; id += 1) {
      transcript.show(caption(id, { text }));
      transcript.change(caption(id, { text, translations: translated({ es: text }) }));
    }
    expect(transcript.lines().length).toBeGreaterThan(20);
    expect(JSON.stringify(transcript.lines()).length * 2).toBeLessThan(mostBytes * 1.2);
    expect(transcript.lines().at(-1)?.translations).toEqual({ es: text });
    for (const id of Array.from({ length: 500 }, (_, at) => at + 1)) transcript.remove(id);
    transcript.show(caption(501, { text }));
    expect(transcript.lines()).toHaveLength(1);
  });
});
