import { createLru } from '../../async/lru.ts';
import type { RecognitionResult } from '../../ports/recogniser.ts';
import {
  bareText,
  isCommonPhrase,
  stockPhraseMs,
  withoutSounds,
  countLetters,
  countOnlyFrom,
  longestLoop,
} from '../../speech/hallucinations.ts';
import { rankLanguages } from '../../text/language/detect.ts';
import { findLanguage } from '../../text/language/languages.ts';

/** Reasons to treat a transcript as invented. */
export const REFUSALS = [
  /** No words, or only markers of sounds. */
  'no-words',
  /** More words than anybody speaks in that time. */
  'too-fast',
  'stock-phrase',
  /** The same words again and again. */
  'loop',
  /** Only hotwords that the recogniser was given. */
  'echo',
  /** The same short transcript again and again. */
  'repeat',
  'unsure',
  /** A language that nobody in the room is known to speak, without a second sign of it. */
  'foreign',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** A recognised text with what is known of its sound. */
export interface HeardUtterance extends RecognitionResult {
  readonly speakerId: string;
  readonly voiceMs: number;
  readonly spanMs: number;
  readonly endMs: number;
}

/** The same with the confidence that is assumed where none is known. */
interface TranscriptCandidate extends HeardUtterance {
  readonly confidence: number;
}

/** Facts about the room that help to judge a transcript. */
export interface FilterContext {
  /** BCP 47 codes of the languages that its people speak or read; none: not known. */
  readonly languages: readonly string[];
  readonly hotwords: readonly string[];
}

export type FilterVerdict =
  | { readonly accepted: string; readonly refusal?: never }
  | { readonly accepted?: never; readonly refusal: Refusal };

/**
 * Limits of the filter. Confidence is the mean probability of a token: 0.7 to 0.95 in clear speech.
 * The less voice there is, the more confidence a text needs, for recognisers invent text for
 * near-silence.
 */
export const THRESHOLDS = {
  /** Voice below which a text is faint: a quick word, such as the Japanese yes, or a noise. */
  faintMs: 300,
  /** Share of voice below which audio is near-silence: speech has well over half. */
  faintShare: 0.25,
  /** Voice below which there is a word or two, where a stock phrase needs more confidence. */
  shortMs: 1_500,
  /** Voice of a sentence: with less, a recogniser may mistake the language. */
  foreignMs: 2_500,
  /** Time in which two lines of one person are signs of the same language. */
  foreignAgainMs: 300_000,
  /**
   * Least probability, by its letters, that a text is in the recognised language. Of 24 short lines in
   * their own language the lowest had 0.57, of 12 in a wrongly recognised one the highest 0.01.
   */
  textAgrees: 0.5,
  /** Least voice with which the language of a certain transcript becomes one of the room's. */
  learnMs: 3_000,

  /** Confidence below which a short text is a guess: half of the lowest of clear speech. */
  unsure: 0.35,
  /** Confidence below which a faint text is a guess: faint audio offers less evidence. */
  unsureFaint: 0.5,
  /** Confidence below which a text that looks invented counts as invented. */
  sure: 0.6,
  /** The lowest confidence of clear speech: a quick word that reaches it counts as spoken. */
  clear: 0.7,
  /** Confidence with which a language is believed. */
  certain: 0.75,
  /** The confidence that near-silence needs instead of `clear`, and a short stock phrase. */
  clearFaint: 0.8,

  /** Fewest repetitions of a loop: people repeat a word three times. */
  loops: 4,
  /** Repetitions that nobody speaks in one breath, however confident the recogniser is. */
  mostLoops: 10,
  /** Fewest hotwords of an echo: fewer are somebody addressed by name. */
  echoed: 3,
  repeatMs: 60_000,
  /** Longest text that counts as a repetition: longer ones are not invented twice. */
  repeatChars: 40,
  /** Earlier occurrences after which a faint text is refused. */
  repeatsFaint: 1,
  /** Earlier occurrences after which a text without enough confidence is refused. */
  repeatsUnsure: 2,

  /** Letters a second in scripts with spaces: twice the rate of the fastest speakers. */
  lettersPerSecond: 40,
  /** Characters a second in scripts without spaces, in which each stands for more. */
  signsPerSecond: 18,
  /** Time by which rounding may shorten an utterance. */
  spareSeconds: 0.6,
} as const;

/** Confidence that is assumed where none is known: that of clear speech. */
const USUAL_CONFIDENCE = 0.8;

const MOST_SPEAKERS = 100;
const MOST_LANGUAGES = 10;

const isNearSilence = ({ voiceMs, spanMs }: TranscriptCandidate): boolean =>
  voiceMs < spanMs * THRESHOLDS.faintShare;

const isFaint = (candidate: TranscriptCandidate): boolean =>
  candidate.voiceMs < THRESHOLDS.faintMs || isNearSilence(candidate);

/** True when a faint transcript has the confidence of clear speech. */
const isClear = (candidate: TranscriptCandidate): boolean =>
  candidate.confidence >= (isNearSilence(candidate) ? THRESHOLDS.clearFaint : THRESHOLDS.clear);

const isTooFast = (text: string, spanMs: number): boolean => {
  const { letters, signs } = countLetters(text);
  const { lettersPerSecond, signsPerSecond, spareSeconds } = THRESHOLDS;
  return letters / lettersPerSecond + signs / signsPerSecond > spanMs / 1_000 + spareSeconds;
};

const isStock = (
  { voiceMs, confidence }: TranscriptCandidate,
  faint: boolean,
  fastestMs: number,
): boolean => {
  const { shortMs, clearFaint, sure } = THRESHOLDS;
  return faint || voiceMs < fastestMs || confidence < (voiceMs < shortMs ? clearFaint : sure);
};

const isInvented = (text: string, candidate: TranscriptCandidate): boolean => {
  const fastestMs = stockPhraseMs(text);
  const faint = isFaint(candidate);
  if (fastestMs !== undefined) return isStock(candidate, faint, fastestMs);
  return isCommonPhrase(text) && faint && !isClear(candidate);
};

const isLoop = (text: string, candidate: TranscriptCandidate): boolean => {
  const times = longestLoop(bareText(text));
  if (times >= THRESHOLDS.mostLoops) return true;
  const isDoubtful = isFaint(candidate) || candidate.confidence < THRESHOLDS.sure;
  return times >= THRESHOLDS.loops && isDoubtful;
};

const isEcho = (
  text: string,
  candidate: TranscriptCandidate,
  hotwords: readonly string[],
): boolean => {
  const faint = isFaint(candidate);
  if (faint ? isClear(candidate) : candidate.confidence >= THRESHOLDS.sure) return false;
  const bare = bareText(text);
  const known = hotwords.map(bareText);
  // A single hotword is somebody addressed by name, however many characters it has.
  if (!faint && known.includes(bare)) return false;
  return countOnlyFrom(bare, known) >= (faint ? 1 : THRESHOLDS.echoed);
};

const isUnsure = (candidate: TranscriptCandidate): boolean =>
  isFaint(candidate)
    ? candidate.confidence < THRESHOLDS.unsureFaint
    : candidate.voiceMs < THRESHOLDS.shortMs && candidate.confidence < THRESHOLDS.unsure;

/** A language's code without region and script, which recognisers do not distinguish. */
const baseOf = (language: string): string | undefined => findLanguage(language)?.split('-')[0];

/** True when the letters of a text agree that it is in a language. */
const isWrittenIn = (text: string, base: string): boolean => {
  if (isCommonPhrase(text)) return false;
  const ranked = rankLanguages(text).find(({ language }) => baseOf(language) === base);
  return (ranked?.confidence ?? 0) >= THRESHOLDS.textAgrees;
};

/** The reason to refuse a transcript that shows in the transcript alone. */
const refusalOf = (
  text: string,
  candidate: TranscriptCandidate,
  hotwords: readonly string[],
): Refusal | undefined => {
  if (bareText(text) === '') return 'no-words';
  if (isTooFast(text, candidate.spanMs)) return 'too-fast';
  if (isInvented(text, candidate)) return 'stock-phrase';
  if (isLoop(text, candidate)) return 'loop';
  if (isEcho(text, candidate, hotwords)) return 'echo';
  return isUnsure(candidate) ? 'unsure' : undefined;
};

/** Refuses text that recognisers invent for audio without speech. */
export const createHallucinationFilter = () => {
  const latest = createLru<
    string,
    { readonly bare: string; readonly endMs: number; readonly times: number }
  >(MOST_SPEAKERS);
  const learnt = createLru<string, true>(MOST_LANGUAGES);
  /** The latest line in a language that is not one of the room's, by speaker. */
  const foreign = createLru<
    string,
    { readonly base: string; readonly bare: string; readonly endMs: number }
  >(MOST_SPEAKERS);

  /** Counts how often a speaker's latest transcripts were the same text. */
  const timesBefore = ({ speakerId, endMs }: TranscriptCandidate, bare: string): number => {
    const before = latest.get(speakerId);
    const isAgain = before?.bare === bare && endMs - before.endMs < THRESHOLDS.repeatMs;
    return isAgain ? before.times : 0;
  };

  const isRepeat = (text: string, candidate: TranscriptCandidate): boolean => {
    if (text.length > THRESHOLDS.repeatChars) return false;
    const times = timesBefore(candidate, bareText(text));
    if (isNearSilence(candidate) || (isFaint(candidate) && !isClear(candidate)))
      return times >= THRESHOLDS.repeatsFaint;
    return candidate.confidence < THRESHOLDS.sure && times >= THRESHOLDS.repeatsUnsure;
  };

  /** True when the same person said something else in that language a short time before. */
  const isAgain = (base: string, text: string, { speakerId, endMs }: TranscriptCandidate) => {
    const before = foreign.get(speakerId);
    return (
      before?.base === base &&
      before.bare !== bareText(text) &&
      endMs - before.endMs < THRESHOLDS.foreignAgainMs
    );
  };

  /** True for a language that nobody is known to speak, without a second sign that somebody does. */
  const isForeign = (text: string, candidate: TranscriptCandidate, base: string): boolean => {
    const { voiceMs, confidence } = candidate;
    if (voiceMs >= THRESHOLDS.foreignMs || confidence >= THRESHOLDS.certain) return false;
    if (isAgain(base, text, candidate)) return false;
    return isFaint(candidate) || !isWrittenIn(text, base);
  };

  const remember = (text: string, candidate: TranscriptCandidate): void => {
    const bare = bareText(text);
    const { speakerId, endMs } = candidate;
    latest.set(speakerId, { bare, endMs, times: timesBefore(candidate, bare) + 1 });
  };

  const rememberForeign = (base: string, text: string, candidate: TranscriptCandidate): void => {
    const { speakerId, endMs } = candidate;
    foreign.set(speakerId, { base, bare: bareText(text), endMs });
  };

  const learn = ({ language, voiceMs, confidence }: TranscriptCandidate): void => {
    const base = baseOf(language);
    if (base && voiceMs >= THRESHOLDS.learnMs && confidence >= THRESHOLDS.certain)
      learnt.set(base, true);
  };

  return {
    /** Judges a transcript. Remembers final ones, and the languages of those that are certain. */
    judge: (
      heard: HeardUtterance,
      { languages, hotwords }: FilterContext,
      isFinal: boolean,
    ): FilterVerdict => {
      const candidate = { ...heard, confidence: heard.confidence ?? USUAL_CONFIDENCE };
      const text = withoutSounds(candidate.text);
      const spoken = new Set(languages.map(baseOf));
      const base = baseOf(candidate.language);
      const isKnown =
        base === undefined || spoken.size === 0 || spoken.has(base) || learnt.get(base) === true;
      const ofItself = refusalOf(text, candidate, hotwords);
      const refusal =
        ofItself ??
        (!isKnown && isForeign(text, candidate, base) ? 'foreign' : undefined) ??
        (isRepeat(text, candidate) ? 'repeat' : undefined);
      if (isFinal) {
        remember(text, candidate);
        if (!isKnown && !ofItself) rememberForeign(base, text, candidate);
        if (!refusal) learn(candidate);
      }
      return refusal ? { refusal } : { accepted: text };
    },
    forget: (speakerId: string): void => {
      latest.delete(speakerId);
      foreign.delete(speakerId);
    },
  };
};
