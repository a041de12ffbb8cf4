import type { TranscriptKind, TranscriptSegment } from '../services.ts';
import { flatten } from '../text/plain-line.ts';
import { countCodePoints } from '../text/unicode.ts';

/** What fits a line on a screen; a wide (East Asian) letter takes two columns. */
const LINE_COLUMNS = 42;
const LINES_PER_CUE = 2;
/** The formats count whole milliseconds, and players drop a cue that lasts none. */
const SHORTEST_CUE_MS = 1;

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/gu;
const closing = /^[\p{Pe}\p{Pf}\p{Po}\p{M}ー〜…]/u;

const columnsOf = (text: string): number => countCodePoints(text) + (text.match(wide)?.length ?? 0);

/** What a line may end after: words with their spaces; no line begins with a closing mark. */
const partsOf = (text: string): readonly string[] => {
  if (!unspaced.test(text)) return text.split(/(?<= )/);
  const parts: string[] = [];
  for (const { segment } of words.segment(text)) {
    const last = parts.length - 1;
    if (last >= 0 && (segment === ' ' || closing.test(segment))) parts[last] += segment;
    else parts.push(segment);
  }
  return parts;
};

/** A word too long for a line, in pieces that fit. */
const broken = (word: string): readonly string[] => {
  if (columnsOf(word) <= LINE_COLUMNS) return [word];
  const pieces = [''];
  for (const char of word) {
    const last = pieces.length - 1;
    const grown = `${pieces[last]}${char}`;
    if (columnsOf(grown) <= LINE_COLUMNS) pieces[last] = grown;
    else pieces.push(char);
  }
  return pieces;
};

const linesOf = (text: string): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  let columns = 0;
  for (const part of partsOf(text).flatMap(broken)) {
    const width = columnsOf(part);
    if (line !== '' && columns + columnsOf(part.trimEnd()) > LINE_COLUMNS) {
      lines.push(line.trim());
      line = '';
      columns = 0;
    }
    line += part;
    columns += width;
  }
  return [...lines, line.trim()].filter((each) => each !== '');
};

const whole = (ms: number): number => (Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0);

/** In order of time, on one line each, none empty, none that reaches into the next. */
const repaired = (segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] => {
  const ordered = segments
    .map(({ startMs, endMs, text }) => ({
      startMs: whole(startMs),
      endMs: whole(endMs),
      text: flatten(text),
    }))
    .filter(({ text }) => text !== '')
    .toSorted((a, b) => a.startMs - b.startMs);
  return ordered.map((segment, index) => {
    const next = ordered[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const endMs = Math.max(segment.startMs, segment.endMs);
    return { ...segment, endMs: next > segment.startMs ? Math.min(endMs, next) : endMs };
  });
};

/** The segments in cues of two lines, their time shared out by length. */
const cuesOf = (segments: readonly TranscriptSegment[]): readonly Cue[] => {
  const cues: Cue[] = [];
  let freeFromMs = 0;
  for (const { startMs, endMs, text } of repaired(segments)) {
    const lines = linesOf(text);
    const lengths = lines.map((line) => line.length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    let before = 0;
    for (let at = 0; at < lines.length; at += LINES_PER_CUE) {
      const shown = lines.slice(at, at + LINES_PER_CUE);
      const timeAt = (length: number): number =>
        Math.round(startMs + ((endMs - startMs) * length) / total);
      const cueStart = Math.max(freeFromMs, timeAt(before));
      for (const line of shown) before += line.length;
      freeFromMs = Math.max(cueStart + SHORTEST_CUE_MS, timeAt(before));
      cues.push({ startMs: cueStart, endMs: freeFromMs, lines: shown });
    }
  }
  return cues;
};

const two = (number: number): string => String(number).padStart(2, '0');

const clock = (ms: number): string =>
  [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60]
    .map((part) => two(Math.trunc(part)))
    .join(':');

const timeOf = (ms: number, point: string): string =>
  `${clock(ms)}${point}${String(ms % 1_000).padStart(3, '0')}`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const forVtt = (line: string): string => line.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');
/** SubRip has no way to escape its arrow. */
const forSrt = (line: string): string => line.replaceAll('-->', '→');

const blockOf = (cue: Cue, point: string, write: (line: string) => string): string =>
  `${timeOf(cue.startMs, point)} --> ${timeOf(cue.endMs, point)}\n${cue.lines.map(write).join('\n')}\n`;

/**
 * A transcript as a file: `txt` with the time before each segment, `srt` (SubRip) and `vtt` (WebVTT)
 * in cues of at most two lines. Segments may overlap or be out of order; blank ones are left out.
 */
export const subtitlesOf = (
  kind: TranscriptKind,
  segments: readonly TranscriptSegment[],
): string => {
  switch (kind) {
    case 'txt':
      return repaired(segments)
        .map(({ startMs, text }) => `[${clock(startMs)}] ${text}\n`)
        .join('');
    case 'srt':
      return cuesOf(segments)
        .map((cue, index) => `${index + 1}\n${blockOf(cue, ',', forSrt)}`)
        .join('\n');
    case 'vtt':
      return ['WEBVTT\n', ...cuesOf(segments).map((cue) => blockOf(cue, '.', forVtt))].join('\n');
  }
};
