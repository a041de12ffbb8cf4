import { isSpacedLetter, isLetter } from '../../text/letters.ts';
import { createLru } from '../../async/lru.ts';
import { bareText, knownInvention, withoutSounds } from '../../speech/hallucinations.ts';
import { findLanguage } from '../../text/language/languages.ts';

import type { Recognised } from '../../ports/recogniser.ts';

/** What is longer than this is not looked at: nobody says as much in one utterance. */
const LONGEST = 2_000;

const LONGEST_UNIT_WORDS = 20;

/** A loop is all of a line but some words before it or after it. */
const LOOP_SHARE = 0.6;

/** Letters of scripts with spaces, and signs of scripts without, which say more each. */
export const countLetters = (
  text: string,
): { readonly letters: number; readonly signs: number } => {
  let letters = 0;
  let signs = 0;
  for (const char of text)
    if (isSpacedLetter(char)) letters += 1;
    else if (isLetter(char)) signs += 1;
  return { letters, signs };
};

/** Words; of scripts without spaces, signs. */
const unitsOf = (bare: string): string[] => {
  const units: string[] = [];
  let word = '';
  const endWord = (): void => {
    if (word !== '') units.push(word);
    word = '';
  };
  for (const char of bare.slice(0, LONGEST)) {
    if (isSpacedLetter(char)) {
      word += char;
      continue;
    }
    endWord();
    if (isLetter(char)) units.push(char);
  }
  endWord();
  return units;
};

/**
 * How often a line says the same words one time after another, where that is most of the line; 1
 * where it does not. `bare`: without punctuation and case.
 */
export const longestLoop = (bare: string): number => {
  const units = unitsOf(bare);
  let most = 1;
  const longestUnit = Math.min(LONGEST_UNIT_WORDS, Math.floor(units.length / 2));
  for (let period = 1; period <= longestUnit; period += 1) {
    let run = 0;
    for (let at = period; at < units.length; at += 1) {
      run = units[at] === units[at - period] ? run + 1 : 0;
      if (run + period < units.length * LOOP_SHARE) continue;
      most = Math.max(most, Math.floor(run / period) + 1);
    }
  }
  return most;
};

/** How many words (signs) a line has, if all of them are among those of `others`; otherwise 0. */
export const countOnlyFrom = (bare: string, others: readonly string[]): number => {
  const units = unitsOf(bare);
  const known = new Set(others.flatMap(unitsOf));
  return units.every((unit) => known.has(unit)) ? units.length : 0;
};

