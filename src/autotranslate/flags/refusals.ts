import { createLru } from '../../async/lru.ts';
import type { MessageKey } from '../../errors.ts';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { flagPurpose, type RowKey } from '../../store/inbox/row.ts';

/** Reasons for which a flag on a message is not answered and nothing is stored of it, with their sentences. */
export const FLAG_REFUSALS = {
  off: 'why.flag.off',
  'no-language': 'why.flag.no-language',
  shown: 'why.flag.shown',
  'quiet-channel': 'why.skipped.quiet-channel',
  system: 'why.skipped.system',
  'opted-out': 'why.skipped.opted-out',
} as const satisfies Readonly<Record<string, MessageKey>>;

export interface RefusedFlag {
  readonly emoji: string;
  /** The language that it stands for; undefined where there is none. */
  readonly language: string | undefined;
  readonly refusal: keyof typeof FLAG_REFUSALS;
}

/** Messages of which refused flags are known, and flags of each. */
const MOST_MESSAGES = 500;
const MOST_FLAGS = 20;

export type FlagRefusals = ReturnType<typeof createFlagRefusals>;

/**
 * Keeps in memory why flags were not answered lately: no text and nobody's name.
 *
 * @param skipped called for each of them
 */
export const createFlagRefusals = (skipped: (row: RowKey, reason: string) => void) => {
  const known = createLru<string, readonly RefusedFlag[]>(MOST_MESSAGES);
  const of = (ref: MessageRef): readonly RefusedFlag[] => known.get(messageKey(ref)) ?? [];
  const others = (ref: MessageRef, emoji: string): readonly RefusedFlag[] =>
    of(ref).filter((each) => each.emoji !== emoji);
  return {
    note: (ref: MessageRef, flag: RefusedFlag): void => {
      skipped({ ref, purpose: flagPurpose(flag.language ?? flag.emoji) }, flag.refusal);
      known.set(messageKey(ref), [...others(ref, flag.emoji), flag].slice(-MOST_FLAGS));
    },
    /** Forgets a flag that was removed, or is answered. */
    drop: (ref: MessageRef, emoji: string): void => {
      if (of(ref).length > 0) known.set(messageKey(ref), others(ref, emoji));
    },
    /** The flags of a message that were not answered. */
    of,
  };
};
