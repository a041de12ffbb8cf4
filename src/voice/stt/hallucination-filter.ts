import { createLru } from '../../async/lru.ts';
import type { RecognitionResult } from '../../ports/recogniser.ts';
import {
  bareText,
  hasLetters,
  withoutEndLoop,
  withoutSounds,
} from '../../speech/hallucinations.ts';
import { lettersOf } from '../../text/spoken-times.ts';
import { createConfidenceScale } from './confidence-scale.ts';
import { createHeardLanguages, lettersAgree, type RoomLanguages } from './heard-languages.ts';
import {
  fewestLoops,
  hearsNobody,
  type HeardUtterance,
  type Refusal,
  faultOfText,
  THRESHOLDS,
  type TranscriptCandidate,
} from './invented-text.ts';
import { withoutUnspoken } from './unspoken-words.ts';

/** Facts about the room that help to judge a transcript. */
export interface FilterContext extends RoomLanguages {
  readonly hotwords: readonly string[];
  /** True where all is shown that somebody may have said. */
  readonly showsAll?: boolean;
}

/** Reasons that leave nothing to show. */
const NOTHING: ReadonlySet<Refusal> = new Set(['no-words', 'too-fast']);

export type FilterVerdict =
  | {
      readonly accepted: string;
      readonly words?: HeardUtterance['words'];
      readonly refusal?: never;
    }
  | { readonly accepted?: never; readonly words?: never; readonly refusal: Refusal };

const MOST_SPEAKERS = 100;

/** Refuses text that recognisers invent for audio without speech. */
export const createHallucinationFilter = () => {
  const scale = createConfidenceScale();
  const languages = createHeardLanguages();
  const latest = createLru<
    string,
    { readonly bare: string; readonly endMs: number; readonly times: number }
  >(MOST_SPEAKERS);
  /** The ends of the latest lines that were shown, by speaker. */
  const turns = createLru<string, number>(MOST_SPEAKERS);

  const isAnswer = ({ speakerId, startMs }: HeardUtterance): boolean =>
    [...turns].some(
      ([other, endMs]) => other !== speakerId && Math.abs(startMs - endMs) < THRESHOLDS.answerMs,
    );

  /** The words that may have been spoken, with what speaks for that. */
  const textOf = (heard: HeardUtterance): TranscriptCandidate => {
    const isSpeech = heard.noSpeech !== undefined && !hearsNobody(heard);
    const isLikely = isSpeech || isAnswer(heard);
    const isFaint = !isLikely && heard.voiceMs < heard.spanMs * THRESHOLDS.faintShare;
    // Where no confidence is known, voice is believed to be speech, though not its language, unless the
    // recogniser says that nobody speaks; a faint text only where it is not often invented.
    const believed = isFaint || hearsNobody(heard) ? THRESHOLDS.unsure : THRESHOLDS.sure;
    const confidence = heard.confidence === undefined ? believed : scale.of(heard.confidence);
    const candidate = { ...heard, ...withoutUnspoken(heard), confidence, isLikely, isFaint };
    const text = withoutEndLoop(withoutSounds(candidate.text), fewestLoops(candidate));
    const isWhole = lettersOf(text) === lettersOf(candidate.text);
    return { ...candidate, text, words: isWhole ? candidate.words : undefined };
  };

  /** Counts how often a speaker's latest transcripts were the same text. */
  const timesBefore = ({ speakerId, endMs }: HeardUtterance, bare: string): number => {
    const before = latest.get(speakerId);
    const isAgain = before?.bare === bare && endMs - before.endMs < THRESHOLDS.repeatMs;
    return isAgain ? before.times : 0;
  };

  const isRepeat = (candidate: TranscriptCandidate): boolean => {
    if (candidate.text.length > THRESHOLDS.repeatChars || candidate.isLikely) return false;
    const times = timesBefore(candidate, bareText(candidate.text));
    if (candidate.isFaint) return times >= THRESHOLDS.repeatsFaint;
    return candidate.confidence < THRESHOLDS.sure && times >= THRESHOLDS.repeatsUnsure;
  };

  /** True for a language that nobody is known to speak, without a second sign that somebody does. */
  const isForeign = (candidate: TranscriptCandidate, context: RoomLanguages): boolean => {
    const { text, language, voiceMs, confidence, isFaint } = candidate;
    if (voiceMs >= THRESHOLDS.foreignMs || confidence >= THRESHOLDS.certain) return false;
    // Digits are of every language.
    if (!hasLetters(text)) return false;
    if (languages.isKnown(language, context) || languages.isAgain(candidate)) return false;
    return isFaint || !lettersAgree(candidate);
  };

  const remember = (heard: HeardUtterance): void => {
    const { speakerId, endMs } = heard;
    const bare = bareText(heard.text);
    latest.set(speakerId, { bare, endMs, times: timesBefore(heard, bare) + 1 });
  };

  /** Learns from a line that is shown. */
  const learn = (heard: HeardUtterance, { confidence }: TranscriptCandidate): void => {
    const { speakerId, endMs, voiceMs } = heard;
    turns.set(speakerId, endMs);
    if (voiceMs < THRESHOLDS.learnMs) return;
    if (heard.confidence !== undefined) scale.learn(heard.confidence);
    if (confidence >= THRESHOLDS.certain || lettersAgree(heard)) languages.learn(heard);
  };

  return {
    /** Judges a transcript. Remembers final ones, and learns from those that are accepted. */
    judge: (heard: HeardUtterance, context: FilterContext, isFinal: boolean): FilterVerdict => {
      const candidate = textOf(heard);
      const { text, words } = candidate;
      const ofItself = faultOfText(candidate, context.hotwords);
      const refusal =
        ofItself ??
        (isForeign(candidate, context) ? 'foreign' : undefined) ??
        (isRepeat(candidate) ? 'repeat' : undefined);
      if (isFinal) {
        remember(candidate);
        if (!ofItself && !languages.isKnown(heard.language, context))
          languages.noteForeign(candidate);
        if (!refusal) learn({ ...heard, text }, candidate);
      }
      const isShown = !refusal || (context.showsAll === true && !NOTHING.has(refusal));
      return isShown ? { accepted: text, words } : { refusal };
    },
    /** The language that a person has chosen, unless they were heard in another one. */
    chosenBy: languages.chosenBy,
    expectedOf: languages.expectedOf,
    /**
     * The language in which an utterance is to be recognised once more, because nobody here is known to
     * speak the one that was recognised; undefined where that is believed.
     */
    otherLanguage: (heard: HeardUtterance, context: FilterContext): string | undefined => {
      if (languages.isKnown(heard.language, context)) return undefined;
      const candidate = textOf(heard);
      const isLong = heard.voiceMs >= THRESHOLDS.foreignMs && hasLetters(candidate.text);
      const isAsked = isLong || isForeign(candidate, context);
      const isSpeech = faultOfText(candidate, context.hotwords) === undefined;
      return isAsked && isSpeech ? languages.likeliest(heard.speakerId, context) : undefined;
    },
    /**
     * The surer one of two recognitions of an utterance, the second of which was given its language: of 48
     * pieces of speech in ten languages the right one was at least as sure in 45.
     */
    surest: (first: HeardUtterance, second: RecognitionResult): RecognitionResult => {
      if (first.confidence !== undefined && second.confidence !== undefined)
        return second.confidence > first.confidence ? second : first;
      return first.voiceMs >= THRESHOLDS.foreignMs && lettersAgree(first) ? first : second;
    },
    forget: (speakerId: string): void => {
      latest.delete(speakerId);
      turns.delete(speakerId);
      languages.forget(speakerId);
    },
  };
};