/** Why a line was not said, as far as can be told. */
export const REFUSALS = [
  /** No words, or only markers of sounds. */
  'no-words',
  /** More than anybody says in that time. */
  'too-fast',
  'stock-phrase',
  /** The same words over and over. */
  'loop',
  /** Nothing but words that the recogniser was told to listen for. */
  'echo',
  /** The same short line again and again. */
  'repeat',
  'unsure',
  /** A language that nobody in the room speaks. */
  'foreign',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What was recognised, and what is known of the sound. */
export interface RecognisedLine extends Recognised {
  readonly speakerId: string;
  readonly voiceMs: number;
  readonly spanMs: number;
  readonly endMs: number;
}

/** What is known of the room. */
export interface FilterContext {
  /** BCP 47 codes of what its people speak or read; none: not known. */
  readonly languages: readonly string[];
  readonly hotwords: readonly string[];
}

export type FilterVerdict =
  | { readonly said: string; readonly refusal?: never }
  | { readonly said?: never; readonly refusal: Refusal };

/** Keeps out what recognisers write down although nobody said it. */
export interface HallucinationFilter {
  /**
   * Remembers lines, and the languages of what is heard with certainty; not so of what is not
   * final.
   */
  judge(line: RecognisedLine, room: FilterContext, isFinal: boolean): FilterVerdict;
  forget(speakerId: string): void;
}

/** Less voice than this is a quick word, such as the Japanese yes, or a noise. */
const FAINT_MS = 300;
/** Less of the time than this is near-silence. */
const FAINT_SHARE = 0.25;
const SHORT_MS = 1_500;
/** So much voice, so surely heard, makes a language one of the room's. */
const LEARNT_MS = 3_000;
const FOREIGN_MS = 2_500;

/** Confidence is the mean probability of a token: 0.7 to 0.95 in clear speech. */
const UNSURE = 0.35;
const UNSURE_FAINT = 0.5;
const SURE = 0.6;
const CLEAR = 0.7;
const CERTAIN = 0.75;
const CERTAIN_FAINT = 0.8;

const FEWEST_LOOPS = 4;
/** Nobody says a thing so often in one breath, however sure the recogniser is. */
const MOST_LOOPS = 10;

/** Fewer are a name that is called. */
const FEWEST_ECHOED = 3;

const REPEATED_WITHIN_MS = 60_000;
const SHORT_LINE_LETTERS = 40;
/**
 * Of near-silence, or a quick word that is not clear, the second is one too many; of what is not sure
 * the third.
 */
const MOST_REPEATED_FAINT = 1;
const MOST_REPEATED_UNSURE = 2;

/** Twice of what the fastest speakers reach, and what a rounding of the time may add. */
const LETTERS_PER_SECOND = 40;
const SIGNS_PER_SECOND = 18;
const SPARE_SECONDS = 0.6;

const MOST_SPEAKERS = 100;
const MOST_LANGUAGES = 10;

const isNearSilence = ({ voiceMs, spanMs }: RecognisedLine): boolean =>
  voiceMs < spanMs * FAINT_SHARE;

const isFaint = (line: RecognisedLine): boolean => line.voiceMs < FAINT_MS || isNearSilence(line);

/** Of a faint line: whether it is as sure as what is said in full. */
const isClear = (line: RecognisedLine): boolean =>
  line.confidence >= (isNearSilence(line) ? CERTAIN_FAINT : CLEAR);

const isTooFast = (said: string, spanMs: number): boolean => {
  const { letters, signs } = countLetters(said);
  return letters / LETTERS_PER_SECOND + signs / SIGNS_PER_SECOND > spanMs / 1_000 + SPARE_SECONDS;
};

const isInvented = (said: string, line: RecognisedLine): boolean => {
  const kind = knownInvention(said);
  const faint = isFaint(line);
  if (kind === 'stock') return faint || line.voiceMs < SHORT_MS || line.confidence < SURE;
  return kind === 'common' && faint && !isClear(line);
};

const isLoop = (said: string, line: RecognisedLine): boolean => {
  const times = longestLoop(bareText(said));
  if (times >= MOST_LOOPS) return true;
  return times >= FEWEST_LOOPS && (isFaint(line) || line.confidence < SURE);
};

const isEcho = (said: string, line: RecognisedLine, hotwords: readonly string[]): boolean => {
  const faint = isFaint(line);
  if (faint ? isClear(line) : line.confidence >= SURE) return false;
  const bare = bareText(said);
  const known = hotwords.map(bareText);
  // One alone is a name that is called, however many signs it has.
  if (!faint && known.includes(bare)) return false;
  const words = countOnlyFrom(bare, known);
  return words >= (faint ? 1 : FEWEST_ECHOED);
};

const isUnsure = (line: RecognisedLine): boolean =>
  isFaint(line)
    ? line.confidence < UNSURE_FAINT
    : line.voiceMs < SHORT_MS && line.confidence < UNSURE;

/** Recognisers tell neither regions nor ways of writing apart. */
const baseOf = (language: string): string | undefined => findLanguage(language)?.split('-')[0];

const isForeign = (line: RecognisedLine, isSpoken: (base: string) => boolean): boolean => {
  const base = baseOf(line.language);
  if (base === undefined || isSpoken(base)) return false;
  return line.voiceMs < FOREIGN_MS && line.confidence < CERTAIN;
};

/** What a line shows by itself. */
const refusalOf = (
  said: string,
  line: RecognisedLine,
  hotwords: readonly string[],
  isSpoken: (base: string) => boolean,
): Refusal | undefined => {
  if (bareText(said) === '') return 'no-words';
  if (isTooFast(said, line.spanMs)) return 'too-fast';
  if (isInvented(said, line)) return 'stock-phrase';
  if (isLoop(said, line)) return 'loop';
  if (isEcho(said, line, hotwords)) return 'echo';
  if (isUnsure(line)) return 'unsure';
  return isForeign(line, isSpoken) ? 'foreign' : undefined;
};

export const createHallucinationFilter = (): HallucinationFilter => {
  const lastLines = createLru<
    string,
    { readonly bare: string; readonly endMs: number; readonly times: number }
  >(MOST_SPEAKERS);
  const learnt = createLru<string, true>(MOST_LANGUAGES);

  /** How often that speaker's last lines were this one, and not the one that is judged. */
  const timesBefore = (line: RecognisedLine, bare: string): number => {
    const last = lastLines.get(line.speakerId);
    const isAgain = last?.bare === bare && line.endMs - last.endMs < REPEATED_WITHIN_MS;
    return isAgain ? last.times : 0;
  };

  const isRepeat = (said: string, line: RecognisedLine): boolean => {
    if (said.length > SHORT_LINE_LETTERS) return false;
    const times = timesBefore(line, bareText(said));
    if (isNearSilence(line) || (isFaint(line) && !isClear(line)))
      return times >= MOST_REPEATED_FAINT;
    return line.confidence < SURE && times >= MOST_REPEATED_UNSURE;
  };

  const remember = (said: string, line: RecognisedLine): void => {
    const bare = bareText(said);
    lastLines.set(line.speakerId, {
      bare,
      endMs: line.endMs,
      times: timesBefore(line, bare) + 1,
    });
  };

  const learn = ({ language, voiceMs, confidence }: RecognisedLine): void => {
    const base = baseOf(language);
    if (base && voiceMs >= LEARNT_MS && confidence >= CERTAIN) learnt.set(base, true);
  };

  return {
    judge: (line, { languages, hotwords }, isFinal) => {
      const said = withoutSounds(line.text);
      const spoken = new Set(languages.map(baseOf));
      const isSpoken = (base: string): boolean =>
        spoken.size === 0 || spoken.has(base) || learnt.get(base) === true;
      const refusal =
        refusalOf(said, line, hotwords, isSpoken) ?? (isRepeat(said, line) ? 'repeat' : undefined);
      if (isFinal) {
        remember(said, line);
        if (!refusal) learn(line);
      }
      return refusal ? { refusal } : { said };
    },
    forget: (speakerId) => lastLines.delete(speakerId),
  };
};
