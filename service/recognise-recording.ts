import { decodeTo } from '../src/audio/codec/decode.ts';
import {
  createLevelMeter,
  findSpeech,
  FRAME_MS,
  SILENCE_DB,
  toSegments,
  type SegmentParameters,
  type SpeechSpan,
} from '../src/audio/vad.ts';
import type { ByteSource } from '../src/model/message.ts';
import {
  RECOGNITION_RATE_HZ,
  type EngineHints,
  type RecognitionEngine,
  type SpeakerTurn,
} from './engine.ts';
import type { HeardSpan } from './heard-spans.ts';
import { cutChunks, planChunks, type Chunk, type CutRules } from './recognition-chunks.ts';
import { cutAtSpeakers, divideAmongSpeakers, type SpeakerSpan } from './speaker-spans.ts';
import { afterSecondPass, secondPass, type HeardChunk, type PlannedChunk } from './second-pass.ts';

/** Time over the level of silence that counts as sound; a click is shorter. */
const SOUND_MS = 60;

/** Adds up the time that is loud; each call returns true once there was enough in all. */
const createSoundFinder = (): ((samples: Float32Array) => boolean) => {
  const measure = createLevelMeter();
  let loudMs = 0;
  return (samples) => {
    const loud = measure(samples).filter((levelDb) => levelDb > SILENCE_DB).length;
    loudMs += loud * FRAME_MS;
    return loudMs >= SOUND_MS;
  };
};

/** True for samples at the recognition rate in which there is nothing to hear. */
const isSilentPcm = (samples: Float32Array): boolean => !createSoundFinder()(samples);

/** The part of a recording that is recognised: all of it, only its speech, or segments of that. */
export type Vad = 'off' | 'on' | SegmentParameters;

/** Shortest pause between spans of voice, as between phrases. */
const PAUSE_MS = 120;
/** The same where it must be found whether a pause splits segments. */
const NO_PADDING = {
  segmentPaddingMs: 0,
  initialSegmentPaddingMs: 0,
  speechPadMs: 0,
  minSegmentDurationMs: 0,
};
/**
 * Rules by which recordings are cut: with these fewest words were wrong
 * (`docs/decisions/023-pieces-of-recordings.md`).
 */
const RULES: CutRules = { leastMs: 3_000, longestMs: 15_000, clearPauseMs: 600 };
/** Silence that stays beside the voice of a chunk. */
const MARGIN_MS = 300;

type SpokenChunk = Chunk & SpeakerSpan;

/** A chunk without the silence at its ends; none where there is no voice in it. */
const trimmed = (chunk: SpokenChunk): readonly SpokenChunk[] => {
  const [first, last] = [chunk.voice[0], chunk.voice.at(-1)];
  if (!first || !last) return [];
  const startMs = Math.max(chunk.startMs, first.startMs - MARGIN_MS);
  return [{ ...chunk, startMs, endMs: Math.min(chunk.endMs, last.endMs + MARGIN_MS) }];
};

const planOf = (
  voice: readonly SpeechSpan[],
  lengthMs: number,
  vad: Vad,
  longestMs: number,
  turns: readonly SpeakerTurn[],
): readonly SpokenChunk[] => {
  const speakers = divideAmongSpeakers(turns, lengthMs);
  const plan = (spans: readonly SpeechSpan[], clearPauseMs: number): readonly SpokenChunk[] =>
    cutAtSpeakers(spans, speakers).flatMap(({ speaker, ...span }) =>
      planChunks([span], voice, {
        ...RULES,
        longestMs: Math.min(RULES.longestMs, longestMs),
        clearPauseMs,
      }).map((chunk) => (speaker === undefined ? chunk : { ...chunk, speaker })),
    );
  if (typeof vad === 'object')
    return plan(
      toSegments(voice, lengthMs, vad),
      Math.max(RULES.clearPauseMs, vad.minSilenceGapMs),
    );
  const chunks = plan([{ startMs: 0, endMs: lengthMs }], RULES.clearPauseMs);
  return vad === 'on' ? chunks.flatMap(trimmed) : chunks;
};

