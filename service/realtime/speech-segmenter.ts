import { quietestFrame } from '../../src/audio/chunk/chunks.ts';
import { concatSamples } from '../../src/audio/pcm.ts';
import {
  createLevelMeter,
  createVoiceDetector,
  FRAME_MS,
  VAD_RATE_HZ,
} from '../../src/audio/vad.ts';

const FRAME_SAMPLES = (VAD_RATE_HZ * FRAME_MS) / 1_000;
/** Audio before the first voice that belongs to an utterance: quiet consonants. */
const PRE_ROLL_FRAMES = 200 / FRAME_MS;
/** Audio kept after the last voice. */
const TAIL_FRAMES = 100 / FRAME_MS;
/** Voice that begins an utterance: a click is shorter. */
const BEGIN_FRAMES = 60 / FRAME_MS;
/** Silence that ends it. */
const SILENCE_MS = 500;
/**
 * The lowest level of a quiet room. It is assumed before the first frame, as long as the detector
 * remembers: a client may begin in the middle of a word.
 */
const QUIET_DB = -60;
const SEEDED_FRAMES = 150;

/** Audio of 20 ms, and how loud it is. */
interface Frame {
  readonly samples: Float32Array;
  readonly levelDb: number;
}

/** An utterance: its frames and their place in the session. */
export interface SpeechSegment {
  readonly startMs: number;
  endMs: number;
  readonly frames: Frame[];
  /** Frames behind the last voice. */
  silentFrames: number;
}

export interface SegmenterEvent {
  readonly kind: 'started' | 'stopped';
  readonly segment: SpeechSegment;
}

export const samplesOf = (frames: readonly Frame[]): Float32Array =>
  concatSamples(frames.map(({ samples }) => samples));

/** Frames up to the end of the voice. */
export const voiceFrames = ({
  frames,
  silentFrames,
}: Pick<SpeechSegment, 'frames' | 'silentFrames'>): number => frames.length - silentFrames;

/** One utterance of several in their order, at least one, with silence between them. */
export const joinSegments = (segments: readonly SpeechSegment[]): SpeechSegment => {
  const [first, ...others] = segments as readonly [SpeechSegment, ...SpeechSegment[]];
  if (others.length === 0) return first;
  const joined = { ...first, frames: [...first.frames] };
  const silence = { samples: new Float32Array(FRAME_SAMPLES), levelDb: QUIET_DB };
  for (const { startMs, endMs, frames, silentFrames } of others) {
    const gap = Math.max(0, Math.round((startMs - joined.endMs) / FRAME_MS));
    joined.frames.push(...Array.from({ length: gap }, () => silence), ...frames);
    Object.assign(joined, { endMs, silentFrames });
  }
  return joined;
};

/**
 * Creates the detector of utterances in a session's audio (16 kHz, mono).
 *
 * @param longestMs longest utterance; a longer one is cut at its quietest moment
 */
export const createSpeechSegmenter = (longestMs: number) => {
  const measure = createLevelMeter();
  const isVoice = createVoiceDetector();
  for (let frame = 0; frame < SEEDED_FRAMES; frame += 1) isVoice(QUIET_DB);
  let rest = new Float32Array(0);
  let frameCount = 0;
  let voiced = 0;
  /** The last frames while nobody speaks. */
  let before: Frame[] = [];
  let open: SpeechSegment | undefined;
  let events: SegmenterEvent[] = [];

  /** Tells once what has begun and ended. */
  const told = (): readonly SegmenterEvent[] => {
    const all = events;
    events = [];
    return all;
  };

  const begin = (segment: SpeechSegment): void => {
    open = segment;
    events.push({ kind: 'started', segment });
  };

  /** Ends an utterance behind so many frames; returns those after them. */
  const end = (segment: SpeechSegment, at: number): Frame[] => {
    const later = segment.frames.splice(at);
    segment.endMs = segment.startMs + at * FRAME_MS;
    open = undefined;
    voiced = 0;
    events.push({ kind: 'stopped', segment });
    return later;
  };

  const stop = (segment: SpeechSegment): void => {
    const surplus = Math.max(0, segment.silentFrames - TAIL_FRAMES);
    before = end(segment, segment.frames.length - surplus).slice(-PRE_ROLL_FRAMES);
    segment.silentFrames -= surplus;
  };

  /** Cuts an utterance behind so many frames; what follows the cut is another one. */
  const cut = (segment: SpeechSegment, at: number): void => {
    const { endMs, silentFrames } = segment;
    const frames = end(segment, Math.max(1, at));
    if (frames.length === 0) return;
    const startMs = segment.endMs;
    begin({ startMs, endMs, frames, silentFrames: Math.min(silentFrames, frames.length) });
  };

  const take = (frame: Frame): void => {
    frameCount += 1;
    // Digital silence, as between packets, says nothing of the noise of a microphone.
    const isSpoken = isVoice(Math.max(frame.levelDb, QUIET_DB));
    const endMs = frameCount * FRAME_MS;
    if (!open) {
      before.push(frame);
      voiced = isSpoken ? voiced + 1 : 0;
      if (before.length > PRE_ROLL_FRAMES + BEGIN_FRAMES) before.shift();
      if (voiced < BEGIN_FRAMES) return;
      const startMs = endMs - before.length * FRAME_MS;
      begin({ startMs, endMs, frames: before, silentFrames: 0 });
      before = [];
      return;
    }
    open.frames.push(frame);
    open.endMs = endMs;
    open.silentFrames = isSpoken ? 0 : open.silentFrames + 1;
    if (open.silentFrames * FRAME_MS >= SILENCE_MS) stop(open);
    else if (open.frames.length * FRAME_MS >= longestMs) {
      const levels = open.frames.map(({ levelDb }) => levelDb);
      cut(open, quietestFrame(levels, Math.floor(levels.length / 2), FRAME_MS));
    }
  };

  return {
    /** Takes the next samples; returns what began and ended in them. */
    push: (samples: Float32Array): readonly SegmenterEvent[] => {
      const all = concatSamples([rest, samples]);
      let at = 0;
      for (; at + FRAME_SAMPLES <= all.length; at += FRAME_SAMPLES) {
        const frame = all.slice(at, at + FRAME_SAMPLES);
        take({ samples: frame, levelDb: measure(frame)[0] ?? QUIET_DB });
      }
      rest = all.slice(at);
      return told();
    },
    /** Cuts the open utterance so long after its beginning. */
    cutAfter: (ms: number): readonly SegmenterEvent[] => {
      if (open) cut(open, Math.min(open.frames.length, Math.floor(ms / FRAME_MS)));
      return told();
    },
    end: (): readonly SegmenterEvent[] => {
      if (open && rest.length > 0) open.frames.push({ samples: rest, levelDb: QUIET_DB });
      rest = new Float32Array(0);
      if (open) stop(open);
      return told();
    },
    /** The utterance that is being spoken. */
    get open(): SpeechSegment | undefined {
      return open;
    },
  };
};
