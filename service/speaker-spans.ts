import type { SpeechSpan } from '../src/audio/vad.ts';
import type { SpeakerTurn } from './engine.ts';
import { overlapping } from './recognition-chunks.ts';

/** A part of a recording in which one person speaks; where nobody is known, without a speaker. */
export interface SpeakerSpan extends SpeechSpan {
  readonly speaker?: number;
}

/** A turn within one of somebody else, such as "mhm", that is taken as part of it; or a rest behind one. */
const ASIDE_MS = 1_000;

/**
 * Divides a recording among its speakers: each moment belongs to one of them. Where two speak at once, it is the
 * one who began last, behind whom the other goes on; a pause is divided in its middle.
 *
 * @param turns in order of their starts
 */
export const divideAmongSpeakers = (
  turns: readonly SpeakerTurn[],
  lengthMs: number,
): readonly SpeakerSpan[] => {
  const merged: SpeakerTurn[] = [];
  const coming = [...turns];
  for (;;) {
    const turn = coming.shift();
    if (!turn) break;
    const { startMs, endMs, speaker } = turn;
    const last = merged.at(-1);
    if (last && last.endMs >= endMs && endMs - startMs < ASIDE_MS) continue;
    if (last?.speaker === speaker)
      merged[merged.length - 1] = { ...last, endMs: Math.max(last.endMs, endMs) };
    else merged.push(turn);
    if (!last || last.speaker === speaker || last.endMs - endMs < ASIDE_MS) continue;
    const next = coming.findIndex((one) => one.startMs > endMs);
    coming.splice(next < 0 ? coming.length : next, 0, { ...last, startMs: endMs });
  }
  const startOf = (index: number): number => {
    const [before, turn] = [merged[index - 1], merged[index]];
    if (!turn) return lengthMs;
    if (!before) return 0;
    return Math.min(lengthMs, turn.startMs, (before.endMs + turn.startMs) / 2);
  };
  return merged
    .map(({ speaker }, index) => ({ startMs: startOf(index), endMs: startOf(index + 1), speaker }))
    .filter(({ startMs, endMs }) => endMs > startMs);
};

/** Cuts spans where the speaker changes; both are in order and do not overlap. */
export const cutAtSpeakers = (
  spans: readonly SpeechSpan[],
  speakers: readonly SpeakerSpan[],
): readonly SpeakerSpan[] =>
  speakers.length === 0
    ? spans
    : spans.flatMap((span) =>
        overlapping(speakers, span).map(({ startMs, endMs, speaker }) => ({
          startMs: Math.max(startMs, span.startMs),
          endMs: Math.min(endMs, span.endMs),
          ...(speaker === undefined ? {} : { speaker }),
        })),
      );
