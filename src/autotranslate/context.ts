import { createLru } from '../async/lru.ts';
import { countCodePoints } from '../text/unicode.ts';

/** What a translation may be told of what was said before (contract section 4.4 `context`). */
const CONTEXT_CODE_POINTS = 2_000;
const TURNS = 12;
const PLACES = 1_000;

/** What was said last, place by place, in memory alone: the context of the next translation. */
export interface TranslationContext {
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

export const createTranslationContext = (): TranslationContext => {
  const places = createLru<string, readonly Turn[]>(PLACES);

  return {
    next(place, turn) {
      const before = places.get(place)?.filter(({ id }) => id !== turn.id) ?? [];
      places.set(place, [...before, turn].slice(-TURNS));
      return within(before);
    },
    forget(what) {
      const isMeant = (turn: Turn): boolean =>
        'id' in what ? turn.id === what.id : turn.authorId === what.authorId;
      const concerned = [...places].filter(([, turns]) => turns.some(isMeant));
      for (const [place, turns] of concerned)
        places.set(
          place,
          turns.filter((turn) => !isMeant(turn)),
        );
    },
  };
};
