import { createLru } from '../../async/lru.ts';
import type { RecognitionResult, Utterance } from '../../ports/recogniser.ts';
import { bareText, isCommonPhrase } from '../../speech/hallucinations.ts';
import { rankLanguages } from '../../text/language/detect.ts';
import { findLanguage } from '../../text/language/languages.ts';

/** Languages that people of a room may speak, as BCP 47 codes. */
export interface RoomLanguages {
  /** Languages that its people speak or read; none: not known. */
  readonly languages: readonly string[];
  /** The language that the speaker has chosen. */
  readonly language?: string | undefined;
}

type Line = Pick<Utterance, 'speakerId' | 'endMs'> & Pick<RecognitionResult, 'text' | 'language'>;

/** Time in which two lines of one person are signs of the same language. */
export const AGAIN_MS = 300_000;
/**
 * Least probability, by its letters, that a text is in the recognised language. Of 24 short lines in
 * their own language the lowest had 0.57, of 12 in a wrongly recognised one the highest 0.01.
 */
export const TEXT_AGREES = 0.5;
const MOST_SPEAKERS = 100;
const MOST_LANGUAGES = 10;

/** A language's code without region and script, which recognisers do not distinguish. */
const baseOf = (language: string): string | undefined => findLanguage(language)?.split('-')[0];

/** True when the letters of a text agree that it is in the language that was recognised. */
export const lettersAgree = ({ text, language }: Pick<Line, 'text' | 'language'>): boolean => {
  if (isCommonPhrase(text)) return false;
  const base = baseOf(language);
  const ranked = rankLanguages(text).find((each) => baseOf(each.language) === base);
  return (ranked?.confidence ?? 0) >= TEXT_AGREES;
};

/** Creates the memory of the languages that were heard in a room. */
export const createHeardLanguages = () => {
  /** Languages that were heard for sure, the latest last. */
  const learnt = createLru<string, true>(MOST_LANGUAGES);
  /** The language in which a person was heard for sure last. */
  const own = createLru<string, string>(MOST_SPEAKERS);
  /** The latest line in a language that is not one of the room's, by speaker. */
  const foreign = createLru<string, Line>(MOST_SPEAKERS);

  return {
    /** True where a language is one that somebody here speaks, or nothing is known. */
    isKnown: (code: string, { languages, language }: RoomLanguages): boolean => {
      const base = baseOf(code);
      if (base === undefined || languages.length === 0 || learnt.get(base)) return true;
      return [...languages, language ?? ''].some((each) => baseOf(each) === base);
    },
    /** True when the same person said something else in that language a short time before. */
    isAgain: ({ speakerId, language, text, endMs }: Line): boolean => {
      const before = foreign.get(speakerId);
      return (
        before !== undefined &&
        baseOf(before.language) === baseOf(language) &&
        bareText(before.text) !== bareText(text) &&
        endMs - before.endMs < AGAIN_MS
      );
    },
    /** The language that a person has chosen, unless they were heard in another one. */
    chosenBy: (speakerId: string, language: string | undefined): string | undefined => {
      const heard = own.get(speakerId);
      const isSpoken = heard === undefined || heard === baseOf(language ?? '');
      return isSpoken ? language : undefined;
    },
    /** The language that a person most likely speaks; undefined where nothing is known. */
    likeliest: (speakerId: string, { languages, language }: RoomLanguages): string | undefined =>
      own.get(speakerId) ?? language ?? [...learnt].at(-1)?.[0] ?? languages[0],
    /** The language that a person is to be expected to speak; undefined where it may be one of several. */
    expectedOf: (speakerId: string, { languages, language }: RoomLanguages): string | undefined =>
      own.get(speakerId) ?? language ?? (languages.length === 1 ? languages[0] : undefined),
    /** Takes a line in a language that is not one of the room's. */
    noteForeign: (line: Line): void => foreign.set(line.speakerId, line),
    /** Takes a line whose language is certain. */
    learn: ({ speakerId, language }: Pick<Line, 'speakerId' | 'language'>): void => {
      const base = baseOf(language);
      if (!base) return;
      learnt.set(base, true);
      own.set(speakerId, base);
    },
    forget: (speakerId: string): void => {
      own.delete(speakerId);
      foreign.delete(speakerId);
    },
  };
};
