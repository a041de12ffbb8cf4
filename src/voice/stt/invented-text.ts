import type { SpeechSpan } from '../../audio/vad.ts';
import type { RecognitionResult, Utterance } from '../../ports/recogniser.ts';
import {
  bareText,
  countLetters,
  countOnlyFrom,
  isCommonPhrase,
  longestLoop,
  MOST_LOOPS,
  stockPhraseMs,
} from '../../speech/hallucinations.ts';
import { goesRound } from '../../text/reply/repetition.ts';

/** Reasons to treat a transcript as invented. */
export const REFUSALS = [
  /** No words, or only markers of sounds. */
  'no-words',
  /** The recogniser says that nobody speaks. */
  'noise',
  /** The same words again and again. */
  'loop',
  /** More words than anybody speaks in that time. */
  'too-fast',
  'stock-phrase',
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
export interface HeardUtterance
  extends
    RecognitionResult,
    Pick<Utterance, 'speakerId' | 'voiceMs' | 'spanMs' | 'startMs' | 'endMs'> {
  /** Stretches with voice, on the clock of `words`; undefined where their times are not known. */
  readonly voice?: readonly SpeechSpan[];
}

/** The same as it is judged. */
export interface TranscriptCandidate extends HeardUtterance {
  /** Confidence on the common scale; where none is known, what is believed then. */
  readonly confidence: number;
  /** True where something beside the sound says that somebody speaks. */
  readonly isLikely: boolean;
  /** True where there is hardly any voice, and nothing else says that somebody speaks. */
  readonly isFaint: boolean;
}

/**
 * Limits of the filter. Confidence is the mean probability of a token on a common scale: 0.8 in long
 * clear lines. The less voice there is, the more confidence a text needs, for recognisers invent text
 * for near-silence.
 */
export const THRESHOLDS = {
  /**
   * Probability that nobody speaks from which a text is one of noise, unless it is sure: of 66 noises all
   * had more but a sneeze and a dog's barking, of 98 turns of speech none; somebody far away may.
   */
  noSpeech: 0.48,
  /** Share of voice below which audio is near-silence: speech has well over half. */
  faintShare: 0.25,
  /** Time after the turn of somebody else in which a few words are likely an answer. */
  answerMs: 8_000,
  /** Voice below which digits with signs, and nothing else, are no word. */
  wordMs: 1_000,
  /** Longest voice of a digit: recognisers write numbers for long noise. */
  digitMs: 500,
  /** Voice below which there is a word or two, where a stock phrase needs more confidence. */
  shortMs: 1_500,
  /** Voice of a sentence: with less, a recogniser may mistake the language. */
  foreignMs: 2_500,
  /** Least voice of a long line, from which the scale and the languages are learnt. */
  learnMs: 3_000,

  /**
   * Confidence below which a text is a guess: of 80 noises the highest had 0.34, but for loops, of 42 words
   * that were heard right the lowest 0.36, of 34 pieces of talk 0.45.
   */
  unsure: 0.35,
  /** Confidence below which the probability that nobody speaks decides. */
  doubtful: 0.45,
  /** Confidence below which a text that looks invented counts as invented. */
  sure: 0.6,
  /** Confidence with which a language is believed. */
  certain: 0.75,
  /** The confidence that near-silence needs, and a short stock phrase. */
  clear: 0.8,

  /** Fewest repetitions of a loop: people repeat a word three times. */
  loops: 4,
  /** Repetitions that nobody speaks in one breath, however confident the recogniser is. */
  mostLoops: MOST_LOOPS,
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

/** Time in which nobody says a text. */
export const fastestSeconds = (text: string): number => {
  const { letters, signs } = countLetters(text);
  return letters / THRESHOLDS.lettersPerSecond + signs / THRESHOLDS.signsPerSecond;
};

const isTooFast = (text: string, spanMs: number): boolean =>
  fastestSeconds(text) > spanMs / 1_000 + THRESHOLDS.spareSeconds;

/** True where the recogniser says that nobody speaks. */
export const hearsNobody = ({ noSpeech = 0 }: Pick<RecognitionResult, 'noSpeech'>): boolean =>
  noSpeech >= THRESHOLDS.noSpeech;

/** Most letters of a unit behind a number, such as `oz`. */
const UNIT_LETTERS = 3;

/**
 * True for a number that nobody says so fast, or so slowly. Of 80 noises many became `1.0` or `1/2"`, none a
 * whole number, as which people's digits are written.
 */
const isNoNumber = ({ text, voiceMs }: HeardUtterance): boolean => {
  const [digits, letters] = [/\p{Nd}/gu, /\p{L}/gu].map((kind) => text.match(kind)?.length ?? 0);
  if (!digits || letters === undefined || letters > UNIT_LETTERS) return false;
  const isWhole = /^\p{Nd}+[%°]?[.!?。]?$/u.test(text);
  if (voiceMs > THRESHOLDS.digitMs * (letters > 0 || isWhole ? digits + 1 : digits)) return true;
  return letters === 0 && !isWhole && voiceMs < THRESHOLDS.wordMs;
};

const isInvented = (candidate: TranscriptCandidate): boolean => {
  const { text, voiceMs, confidence, isFaint } = candidate;
  const { shortMs, clear, sure } = THRESHOLDS;
  const fastestMs = stockPhraseMs(text);
  if (fastestMs === undefined) {
    // They are a word or two, which take no longer.
    const isLong = voiceMs >= shortMs && confidence < sure;
    return isCommonPhrase(text) && (isLong || (isFaint && confidence < clear));
  }
  return isFaint || voiceMs < fastestMs || confidence < (voiceMs < shortMs ? clear : sure);
};

/** Fewest repetitions with which a transcript is a loop. */
export const fewestLoops = (candidate: TranscriptCandidate): number => {
  const isDoubtful = candidate.isFaint || hearsNobody(candidate);
  const { sure, loops: few, mostLoops } = THRESHOLDS;
  return isDoubtful || candidate.confidence < sure ? few : mostLoops;
};

const isEcho = (
  { text, confidence }: TranscriptCandidate,
  hotwords: readonly string[],
): boolean => {
  if (confidence >= THRESHOLDS.certain) return false;
  const bare = bareText(text);
  const known = hotwords.map(bareText);
  // A single hotword is somebody addressed by name, however many characters it has.
  return !known.includes(bare) && countOnlyFrom(bare, known) >= THRESHOLDS.echoed;
};

/** The reason to refuse a transcript that shows in the transcript alone. */
export const faultOfText = (
  candidate: TranscriptCandidate,
  hotwords: readonly string[],
): Refusal | undefined => {
  const { text, spanMs, confidence } = candidate;
  if (bareText(text) === '' || isNoNumber(candidate)) return 'no-words';
  if (hearsNobody(candidate) && confidence < THRESHOLDS.doubtful) return 'noise';
  if (longestLoop(text) >= fewestLoops(candidate) || goesRound(text)) return 'loop';
  if (isTooFast(text, spanMs)) return 'too-fast';
  if (isInvented(candidate)) return 'stock-phrase';
  if (isEcho(candidate, hotwords)) return 'echo';
  return confidence < THRESHOLDS.unsure ? 'unsure' : undefined;
};
