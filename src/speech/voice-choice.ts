import type { Voice } from '../api/contract.ts';
import type { VoicePreference, Speaker } from './speech.ts';
import type { Space } from '../model/place.ts';
import { languagesInWords, sameLanguage } from '../text/language/languages.ts';
import { quotedWords } from '../text/quoted-words.ts';

/** The words of a description, in lower case: `female` has no `male` in it. */
const wordsOf = (written: string): ReadonlySet<string> =>
  new Set(written.toLowerCase().match(/[\p{L}\p{N}]+/gu));

const isSaid = (part: string, words: ReadonlySet<string>): boolean =>
  [...wordsOf(part)].every((word) => words.has(word));

/** A BCP 47 code, which some put beside the name of a language. */
const CODE = /^[a-z]{2,3}(?:-[\dA-Za-z]{2,8})*$/;

/** True when a description says all of the languages, each by its name or each by its code. */
const areSaid = (languages: string, words: ReadonlySet<string>): boolean => {
  const parts = languages
    .split(',')
    .map((part) => part.trim())
    .filter((part) => wordsOf(part).size > 0);
  const codes = parts.filter((part) => CODE.test(part));
  const names = parts.filter((part) => !CODE.test(part));
  const areAllSaid = (some: readonly string[]): boolean =>
    some.length > 0 && some.every((part) => isSaid(part, words));
  return parts.length === 0 || areAllSaid(names) || areAllSaid(codes);
};

/**
 * Lists what people read of a voice, a line each: its description, or its ID where it has none, then
 * its languages and its gender unless the description says them. A language may be words and a code,
 * `Spanish (Spain), es`.
 */
export const voiceWords = ({
  id,
  description,
  language,
  gender,
}: Pick<Voice, 'id' | 'description' | 'language' | 'gender'>): readonly [string, ...string[]] => {
  const name = quotedWords(description || id);
  const words = wordsOf(name);
  return [
    name,
    ...(areSaid(language, words) ? [] : [quotedWords(language)]),
    ...(isSaid(gender, words) ? [] : [quotedWords(gender)]),
  ];
};

/** A voice on one line: `Ada · English · Female`. */
export const voiceText = (voice: Parameters<typeof voiceWords>[0]): string =>
  voiceWords(voice).join(' · ');

/** Names that services give to a voice that speaks any language. */
const EVERY_LANGUAGE = /\b(?:multilingual|multi-lingual|all languages|any language)\b/i;

/** The language of a code as it is spoken: ways of writing do not count. */
const spokenLanguage = (code: string): string => code.split('-')[0] ?? code;

/**
 * Ranks how well a voice speaks a language: alone, first among others, among others, the same
 * language written in another way, not.
 */
const languageRank = (voice: Voice, asked: string): number => {
  if (EVERY_LANGUAGE.test(voice.language)) return 0;
  const spoken = languagesInWords(voice.language);
  const index = spoken.findIndex((language) => sameLanguage(language, asked));
  if (index === 0) return spoken.length === 1 ? 0 : 1;
  if (index > 0) return 2;
  if (spoken.some((language) => spokenLanguage(language) === spokenLanguage(asked))) return 3;
  return Number.POSITIVE_INFINITY;
};

/** True unless a voice names languages, and not this one. */
export const voiceSpeaks = (voice: Voice, language: string): boolean =>
  Number.isFinite(languageRank(voice, language)) || languagesInWords(voice.language).length === 0;

/** The language in which a voice reads a text: that of the text, or its own where it does not speak that. */
export const readingLanguage = (voice: Voice | undefined, textLanguage: string | undefined) =>
  voice === undefined || (textLanguage !== undefined && voiceSpeaks(voice, textLanguage))
    ? textLanguage
    : (languagesInWords(voice.language)[0] ?? textLanguage);

const NO_WORD = /[^\p{L}\p{N}]+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

const described = ({ description, language, gender }: Voice): string =>
  ` ${description} ${language} ${gender}`.toLowerCase().replaceAll(NO_WORD, ' ');

const voicesNamed = (voices: readonly Voice[], named: string): Voice[] => {
  const asked = named.trim().toLowerCase();
  const byId = voices.filter(({ id }) => id.toLowerCase() === asked);
  if (byId.length > 0) return byId;
  const words = asked.split(NO_WORD).filter((word) => word !== '');
  const isNamed = (voice: Voice): boolean =>
    words.every((word) => described(voice).includes(UNSPACED.test(word) ? word : ` ${word}`));
  return words.length > 0 ? voices.filter(isNamed) : [];
};

/** The voices that fit the preference, best first. A gender that no voice has is ignored. */
export const fittingVoices = (voices: readonly Voice[], preference: VoicePreference): Voice[] => {
  const { named, language, gender } = preference;
  if (named !== undefined)
    return voicesNamed(voices, named).filter(
      (voice) => language === undefined || voiceSpeaks(voice, language),
    );
  const speaking =
    language === undefined
      ? [...voices]
      : voices
          .map((voice) => ({ voice, rank: languageRank(voice, language) }))
          .filter(({ rank }) => Number.isFinite(rank))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ voice }) => voice);
  if (gender === undefined) return speaking;
  const ofGender = speaking.filter((voice) => voice.gender.toLowerCase() === gender.toLowerCase());
  return ofGender.length > 0 ? ofGender : speaking;
};

export interface VoiceHints {
  /** The preference that somebody stated; overrides the rest. */
  readonly asked?: VoicePreference | undefined;
  /** The speaker's own voice, by id. */
  readonly own?: string | undefined;
  /** The language of the text, where it is certain. */
  readonly textLanguage?: string | undefined;
  /** Languages that the text may be in, best guess first; those without a voice are skipped. */
  readonly guesses: readonly (string | undefined)[];
}

/**
 * The voices to look for, best first. A voice of the text's language comes before the speaker's own
 * voice where that does not speak it.
 */
export const voicePreferences = ({
  asked = {},
  own,
  textLanguage,
  guesses,
}: VoiceHints): readonly VoicePreference[] => {
  const { named, language, gender } = asked;
  if (named !== undefined) return [{ named }];
  if (language !== undefined) return [{ language, gender }];
  // A person's own voice is not used for text that another voice was asked to speak.
  const mine = own === undefined || gender !== undefined ? [] : [{ named: own }];
  const languages = new Set(guesses.filter((guess) => guess !== undefined));
  const inText =
    textLanguage === undefined
      ? []
      : [
          ...mine.map((voice) => ({ ...voice, language: textLanguage })),
          { language: textLanguage, gender },
        ];
  if (textLanguage !== undefined) languages.delete(textLanguage);
  return [
    ...inText,
    ...mine,
    ...[...languages].map((guess) => ({ language: guess, gender })),
    { gender },
  ];
};

/** The first preference that any voice fits; the last one, for its error, when none does. */
export const firstThatFits = async (
  preferences: readonly VoicePreference[],
  space: Space,
  speaker: Pick<Speaker, 'voices'>,
  signal: AbortSignal,
): Promise<{ readonly preference: VoicePreference; readonly voices: readonly Voice[] }> => {
  for (const preference of preferences) {
    const voices = await speaker.voices(preference, space, signal);
    if (voices.length > 0) return { preference, voices };
  }
  return { preference: preferences.at(-1) ?? {}, voices: [] };
};
