import type { SpeechSpan } from '../src/audio/vad.ts';
import type { SpeakerTurn } from './engine.ts';
import { overlapping } from './recognition-chunks.ts';

/** A part of a recording in which one person speaks; where nobody is known, without a speaker. */
export interface SpeakerSpan extends SpeechSpan {
  readonly speaker?: number;
}

/** A turn within one of somebody else, such as "mhm", that is taken as part of it. */
const ASIDE_MS = 1_000;

/**
 * Divides a recording among its speakers: each moment belongs to one of them. Where two speak at once, it is the
 * one who began last; a pause is divided in its middle.
 *
 * @param turns in order of their starts
 */
export const divideAmongSpeakers = (
  turns: readonly SpeakerTurn[],
  lengthMs: number,
): readonly SpeakerSpan[] => {
  const merged: SpeakerTurn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last && last.endMs >= turn.endMs && turn.endMs - turn.startMs < ASIDE_MS) continue;
    if (last?.speaker === turn.speaker)
      merged[merged.length - 1] = { ...last, endMs: Math.max(last.endMs, turn.endMs) };
    else merged.push(turn);
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
