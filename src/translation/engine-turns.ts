import { createLru } from '../async/lru.ts';
import { MINUTE_MS, type Clock } from '../async/clock.ts';
import { messageKey, type MessageRef } from '../model/place.ts';

/** Messages of which it is remembered who translated them. */
const MOST_MESSAGES = 500;
const REMEMBERED_MS = 10 * MINUTE_MS;

const turnKey = (ref: MessageRef, to: string): string => `${to} ${messageKey(ref)}`;

export type EngineTurns = ReturnType<typeof createEngineTurns>;

/**
 * Creates the memory of which models translated a message lately, so that whoever asks again gets
 * another. It holds nothing of a message but its key.
 */
export const createEngineTurns = ({ nowMs }: Pick<Clock, 'nowMs'>) => {
  const turns = createLru<string, { readonly models: readonly string[]; readonly atMs: number }>(
    MOST_MESSAGES,
  );
  const lately = (ref: MessageRef, to: string): readonly string[] => {
    const found = turns.get(turnKey(ref, to));
    return found && nowMs() - found.atMs < REMEMBERED_MS ? found.models : [];
  };
  return {
    /** The models that translated a message into a language lately, in their order. */
    lately,
    translated: (ref: MessageRef, to: string, model: string): void =>
      turns.set(turnKey(ref, to), { models: [...lately(ref, to), model], atMs: nowMs() }),
    /** Begins anew with a message. */
    ended: (ref: MessageRef, to: string): void => turns.delete(turnKey(ref, to)),
  };
};
