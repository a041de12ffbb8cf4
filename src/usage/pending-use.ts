import { keyOf, type Space } from '../model/place.ts';
import type { UsageAmounts } from '../store/usage.ts';

/** Amounts of use to which limits apply. */
export type PendingAmounts = Partial<Omit<UsageAmounts, 'messages'>>;

/** Use that counts against the limits until it is disposed of: it was given up, or is recorded. */
export interface Reservation extends Disposable {
  /** Replaces what it holds. */
  change(amounts: PendingAmounts): void;
}

interface Held {
  readonly memberId: string;
  amounts: PendingAmounts;
}

/** Creates the count of use that is under way, or has ended and is not recorded yet. */
export const createPendingUse = () => {
  const spaces = new Map<string, Set<Held>>();

  return {
    /** Adds up the use of a space, or of one member in it. */
    of: (space: Space, memberId?: string): UsageAmounts => {
      const sum = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };
      for (const held of spaces.get(keyOf(space)) ?? []) {
        if (memberId !== undefined && held.memberId !== memberId) continue;
        sum.characters += held.amounts.characters ?? 0;
        sum.audioMs += held.amounts.audioMs ?? 0;
        sum.chatTokens += held.amounts.chatTokens ?? 0;
      }
      return sum;
    },
    /** Holds use of a member. */
    hold: (space: Space, memberId: string, amounts: PendingAmounts): Reservation => {
      const key = keyOf(space);
      const all = spaces.get(key) ?? new Set<Held>();
      const held: Held = { memberId, amounts };
      all.add(held);
      spaces.set(key, all);
      return {
        change: (changed) => {
          held.amounts = changed;
        },
        [Symbol.dispose]: () => {
          all.delete(held);
          if (all.size === 0 && spaces.get(key) === all) spaces.delete(key);
        },
      };
    },
  };
};
