import type { Space } from '../../model/place.ts';
import type { Privacy } from '../../store/privacy.ts';
import type { Rooms } from '../service.ts';
import type { RoomConsents } from '../../store/room-consents.ts';
import { createLru } from '../../async/lru.ts';
import type { ConsentChoice } from './consent.ts';

export interface ConsentChoicesDeps {
  readonly consents: RoomConsents;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  /** Tells the rooms of a space what somebody chose. */
  readonly chosen: (space: Space, memberId: string, choice: ConsentChoice) => void;
}

/** What people chose about being heard, in one space or everywhere. */
export interface ConsentChoices extends Pick<Rooms, 'choose'> {
  /** Opting out of everything goes before what was chosen for a space. */
  of(space: Space, memberId: string): Promise<ConsentChoice>;
  /** Somebody opts out of everything: what is being looked up is looked up again. */
  lookAgain(): void;
}

/** More than that can be written down at no time. */
const MOST_UNWRITTEN = 1_000;

const keyOf = ({ platform, id }: Space, memberId: string): string =>
  `${platform} ${id} ${memberId}`;

export const createConsentChoices = ({
  consents,
  privacy,
  chosen,
}: ConsentChoicesDeps): ConsentChoices => {
  /** What is being written down: the newest of each member counts. */
  const newest = new Map<string, symbol>();
  /** Whose no is being written down, or could not be. */
  const unwritten = createLru<string, true>(MOST_UNWRITTEN);
  /** How many have said no. */
  let noes = 0;

  const of: ConsentChoices['of'] = async (space, memberId) => {
    for (;;) {
      const before = noes;
      const isOut = await privacy.optedOut({ platform: space.platform, id: memberId });
      const found = isOut ? 'unheard' : await consents.of(space, memberId);
      if (unwritten.get(keyOf(space, memberId))) return 'unheard';
      // It may have been read before a no that is written down by now.
      if (before === noes) return found;
    }
  };
  return {
    of,
    lookAgain: () => {
      noes += 1;
    },
    choose: async (space, memberId, choice) => {
      const key = keyOf(space, memberId);
      const own = Symbol(choice);
      newest.set(key, own);
      // A no holds before it is written down.
      if (choice === 'unheard') {
        noes += 1;
        unwritten.set(key, true);
        chosen(space, memberId, choice);
      }
      try {
        await consents.choose(space, memberId, choice);
        if (newest.get(key) === own) unwritten.delete(key);
        const now = await of(space, memberId);
        if (newest.get(key) === own) chosen(space, memberId, now);
      } finally {
        if (newest.get(key) === own) newest.delete(key);
      }
    },
  };
};
