import type { SpeechSpan } from '../src/audio/vad.ts';

/** A part of a recording that is recognised by one call. */
export interface Chunk extends SpeechSpan {
  /** The voice in it, without the pauses. */
  readonly voice: readonly SpeechSpan[];
}

/** Rules by which a recording is cut. */
export interface CutRules {
  /** Shortest chunk that a cut leaves on either side. */
  readonly leastMs: number;
  readonly longestMs: number;
  /** Pause at which every chunk ends that is long enough. */
  readonly clearPauseMs: number;
}

/** Silence that stays with the voice beside a longer pause. */
const MARGIN_MS = 1_000;

/** A place to cut: in the middle of a pause, or at both ends of a long one. */
interface Cut {
  readonly atMs: number;
  readonly pauseMs: number;
}

/** The spans of a list that overlap another. Those of the list are in order and do not overlap. */
export const overlapping = <Span extends SpeechSpan>(
  spans: readonly Span[],
  { startMs, endMs }: SpeechSpan,
): readonly Span[] => {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.endMs > startMs) high = middle;
    else low = middle + 1;
  }
  while (high < spans.length && spans[high]!.startMs < endMs) high += 1;
  return spans.slice(low, high);
};

const voiceIn = (span: SpeechSpan, voice: readonly SpeechSpan[]): readonly SpeechSpan[] =>
  overlapping(voice, span).map(({ startMs, endMs }) => ({
    startMs: Math.max(startMs, span.startMs),
    endMs: Math.min(endMs, span.endMs),
  }));

const cutsOf = (span: SpeechSpan, voice: readonly SpeechSpan[]): readonly Cut[] => {
  const edges = [
    span.startMs,
    ...voice.flatMap(({ startMs, endMs }) => [startMs, endMs]),
    span.endMs,
  ];
  return edges.flatMap((fromMs, at) => {
    if (at % 2 === 1) return [];
    const pauseMs = (edges[at + 1] ?? fromMs) - fromMs;
    const marginMs = Math.min(MARGIN_MS, pauseMs / 2);
    return [fromMs + marginMs, fromMs + pauseMs - marginMs].map((atMs) => ({ atMs, pauseMs }));
  });
};

/** Cuts a span at the first clear pause that is far enough; where that is too far, at the longest pause before. */
const cutSpan = (
  span: SpeechSpan,
  voice: readonly SpeechSpan[],
  { leastMs, longestMs, clearPauseMs }: CutRules,
): readonly SpeechSpan[] => {
  const cuts = cutsOf(span, voice);
  const parts: SpeechSpan[] = [];
  let { startMs } = span;
  let from = 0;
  for (;;) {
    const restMs = span.endMs - startMs;
    const latestMs = Math.min(startMs + longestMs, span.endMs - leastMs);
    while (from < cuts.length && cuts[from]!.atMs < startMs + leastMs) from += 1;
    let best: Cut | undefined;
    for (let at = from; at < cuts.length && cuts[at]!.atMs <= latestMs; at += 1) {
      if (cuts[at]!.pauseMs > (best?.pauseMs ?? -1)) best = cuts[at];
      if (best && best.pauseMs >= clearPauseMs) break;
    }
    const mustCut = restMs > longestMs;
    const evenMs = startMs + restMs / Math.ceil(restMs / longestMs);
    const isClear = best !== undefined && best.pauseMs >= clearPauseMs;
    const endMs = isClear || mustCut ? (best?.atMs ?? evenMs) : span.endMs;
    parts.push({ startMs, endMs });
    if (endMs >= span.endMs) return parts;
    startMs = endMs;
  }
};

/**
 * Plans the chunks of some spans of a recording, in their order: what touches in a span touches in its
 * chunks.
 *
 * @param voice the voice of the recording, without its pauses, in order
 */
export const planChunks = (
  spans: readonly SpeechSpan[],
  voice: readonly SpeechSpan[],
  rules: CutRules,
): readonly Chunk[] =>
  spans.flatMap((span) => {
    const heard = voiceIn(span, voice);
    return cutSpan(span, heard, rules).map((part) => ({ ...part, voice: voiceIn(part, heard) }));
  });

/**
 * Cuts each span out of `pcm` as it arrives; spans are in order and do not overlap. A span beyond
 * the end is shortened to the available sound.
 */
export async function* cutChunks<Span extends SpeechSpan>(
  pcm: AsyncIterable<Float32Array>,
  spans: readonly Span[],
  sampleRateHz: number,
): AsyncGenerator<{ readonly span: Span; readonly samples: Float32Array }> {
  const at = (ms: number): number => Math.round((ms * sampleRateHz) / 1000);
  let from = 0;
  let index = 0;
  let filled = 0;
  let samples: Float32Array | undefined;
  for await (const slice of pcm) {
    for (
      let span = spans[index];
      span && at(span.startMs) < from + slice.length;
      span = spans[index]
    ) {
      const [start, end] = [at(span.startMs), at(span.endMs)];
      samples ??= new Float32Array(end - start);
      const part = slice.subarray(start + filled - from, end - from);
      samples.set(part, filled);
      filled += part.length;
      if (start + filled < end) break;
      yield { span, samples };
      samples = undefined;
      filled = 0;
      index += 1;
    }
    from += slice.length;
  }
  const span = spans[index];
  if (span && samples && filled > 0) yield { span, samples: samples.subarray(0, filled) };
}
