import { createLru } from '../async/lru.ts';
import { MINUTE_MS, type Clock } from '../async/clock.ts';
import { keyOf, messageKey, type MessageRef, type Person } from '../model/place.ts';

/** Translations of which it is remembered who made them. */
const MOST_TRANSLATIONS = 500;
/** Time for which it is remembered. */
export const REMEMBERED_MS = 10 * MINUTE_MS;

/** A message that somebody has translated into a language. */
export interface EngineTurn {
  readonly person: Person;
  readonly ref: MessageRef;
  readonly to: string;
}

const turnKey = ({ person, ref, to }: EngineTurn): string =>
  JSON.stringify([keyOf(person), messageKey(ref), to]);

export type EngineTurns = ReturnType<typeof createEngineTurns>;

/**
 * Creates the memory of which models translated a message for somebody lately, so that whoever asks
 * again gets another. What one person asks changes nothing for others.
 */
export const createEngineTurns = ({ nowMs }: Pick<Clock, 'nowMs'>) => {
  const turns = createLru<
    string,
    { readonly person: Person; readonly models: readonly string[]; readonly atMs: number }
  >(MOST_TRANSLATIONS);
  const lately = (turn: EngineTurn): readonly string[] => {
    const found = turns.get(turnKey(turn));
    return found && nowMs() - found.atMs < REMEMBERED_MS ? found.models : [];
  };
  return {
    /** The models that translated lately, in their order. */
    lately,
    translated: (turn: EngineTurn, model: string): void =>
      turns.set(turnKey(turn), {
        person: turn.person,
        models: [...lately(turn), model],
        atMs: nowMs(),
      }),
    /** Begins anew with a message. */
    ended: (turn: EngineTurn): void => turns.delete(turnKey(turn)),
    forget: (person: Person): void => {
      for (const [key, turn] of turns) if (keyOf(turn.person) === keyOf(person)) turns.delete(key);
    },
    forgetAll: turns.clear,
  };
};
