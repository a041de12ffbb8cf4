import {
  SEGMENT_DEFAULTS,
  type AsrParameters,
  type AsrPlainReply,
  type AsrSegmentsReply,
  type AsrWord,
} from '../src/api/contract.ts';
import type { SegmentParameters } from '../src/audio/vad.ts';
import { joinTexts } from '../src/text/local-agreement.ts';
import { isBlank } from '../src/text/unicode.ts';
import type { EngineHints } from './engine.ts';
import {
  languageTimes,
  meanOfSpans,
  usesHotwords,
  wordsOfSpans,
  type HeardSpan,
} from './heard-spans.ts';
import { commonCode } from './language.ts';

/**
 * The language of most of what was heard, by its requested code where that means the same; else the
 * requested one; `und`, undetermined (ISO 639-2), of neither.
 */
const languageOf = (spans: readonly HeardSpan[], { language: requested }: EngineHints): string => {
  const [[commonest] = []] = languageTimes(spans);
  if (commonest === undefined) return requested ?? 'und';
  return requested !== undefined && commonCode(requested) === commonCode(commonest)
    ? requested
    : commonest;
};

/** The language of a reply, and the one that was asked for. */
const languagesOf = (
  spans: readonly HeardSpan[],
  hints: EngineHints,
): Pick<AsrPlainReply, 'language' | 'requested_language'> => ({
  language: languageOf(spans, hints),
  ...(hints.language === undefined ? {} : { requested_language: hints.language }),
});

/** Says how certain a transcript is, and what it was made without, as a reply does. */
const certaintyOf = (
  spans: readonly HeardSpan[],
  { hotwords = [] }: EngineHints,
): Pick<AsrPlainReply, 'confidence' | 'confidence_known' | 'no_speech_prob' | 'hotwords_used'> => {
  const confidence = meanOfSpans(spans, (heard) => heard.confidence);
  const noSpeech = meanOfSpans(spans, (heard) => heard.noSpeech);
  return {
    ...(confidence === undefined ? { confidence: 1, confidence_known: false } : { confidence }),
    ...(noSpeech === undefined ? {} : { no_speech_prob: noSpeech }),
    ...(hotwords.length === 0 || usesHotwords(spans) ? {} : { hotwords_used: false }),
  };
};

const toSeconds = (ms: number): number => Math.round(ms) / 1000;

/** The words of spans, where they were asked for and are known. */
const wordsIn = (
  spans: readonly HeardSpan[],
  { words: isAsked }: EngineHints,
): { readonly words?: AsrWord[] } => {
  const words = isAsked ? wordsOfSpans(spans) : undefined;
  const inSeconds = words?.map(({ text, startMs, endMs }) => ({
    word: text,
    start: toSeconds(startMs),
    end: toSeconds(endMs),
  }));
  return inSeconds ? { words: inSeconds } : {};
};

export const plainReply = (spans: readonly HeardSpan[], hints: EngineHints): AsrPlainReply => ({
  text: joinTexts(spans.map(({ heard }) => heard.text)),
  ...languagesOf(spans, hints),
  ...certaintyOf(spans, hints),
  ...wordsIn(spans, hints),
});

export const segmentsReply = (
  spans: readonly HeardSpan[],
  hints: EngineHints,
): AsrSegmentsReply => ({
  ...languagesOf(spans, hints),
  ...certaintyOf(spans, hints),
  segments: spans
    .filter(({ heard }) => !isBlank(heard.text))
    .map((span) => ({
      start: toSeconds(span.startMs),
      end: toSeconds(span.endMs),
      text: span.heard.text,
      ...wordsIn([span], hints),
      ...(span.speaker === undefined ? {} : { speaker: span.speaker }),
    })),
});

/** Parameters of section 4.5 with their defaults. */
export const segmentParameters = (
  given: Pick<AsrParameters, keyof typeof SEGMENT_DEFAULTS>,
): SegmentParameters => ({
  minSilenceGapMs: given.min_silence_gap ?? SEGMENT_DEFAULTS.min_silence_gap,
  segmentPaddingMs: given.segment_padding ?? SEGMENT_DEFAULTS.segment_padding,
  initialSegmentPaddingMs:
    given.initial_segment_padding_ms ?? SEGMENT_DEFAULTS.initial_segment_padding_ms,
  speechPadMs: given.speech_pad_ms ?? SEGMENT_DEFAULTS.speech_pad_ms,
  minSegmentDurationMs:
    1000 * (given.min_segment_duration ?? SEGMENT_DEFAULTS.min_segment_duration),
});
