import { countCodePoints } from '../text/unicode.ts';

/** What a translation may be told of what was said before (contract section 4.4 `context`). */
const CONTEXT_CODE_POINTS = 2_000;
const TURNS = 12;
const PLACES = 1_000;

/** What was said last, place by place, in memory alone: the context of the next translation. */
export interface Talk {
  /** The turns before this one, oldest first; then this one is remembered. */
  next(place: string, turn: Turn): readonly string[];
  /** Somebody took a message back, or is to be forgotten. */
  forget(what: { readonly id: string } | { readonly authorId: string }): void;
}

interface Turn {
  readonly id: string;
  readonly authorId: string;
  readonly text: string;
}

const within = (turns: readonly { readonly text: string }[]): string[] => {
  const kept: string[] = [];
  let codePoints = 0;
  for (const { text } of turns.toReversed()) {
    // A line break stands between two turns.
    codePoints += countCodePoints(text) + 1;
    if (codePoints > CONTEXT_CODE_POINTS) break;
    kept.unshift(text);
  }
  return kept;
};

export const createTalk = (): Talk => {
  const places = new Map<string, Turn[]>();

  return {
    next(place, turn) {
      const before = places.get(place)?.filter(({ id }) => id !== turn.id) ?? [];
      // The place that was quiet for longest is the first to go.
      places.delete(place);
      const [oldest] = places.keys();
      if (places.size >= PLACES && oldest !== undefined) places.delete(oldest);
      places.set(place, [...before, turn].slice(-TURNS));
      return within(before);
    },
    forget(what) {
      const isMeant = (turn: Turn): boolean =>
        'id' in what ? turn.id === what.id : turn.authorId === what.authorId;
      for (const [place, turns] of places)
        if (turns.some(isMeant))
          places.set(
            place,
            turns.filter((turn) => !isMeant(turn)),
          );
    },
  };
};
