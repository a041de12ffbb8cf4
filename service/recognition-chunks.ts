import type { SpeechSpan } from '../src/audio/vad.ts';

/** Splits each span that is longer than `longestMs` into equal parts. */
export const splitLongSpans = (
  spans: readonly SpeechSpan[],
  longestMs: number,
): readonly SpeechSpan[] =>
  spans.flatMap(({ startMs, endMs }) => {
    const parts = Math.max(1, Math.ceil((endMs - startMs) / longestMs));
    const at = (part: number): number => startMs + ((endMs - startMs) * part) / parts;
    return Array.from({ length: parts }, (_, part) => ({
      startMs: at(part),
      endMs: at(part + 1),
    }));
  });

/**
 * Plans chunks of the whole sound, of at most `longestMs` each, cut between spans of `speech` where
 * possible.
 */
export const planChunks = (
  speech: readonly SpeechSpan[],
  durationMs: number,
  longestMs: number,
): readonly SpeechSpan[] => {
  const pausesMs = speech
    .slice(1)
    .map(({ startMs }, index) => ((speech[index]?.endMs ?? startMs) + startMs) / 2);
  const pieces: SpeechSpan[] = [];
  let startMs = 0;
  while (durationMs - startMs > longestMs) {
    const [fromMs, limitMs] = [startMs, startMs + longestMs];
    const endMs = pausesMs.findLast((at) => at > fromMs && at <= limitMs) ?? limitMs;
    pieces.push({ startMs, endMs });
    startMs = endMs;
  }
  pieces.push({ startMs, endMs: durationMs });
  return pieces;
};

/**
 * Cuts each span out of `pcm` as it arrives; spans are in order and do not overlap. A span beyond
 * the end is shortened to the available sound.
 */
export async function* cutChunks(
  pcm: AsyncIterable<Float32Array>,
  spans: readonly SpeechSpan[],
  sampleRateHz: number,
): AsyncGenerator<{ readonly span: SpeechSpan; readonly samples: Float32Array }> {
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
