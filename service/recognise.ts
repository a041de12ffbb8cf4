import {
  SEGMENT_DEFAULTS,
  type AsrParameters,
  type AsrPlainReply,
  type AsrSegmentsReply,
} from '../src/api/contract.ts';
import { decodeTo, decode } from '../src/audio/codec/decode.ts';
import {
  findSpeech,
  type SegmentParameters,
  type SpeechSpan,
  createLevelMeter,
  SILENCE_DB,
} from '../src/audio/vad.ts';
import type { ByteSource } from '../src/model/message.ts';
import { joinTexts } from '../src/text/local-agreement.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type EngineHints,
  type RecognitionEngine,
} from './engine.ts';
import { toLanguage } from './language.ts';
import { cutChunks, planChunks, splitLongSpans } from './recognition-chunks.ts';
import { AppError } from '../src/errors.ts';

/** Time over the level of silence that counts as sound; a click is shorter. */
const SOUND_MS = 60;
/** Length of the meter's frames at the recognition rate; at others it is in proportion. */
const FRAME_MS = 20;

/** Adds up the time that is loud; each call returns true once there was enough in all. */
const createSoundFinder = (): ((samples: Float32Array, sampleRateHz: number) => boolean) => {
  const measure = createLevelMeter();
  let loudMs = 0;
  return (samples, sampleRateHz) => {
    const loud = measure(samples).filter((levelDb) => levelDb > SILENCE_DB).length;
    loudMs += (loud * FRAME_MS * RECOGNITION_RATE_HZ) / sampleRateHz;
    return loudMs >= SOUND_MS;
  };
};

/** True for samples at the recognition rate in which there is nothing to hear. */
const isSilentPcm = (samples: Float32Array): boolean =>
  !createSoundFinder()(samples, RECOGNITION_RATE_HZ);

/**
 * True for a file in which there is nothing to hear. Reads it up to the first sound. False for one
 * that cannot be decoded here: an engine may be able to. Throws the signal's reason.
 */
export const isSilent = async (audio: ByteSource, signal: AbortSignal): Promise<boolean> => {
  const hasSound = createSoundFinder();
  try {
    for await (const { samples, sampleRateHz } of decode(audio, signal, RECOGNITION_RATE_HZ))
      if (hasSound(samples, sampleRateHz)) return false;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) return false;
    throw error;
  }
};

export interface HeardSpan extends SpeechSpan {
  readonly heard: RecognisedText;
}

/**
 * Language of the reply; `und`, undetermined (ISO 639-2), when neither the client nor the engine
 * gave one.
 */
const languageOf = (spans: readonly HeardSpan[], hints: EngineHints): string => {
  const named = spans.map(({ heard }) => heard.language).find(Boolean);
  return hints.language ?? (named && (toLanguage(named) ?? named)) ?? 'und';
};

/** The mean of shares from 0 to 1, weighted by length; undefined where a span with words has none. */
const meanOf = (
  spans: readonly HeardSpan[],
  shareOf: (heard: RecognisedText) => number | undefined,
): number | undefined => {
  let weight = 0;
  let sum = 0;
  for (const { startMs, endMs, heard } of spans) {
    if (heard.text === '') continue;
    const share = shareOf(heard);
    if (share === undefined) return undefined;
    weight += endMs - startMs;
    sum += (endMs - startMs) * Math.min(1, Math.max(0, share));
  }
  return weight === 0 ? undefined : sum / weight;
};

/** How certain a transcript is, as a reply says it. */
const certaintyOf = (
  spans: readonly HeardSpan[],
): Pick<AsrPlainReply, 'confidence' | 'confidence_known' | 'no_speech_prob'> => {
  const confidence = meanOf(spans, (heard) => heard.confidence);
  const noSpeech = meanOf(spans, (heard) => heard.noSpeech);
  return {
    ...(confidence === undefined ? { confidence: 1, confidence_known: false } : { confidence }),
    ...(noSpeech === undefined ? {} : { no_speech_prob: noSpeech }),
  };
};

export const plainReply = (spans: readonly HeardSpan[], hints: EngineHints): AsrPlainReply => ({
  text: joinTexts(spans.map(({ heard }) => heard.text)),
  language: languageOf(spans, hints),
  ...certaintyOf(spans),
});

const toSeconds = (ms: number): number => Math.round(ms) / 1000;

export const segmentsReply = (
  spans: readonly HeardSpan[],
  hints: EngineHints,
): AsrSegmentsReply => ({
  language: languageOf(spans, hints),
  ...certaintyOf(spans),
  segments: spans
    .filter(({ heard }) => heard.text !== '')
    .map(({ startMs, endMs, heard }) => ({
      start: toSeconds(startMs),
      end: toSeconds(endMs),
      text: heard.text,
    })),
});

/** Parameters for spans of speech without padding, to find the pauses in audio that is recognised whole. */
const PAUSES: SegmentParameters = {
  minSilenceGapMs: SEGMENT_DEFAULTS.min_silence_gap,
  segmentPaddingMs: 0,
  initialSegmentPaddingMs: 0,
  speechPadMs: 0,
  minSegmentDurationMs: 0,
};

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

/**
 * Recognises `audio` in chunks: only where there is speech, or all of it without `speech`. Decodes
 * the file twice, to find the pauses and to cut, so that at most one chunk is in memory.
 */
export const recogniseInChunks = async (
  audio: ByteSource,
  speech: SegmentParameters | undefined,
  engine: Pick<RecognitionEngine, 'longestMs' | 'recognise'>,
  hints: EngineHints,
  signal: AbortSignal,
): Promise<readonly HeardSpan[]> => {
  let samplesSeen = 0;
  const counted = async function* (): AsyncGenerator<Float32Array> {
    for await (const samples of decodeTo(audio, RECOGNITION_RATE_HZ, signal)) {
      samplesSeen += samples.length;
      yield samples;
    }
  };
  const found = await findSpeech(counted(), speech ?? PAUSES);
  const durationMs = (1000 * samplesSeen) / RECOGNITION_RATE_HZ;
  const plan = speech
    ? splitLongSpans(found, engine.longestMs)
    : planChunks(found, durationMs, engine.longestMs);
  const heard: HeardSpan[] = [];
  const again = decodeTo(audio, RECOGNITION_RATE_HZ, signal);
  for await (const { span, samples } of cutChunks(again, plan, RECOGNITION_RATE_HZ))
    if (!isSilentPcm(samples))
      heard.push({ ...span, heard: await engine.recognise(samples, hints, signal) });
  return heard;
};
