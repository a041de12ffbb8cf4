import { createLru } from '../../async/lru.ts';
import type { ConsentChoice } from '../../model/room.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
import type { RoomConsents } from '../../store/settings.ts';

export interface ConsentChoicesDeps {
  readonly consents: RoomConsents;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  /** Passes a member's choice to the rooms of a space. */
  readonly chosen: (space: Space, memberId: string, choice: ConsentChoice) => void;
}

/** Most refusals remembered until they are stored, more than are ever being stored at one time. */
const MOST_UNSTORED = 1_000;

const choiceKey = (space: Space, memberId: string): string => `${keyOf(space)} ${memberId}`;

/** Creates the choices of members about being listened to, in one space or everywhere. */
export const createConsentChoices = ({ consents, privacy, chosen }: ConsentChoicesDeps) => {
  /** Choices that are being stored: the newest of each member counts. */
  const newest = new Map<string, symbol>();
  /** Members whose refusal is being stored, or could not be. */
  const unstored = createLru<string, true>(MOST_UNSTORED);
  let refusals = 0;

  const of = async (space: Space, memberId: string): Promise<ConsentChoice> => {
    for (;;) {
      const before = refusals;
      const isOut = await privacy.optedOut({ platform: space.platform, id: memberId });
      const choice = isOut ? 'refused' : await consents.of(space, memberId);
      if (unstored.get(choiceKey(space, memberId))) return 'refused';
      // The choice may have been read before a refusal that is stored by now.
      if (before === refusals) return choice;
    }
  };
  return {
    /** A member's choice for a space; opting out of everything overrides it. */
    of,
    /** Repeats lookups that are under way, after somebody opted out of everything. */
    lookUpAgain: (): void => {
      refusals += 1;
    },
    /** Sets a member's choice for a space; takes effect at once. */
    choose: async (
      space: Space,
      memberId: string,
      choice: Exclude<ConsentChoice, undefined>,
    ): Promise<void> => {
      const key = choiceKey(space, memberId);
      const own = Symbol(choice);
      newest.set(key, own);
      // A refusal takes effect before it is stored.
      if (choice === 'refused') {
        refusals += 1;
        unstored.set(key, true);
        chosen(space, memberId, choice);
      }
      try {
        await consents.choose(space, memberId, choice);
        if (newest.get(key) === own) unstored.delete(key);
        const now = await of(space, memberId);
        if (newest.get(key) === own) chosen(space, memberId, now);
      } finally {
        if (newest.get(key) === own) newest.delete(key);
      }
    },
  };
};
