import type { Voice } from '../api/contract.ts';
import type { VoicePreference } from './speech.ts';
import { languagesInWords, sameLanguage } from '../text/language/languages.ts';

/** Names that services give to a voice that speaks any language. */
const EVERY_LANGUAGE = /\b(?:multilingual|multi-lingual|all languages|any language)\b/i;

/**
 * Ranks how well a voice speaks a language: alone or as any, first among others, among others, not.
 */
const languageRank = (voice: Voice, wanted: string): number => {
  if (EVERY_LANGUAGE.test(voice.language)) return 0;
  const spoken = languagesInWords(voice.language);
  const index = spoken.findIndex((language) => sameLanguage(language, wanted));
  if (index === 0) return spoken.length === 1 ? 0 : 1;
  if (index > 0) return 2;
  return Number.POSITIVE_INFINITY;
};

const NO_WORD = /[^\p{L}\p{N}]+/gu;
/** Scripts that put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

const described = ({ description, language, gender }: Voice): string =>
  ` ${description} ${language} ${gender}`.toLowerCase().replaceAll(NO_WORD, ' ');

const voicesNamed = (voices: readonly Voice[], named: string): Voice[] => {
  const wanted = named.trim().toLowerCase();
  const byId = voices.filter(({ id }) => id.toLowerCase() === wanted);
  if (byId.length > 0) return byId;
  const words = wanted.split(NO_WORD).filter((word) => word !== '');
  const isNamed = (voice: Voice): boolean =>
    words.every((word) => described(voice).includes(UNSPACED.test(word) ? word : ` ${word}`));
  return words.length > 0 ? voices.filter(isNamed) : [];
};

/** The voices that fit the preference, best first. A gender that no voice has is ignored. */
export const fittingVoices = (voices: readonly Voice[], preference: VoicePreference): Voice[] => {
  const { named, language, gender } = preference;
  if (named !== undefined) return voicesNamed(voices, named);
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
