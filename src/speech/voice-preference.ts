import type { VoicePreference, Speaker } from './speech.ts';
import type { Voice } from '../api/contract.ts';

export interface VoiceHints {
  /** The preference that somebody stated; overrides the rest. */
  readonly asked?: VoicePreference | undefined;
  /** The speaker's own voice, by id. */
  readonly own?: string | undefined;
  /**
   * Languages that the text may be in, best guess first; a guess without a voice that speaks it is
   * skipped.
   */
  readonly guesses: readonly (string | undefined)[];
}

/** The voices to look for, best first. */
export const voiceWishes = ({
  asked = {},
  own,
  guesses,
}: VoiceHints): readonly VoicePreference[] => {
  const { named, language, gender } = asked;
  if (named !== undefined) return [{ named }];
  const ofGender = gender === undefined ? {} : { gender };
  if (language !== undefined) return [{ language, ...ofGender }];
  const languages = [...new Set(guesses.filter((guess) => guess !== undefined))];
  return [
    // A person's own voice is not used for text that another voice was asked to speak.
    ...(own === undefined || gender !== undefined ? [] : [{ named: own }]),
    ...languages.map((guess) => ({ language: guess, ...ofGender })),
    ofGender,
  ];
};

/**
 * The first preference that any voice fits; the last one when none does, for the error that it
 * gives.
 */
export const firstThatFits = async (
  wishes: readonly VoicePreference[],
  speaker: Pick<Speaker, 'voices'>,
  signal: AbortSignal,
): Promise<{ readonly wish: VoicePreference; readonly voices: readonly Voice[] }> => {
  for (const wish of wishes) {
    const voices = await speaker.voices(wish, signal);
    if (voices.length > 0) return { wish, voices };
  }
  return { wish: wishes.at(-1) ?? {}, voices: [] };
};
