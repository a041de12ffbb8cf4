import type { SpokenSegment, TranscriptKind } from '../model/message.ts';
import { oneLine } from './quoted-words.ts';
import { lettersOf, timesIn } from './spoken-times.ts';
import { countCodePoints, isBlank } from './unicode.ts';

/** Most columns of a line on a screen; a wide (East Asian) letter takes two. */
const LINE_COLUMNS = 42;
const LINES_PER_CUE = 2;
/** Shortest cue: the formats count whole milliseconds, and players drop a cue without duration. */
const SHORTEST_CUE_MS = 1;
/** Fewest columns for the text of a line, however long the name in front of it. */
const LEAST_COLUMNS = 20;
const LEAD_MS = 2_000;

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** The speaker's name; '' for none. */
  readonly speaker: string;
  readonly lines: readonly string[];
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/gu;
const closing = /^[\p{Pe}\p{Pf}\p{Po}\p{M}ー〜…]/u;

const columnsOf = (text: string): number => countCodePoints(text) + (text.match(wide)?.length ?? 0);

/** Splits a text where a line may end; no line begins with a closing mark. */
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

/** Breaks a word that is too long for a line into pieces that fit. */
const broken = (word: string, mostColumns: number): readonly string[] => {
  if (columnsOf(word) <= mostColumns) return [word];
  const pieces = [''];
  for (const char of word) {
    const last = pieces.length - 1;
    const grown = `${pieces[last]}${char}`;
    if (columnsOf(grown) <= mostColumns) pieces[last] = grown;
    else pieces.push(char);
  }
  return pieces;
};

const linesOf = (text: string, mostColumns: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  let columns = 0;
  for (const part of partsOf(text).flatMap((word) => broken(word, mostColumns))) {
    const width = columnsOf(part);
    if (line !== '' && columns + columnsOf(part.trimEnd()) > mostColumns) {
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

type Ready = SpokenSegment & { readonly speaker: string };

/** An empty part, at which the caller may let other work run. */
const BREATH = '';

/** Sorts segments and cleans them, without overlaps of a speaker; yields `BREATH` between them. */
const repaired = function* (
  segments: readonly SpokenSegment[],
): Generator<string, readonly Ready[], void> {
  const ordered = segments
    .map((segment) => ({ segment, startMs: whole(segment.startMs) }))
    .toSorted((a, b) => a.startMs - b.startMs)
    .toReversed();
  const nextMs = new Map<string, number>();
  const ready: Ready[] = [];
  for (const { segment, startMs } of ordered) {
    yield BREATH;
    const text = oneLine(segment.text);
    if (isBlank(text)) continue;
    const speaker = oneLine(segment.speaker ?? '');
    const next = nextMs.get(speaker) ?? Number.POSITIVE_INFINITY;
    const endMs = Math.max(startMs, whole(segment.endMs));
    const untilMs = next > startMs ? Math.min(endMs, next) : endMs;
    ready.push({ startMs, endMs: untilMs, text, speaker, words: segment.words });
    nextMs.set(speaker, startMs);
  }
  return ready.toReversed();
};

/** Splits a segment into cues of two lines. */
const cuesOf = (segment: Ready, lineColumns: number, freeFromMs: number): readonly Cue[] => {
  const { text, speaker } = segment;
  const lines = linesOf(text, lineColumns);
  const times = timesIn(segment);
  const cues: Cue[] = [];
  let freeMs = freeFromMs;
  let before = 0;
  for (let at = 0; at < lines.length; at += LINES_PER_CUE) {
    const shown = lines.slice(at, at + LINES_PER_CUE);
    const cueStart = Math.max(freeMs, times.begin(before));
    for (const line of shown) before += lettersOf(line);
    freeMs = Math.max(cueStart + SHORTEST_CUE_MS, times.end(before));
    cues.push({ startMs: cueStart, endMs: freeMs, lines: shown, speaker });
  }
  return cues;
};

/** Yields cues in order of their starts, as WebVTT requires; no speaker's overlap. */
const orderedCues = function* (
  segments: readonly Ready[],
  columnsFor: (speaker: string) => number,
): Generator<Cue, void, void> {
  const freeFromMs = new Map<string, number>();
  let pending: Cue[] = [];
  for (const segment of segments) {
    const { speaker, startMs } = segment;
    const later = pending.findIndex((cue) => cue.startMs > startMs);
    yield* pending.splice(0, later < 0 ? pending.length : later);
    const cues = cuesOf(segment, columnsFor(speaker), freeFromMs.get(speaker) ?? 0);
    freeFromMs.set(speaker, cues.at(-1)?.endMs ?? 0);
    pending = [...pending, ...cues].toSorted((a, b) => a.startMs - b.startMs);
  }
  yield* pending;
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
/** Escapes the arrow, for which neither SubRip nor the header of WebVTT has an escape sequence. */
const forSrt = (line: string): string => line.replaceAll('-->', '→');

const prefixOf = (speaker: string): string => (speaker === '' ? '' : `${speaker}: `);

const blockOf = ({ startMs, endMs }: Cue, point: string, text: string): string =>
  `${timeOf(startMs, point)} --> ${timeOf(endMs, point)}\n${text}\n`;

const srtBlock = (cue: Cue): string =>
  blockOf(cue, ',', forSrt(prefixOf(cue.speaker) + cue.lines.join('\n')));

const vttBlock = (cue: Cue): string => {
  const voice = cue.speaker === '' ? '' : `<v ${forVtt(cue.speaker)}>`;
  return blockOf(cue, '.', voice + cue.lines.map(forVtt).join('\n'));
};

/**
 * Yields the output of `subtitlesOf` in parts, so that other work can run while a long transcript
 * is written; some parts are empty.
 *
 * @param lead a sentence that stands first, in WebVTT invisible to viewers
 */
export const subtitleParts = function* (
  kind: TranscriptKind,
  segments: readonly SpokenSegment[],
  lead = '',
): Generator<string, void, void> {
  const first = oneLine(lead);
  const ready = yield* repaired(segments);
  switch (kind) {
    case 'txt':
      if (first !== '') yield `${first}\n`;
      for (const { startMs, text, speaker } of ready)
        yield `[${clock(startMs)}] ${prefixOf(speaker)}${text}\n`;
      return;
    case 'srt': {
      let number = 0;
      const numbered = (cue: Cue): string => {
        number += 1;
        return `${number === 1 ? '' : '\n'}${number}\n${srtBlock(cue)}`;
      };
      if (first !== '') yield numbered({ startMs: 0, endMs: LEAD_MS, speaker: '', lines: [first] });
      const columnsFor = (speaker: string): number =>
        Math.max(LEAST_COLUMNS, LINE_COLUMNS - columnsOf(prefixOf(speaker)));
      for (const cue of orderedCues(ready, columnsFor)) yield numbered(cue);
      return;
    }
    case 'vtt':
      yield first === '' ? 'WEBVTT\n' : `WEBVTT ${forSrt(first)}\n`;
      for (const cue of orderedCues(ready, () => LINE_COLUMNS)) yield `\n${vttBlock(cue)}`;
  }
};

/**
 * Writes a transcript as a file: `txt` with the time before each segment, `srt` (SubRip) and `vtt`
 * (WebVTT) in cues of at most two lines. Segments may overlap or be out of order; blank ones are
 * left out. A speaker stands in front, in WebVTT as the cue's voice; cues of different speakers may
 * overlap.
 */
export const subtitlesOf = (kind: TranscriptKind, segments: readonly SpokenSegment[]): string =>
  [...subtitleParts(kind, segments)].join('');
