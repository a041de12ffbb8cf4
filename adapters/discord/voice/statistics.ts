import type { SpeakerStats } from '../../../src/ports/voice.ts';

/** What became of everybody's packets, and who cannot be heard. */
export interface VoiceStatistics {
  received(memberId: string, lost: number): void;
  /** A packet that proves that they can be heard. */
  opened(memberId: string): void;
  /** A packet that cannot be opened. */
  unopened(memberId: string): void;
  /** They speak, and nothing of it can be told to be theirs. */
  readonly missed: (memberId: string) => void;
  /** They are not to be heard any more: nothing is asked of them. */
  dismissed(memberId: string): void;
  readonly stats: () => readonly SpeakerStats[];
}

/** Half a second of speech that cannot be opened: longer than any change of keys takes. */
const INAUDIBLE_PACKETS = 25;
/** More than a room holds. */
const MOST_TALLIES = 200;

interface Tally {
  received: number;
  lost: number;
  undecryptable: number;
  /** In a row, up to now. */
  unopened: number;
  isInaudible: boolean;
}

/** @param audible is told when somebody cannot be heard although they speak, and when they can again */
export const createVoiceStatistics = (
  audible: (memberId: string, isAudible: boolean) => void,
): VoiceStatistics => {
  const tallies = new Map<string, Tally>();

  const tallyOf = (memberId: string): Tally => {
    const known = tallies.get(memberId);
    // Those of whom nothing came for longest stand first, and go first.
    if (known) tallies.delete(memberId);
    else if (tallies.size >= MOST_TALLIES) tallies.delete(tallies.keys().next().value!);
    const tally = known ?? {
      received: 0,
      lost: 0,
      undecryptable: 0,
      unopened: 0,
      isInaudible: false,
    };
    tallies.set(memberId, tally);
    return tally;
  };
  const tell = (memberId: string, tally: Tally, isAudible: boolean): void => {
    if (tally.isInaudible !== isAudible) return;
    tally.isInaudible = !isAudible;
    audible(memberId, isAudible);
  };

  return {
    received: (memberId, lost) => {
      const tally = tallyOf(memberId);
      tally.received += 1;
      tally.lost += lost;
    },
    opened: (memberId) => {
      const tally = tallyOf(memberId);
      tally.unopened = 0;
      tell(memberId, tally, true);
    },
    unopened: (memberId) => {
      const tally = tallyOf(memberId);
      tally.undecryptable += 1;
      tally.unopened += 1;
      if (tally.unopened >= INAUDIBLE_PACKETS) tell(memberId, tally, false);
    },
    missed: (memberId) => tell(memberId, tallyOf(memberId), false),
    dismissed: (memberId) => {
      const tally = tallies.get(memberId);
      if (tally) Object.assign(tally, { unopened: 0, isInaudible: false });
    },
    stats: () =>
      [...tallies].map(([memberId, { received, lost, undecryptable }]) => ({
        memberId,
        received,
        lost,
        undecryptable,
      })),
  };
};