/** A recording as it is known before anything is recognised. */
export interface ListenedRecording {
  readonly audio: ByteSource;
  readonly vad: Vad;
  readonly lengthMs: number;
  /** The voice in it, without the pauses. */
  readonly voice: readonly SpeechSpan[];
  /** True where there is nothing to hear. */
  readonly isSilent: boolean;
}

/** Decodes a recording to its end, which costs no engine its time. Throws as the decoder does. */
export const listenTo = async (
  audio: ByteSource,
  vad: Vad,
  signal: AbortSignal,
): Promise<ListenedRecording> => {
  const hasSound = createSoundFinder();
  let isSilent = true;
  let samplesSeen = 0;
  const counted = async function* (): AsyncGenerator<Float32Array> {
    for await (const samples of decodeTo(audio, RECOGNITION_RATE_HZ, signal)) {
      isSilent &&= !hasSound(samples);
      samplesSeen += samples.length;
      yield samples;
    }
  };
  const minSilenceGapMs = Math.min(
    PAUSE_MS,
    typeof vad === 'object' ? vad.minSilenceGapMs : PAUSE_MS,
  );
  const voice = await findSpeech(counted(), { ...NO_PADDING, minSilenceGapMs });
  return { audio, vad, lengthMs: (1_000 * samplesSeen) / RECOGNITION_RATE_HZ, voice, isSilent };
};

/** All samples of a recording; `lengthMs` of them are held in memory. */
export const wholeRecording = async (
  { audio, lengthMs }: Pick<ListenedRecording, 'audio' | 'lengthMs'>,
  signal: AbortSignal,
): Promise<Float32Array> => {
  const samples = new Float32Array(Math.round((lengthMs * RECOGNITION_RATE_HZ) / 1_000));
  let filled = 0;
  for await (const slice of decodeTo(audio, RECOGNITION_RATE_HZ, signal)) {
    samples.set(slice.subarray(0, samples.length - filled), filled);
    filled += slice.length;
  }
  return samples;
};

export interface HearingOptions {
  /** Called with each chunk once it is heard for the first time. */
  readonly tell?: (span: HeardSpan) => void;
  /** Turns of the speakers. Default: nobody is told apart. */
  readonly turns?: readonly SpeakerTurn[];
}

/**
 * Recognises a recording in chunks that end at pauses, and what is doubtful once more. Decodes the file
 * once or twice, so that at most one chunk is in memory.
 */
export const recogniseRecording = async (
  { audio, vad, lengthMs, voice }: ListenedRecording,
  engine: Pick<RecognitionEngine, 'longestMs' | 'recognise'>,
  hints: EngineHints,
  signal: AbortSignal,
  { tell, turns = [] }: HearingOptions = {},
): Promise<readonly HeardSpan[]> => {
  const hear = async (
    chunks: readonly PlannedChunk[],
    isFirst: boolean,
  ): Promise<readonly HeardChunk[]> => {
    const heard: HeardChunk[] = [];
    const pcm = decodeTo(audio, RECOGNITION_RATE_HZ, signal);
    for await (const { span, samples } of cutChunks(pcm, chunks, RECOGNITION_RATE_HZ)) {
      if (isSilentPcm(samples)) continue;
      const { language = hints.language, ...chunk } = span;
      const text = await engine.recognise(samples, { ...hints, language }, signal);
      heard.push({ ...chunk, heard: text });
      if (isFirst) tell?.({ ...chunk, heard: text });
    }
    return heard;
  };

  const plan = planOf(voice, lengthMs, vad, engine.longestMs, turns);
  const heard = await hear(plan, true);
  const doubtful = secondPass(heard, hints.language);
  if (doubtful.size === 0) return heard;
  const again = await hear([...doubtful.values()].flat(), false);
  return heard.map((chunk) => (doubtful.has(chunk) ? afterSecondPass(chunk, again) : chunk));
};
