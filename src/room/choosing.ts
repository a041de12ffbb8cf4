import type { Space } from '../model.ts';
import type { Privacy } from '../services.ts';
import type { Rooms } from './service.ts';
import type { RoomConsents } from '../store/room-consents.ts';
import type { ConsentChoice } from './consent.ts';

export interface ChoosingParts {
  readonly consents: RoomConsents;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  /** Tells the rooms of a space what somebody chose. */
  readonly chosen: (space: Space, memberId: string, choice: ConsentChoice) => void;
}

/** What people chose about being heard, in one space or everywhere. */
export interface Choosing extends Pick<Rooms, 'choose'> {
  /** Opting out of everything goes before what was chosen for a space. */
  of(space: Space, memberId: string): Promise<ConsentChoice>;
}

export const createChoosing = ({ consents, privacy, chosen }: ChoosingParts): Choosing => {
  /** What is being written down: the newest of each member counts. */
  const newest = new Map<string, symbol>();

  const of: Choosing['of'] = async (space, memberId) => {
    const isOut = await privacy.optedOut({ platform: space.platform, id: memberId });
    return isOut ? 'unheard' : consents.of(space, memberId);
  };
  return {
    of,
    choose: async (space, memberId, choice) => {
      const key = `${space.platform} ${space.id} ${memberId}`;
      const own = Symbol(choice);
      newest.set(key, own);
      // A no holds before it is written down.
      if (choice === 'unheard') chosen(space, memberId, choice);
      try {
        await consents.choose(space, memberId, choice);
        const now = await of(space, memberId);
        if (newest.get(key) === own) chosen(space, memberId, now);
      } finally {
        if (newest.get(key) === own) newest.delete(key);
      }
    },
  };
};
