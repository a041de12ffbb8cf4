import * as fc from 'fast-check';
import { oneLine } from '../../../src/text/quoted-words.ts';
import { isBlank } from '../../../src/text/unicode.ts';
import { describe, expect, it } from 'vitest';
import type { TranscriptSegment } from '../../../src/model/message.ts';
import { subtitlesOf } from '../../../src/text/subtitles.ts';
import { anyText } from './any-text.ts';

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
}

const TIMING =
  /^(\d{2,}):([0-5]\d):([0-5]\d)([.,])(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d)\4(\d{3})$/;

const readCue = (lines: readonly string[], point: string): Cue => {
  const [, h1, m1, s1, mark, ms1, h2, m2, s2, ms2] = TIMING.exec(lines[0] ?? '') ?? [];
  expect(mark).toBe(point);
  const ms = (...[h, m, s, rest]: readonly unknown[]): number =>
    ((Number(h) * 60 + Number(m)) * 60 + Number(s)) * 1000 + Number(rest);
  return { startMs: ms(h1, m1, s1, ms1), endMs: ms(h2, m2, s2, ms2), lines: lines.slice(1) };
};

const blocksOf = (file: string): string[][] =>
  file === ''
    ? []
    : file
        .replace(/\n$/, '')
        .split('\n\n')
        .map((block) => block.split('\n'));

const readVtt = (file: string): Cue[] => {
  const [head, ...blocks] = blocksOf(file);
  expect(head).toEqual(['WEBVTT']);
  return blocks.map((lines) => readCue(lines, '.'));
};

const readSrt = (file: string): Cue[] =>
  blocksOf(file).map(([number, ...lines], index) => {
    expect(number).toBe(String(index + 1));
    return readCue(lines, ',');
  });

const unescapeVtt = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const bare = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '');

const columnsOf = (line: string): number =>
  Array.from(line).reduce(
    (sum, char) => sum + (/[\u3040-\u30FF\u4E00-\u9FFF、。]/.test(char) ? 2 : 1),
    0,
  );

const anySegments: fc.Arbitrary<TranscriptSegment[]> = fc.array(
  fc.record({
    startMs: fc.oneof(fc.nat(20_000), fc.double({ min: -10, max: 2e7 }), fc.constant(Number.NaN)),
    endMs: fc.oneof(fc.nat(20_000), fc.double({ min: -10, max: 2e7 }), fc.constant(Infinity)),
    text: anyText,
  }),
  { maxLength: 6 },
);

const line = (startMs: number, endMs: number, text: string): TranscriptSegment => ({
  startMs,
  endMs,
  text,
});

describe('subtitlesOf', () => {
  it('writes SRT with numbers, commas and hours', () => {
    expect(subtitlesOf('srt', [line(0, 1500, 'Hi.'), line(3_600_000, 3_661_001, 'Bye.')])).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHi.\n\n2\n01:00:00,000 --> 01:01:01,001\nBye.\n',
    );
  });

  it('writes VTT with a head, points and what it escapes', () => {
    expect(subtitlesOf('vtt', [line(0, 1500, 'a --> <b> & c')])).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\na --&gt; &lt;b&gt; &amp; c\n',
    );
  });

  it('writes text with the time of each segment, and longer days than one', () => {
    expect(subtitlesOf('txt', [line(61_900, 62_000, 'a\n\nb'), line(360_000_000, 0, 'c')])).toBe(
      '[00:01:01] a b\n[100:00:00] c\n',
    );
  });

  it('is empty for nothing', () => {
    expect(subtitlesOf('txt', [])).toBe('');
    expect(subtitlesOf('srt', [line(0, 1, ' \n ')])).toBe('');
    expect(subtitlesOf('vtt', [])).toBe('WEBVTT\n');
  });

  it('shares the time of a long segment out by length, two lines at a time', () => {
    const text = 'one two three four five six seven eight nine ten eleven twelve '.repeat(4);
    const cues = readVtt(subtitlesOf('vtt', [line(1000, 9000, text)]));
    expect(cues.length).toBeGreaterThan(2);
    expect(cues[0]?.startMs).toBe(1000);
    expect(cues.at(-1)?.endMs).toBe(9000);
    for (const [index, cue] of cues.entries()) {
      expect(cue.startMs).toBe(cues[index - 1]?.endMs ?? 1000);
      expect(cue.lines.length).toBeLessThanOrEqual(2);
      for (const each of cue.lines) expect(each.length).toBeLessThanOrEqual(42);
    }
  });

  describe('of a segment whose words have times', () => {
    const spoken = 'all work and no play makes him a dull boy, '.repeat(4).trim().split(' ');
    const words = spoken.map((text, at) => ({
      text,
      startMs: 1_000 + 300 * at + (at < 20 ? 0 : 5_000),
      endMs: 1_250 + 300 * at + (at < 20 ? 0 : 5_000),
    }));
    const segment = { startMs: 0, endMs: 60_000, text: spoken.join(' '), words };

    it('shows each line while it is spoken', () => {
      const cues = readSrt(subtitlesOf('srt', [segment]));
      let from = 0;
      for (const { lines, startMs, endMs } of cues) {
        const count = lines.join(' ').split(' ').length;
        expect([startMs, endMs]).toEqual([words[from]?.startMs, words[from + count - 1]?.endMs]);
        from += count;
      }
      expect(from).toBe(words.length);
    });

    it('divides its time by length where they are not those of its text', () => {
      const times = (segments: readonly TranscriptSegment[]) =>
        readSrt(subtitlesOf('srt', segments)).map(({ startMs, endMs }) => [startMs, endMs]);
      const { words: _, ...without } = segment;
      expect(times([{ ...segment, words: words.slice(1) }])).toEqual(times([without]));
    });

    it('stays within its time, and in order', () => {
      const odd = words.map((word, at) => ({ ...word, startMs: -5, endMs: at % 2 ? 1e9 : 0 }));
      const cues = readSrt(subtitlesOf('srt', [{ ...segment, words: odd }]));
      expect(cues[0]?.startMs).toBe(0);
      for (const [at, cue] of cues.entries())
        expect(cue.startMs).toBeGreaterThanOrEqual(cues[at - 1]?.endMs ?? 0);
    });
  });

  it('gives East Asian lines half as many letters, and begins none with a closing mark', () => {
    const text =
      'これは、とても長い日本語の文章です。何行にも分けられるはずなので、よく見てください。';
    for (const { lines } of readSrt(subtitlesOf('srt', [line(0, 9000, text.repeat(3))])))
      for (const each of lines) {
        expect(columnsOf(each)).toBeLessThanOrEqual(44);
        expect(each).not.toMatch(/^[、。]/);
      }
  });

  it('puts segments in order and ends each where the next begins', () => {
    const cues = readSrt(
      subtitlesOf('srt', [line(2000, 3000, 'b'), line(0, 2500, 'a'), line(2000, 2000, 'c')]),
    );
    expect(cues.map(({ lines }) => lines.join(''))).toEqual(['a', 'b', 'c']);
    expect(cues[0]?.endMs).toBe(2000);
  });

  it.each(['srt', 'vtt'] as const)('is read back whole as %s, whatever was said when', (kind) => {
    fc.assert(
      fc.property(anySegments, (segments) => {
        const file = subtitlesOf(kind, segments);
        const cues = kind === 'srt' ? readSrt(file) : readVtt(file);
        let fromMs = 0;
        for (const { startMs, endMs, lines } of cues) {
          expect(startMs).toBeGreaterThanOrEqual(fromMs);
          expect(endMs).toBeGreaterThan(startMs);
          expect(lines.length).toBeGreaterThan(0);
          expect(lines).not.toContain('');
          fromMs = endMs;
        }
        const said = segments
          .map((segment, index) => ({
            ...segment,
            index,
            startMs: Math.max(0, Math.round(segment.startMs)) || 0,
          }))
          .toSorted((a, b) => a.startMs - b.startMs || a.index - b.index)
          .filter(({ text }) => !isBlank(oneLine(text)))
          .map(({ text }) => bare(text.toWellFormed()))
          .join('');
        const written = bare(cues.flatMap(({ lines }) => lines).join(''));
        expect(kind === 'srt' ? written : unescapeVtt(written)).toBe(said);
      }),
    );
  });
});

describe('segments as recognisers give them', () => {
  it.each(['srt', 'vtt'] as const)(
    'have no empty cue, and none without a duration, in %s',
    (kind) => {
      const file = subtitlesOf(kind, [
        { startMs: 0, endMs: 1_000, text: ' ' },
        { startMs: 200, endMs: 900, text: '\u200D\u2800' },
        { startMs: 1_000, endMs: 1_000, text: 'short' },
        { startMs: 2_000, endMs: 1_500, text: 'back' },
      ]);
      const mark = kind === 'srt' ? ',' : '.';
      expect(file.match(/^.* --> .*$/gm)).toEqual([
        `00:00:01${mark}000 --> 00:00:01${mark}001`,
        `00:00:02${mark}000 --> 00:00:02${mark}001`,
      ]);
    },
  );

  it('stand in order of their starts, without overlaps, and with all signs of markup escaped', () => {
    const file = subtitlesOf('vtt', [
      { startMs: 2_000, endMs: 3_000, text: 'b > a --> c' },
      { startMs: 0, endMs: 2_500, text: '<i> & more' },
    ]);
    expect(file).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n&lt;i&gt; &amp; more\n\n' +
        '00:00:02.000 --> 00:00:03.000\nb &gt; a --&gt; c\n',
    );
  });
});
