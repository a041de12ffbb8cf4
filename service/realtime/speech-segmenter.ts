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

/** An utterance: its frames of 20 ms and their place in the session. */
export interface SpeechSegment {
  readonly startMs: number;
  endMs: number;
  frames: Float32Array[];
  levels: number[];
  /** Frames behind the last voice. */
  silentFrames: number;
}

export type SegmenterEvent =
  | { readonly kind: 'started'; readonly segment: SpeechSegment }
  | { readonly kind: 'stopped'; readonly segment: SpeechSegment };

export const samplesOf = ({ frames }: Pick<SpeechSegment, 'frames'>): Float32Array =>
  concatSamples(frames);

/** Frames up to the end of the voice. */
export const voiceFrames = ({
  frames,
  silentFrames,
}: Pick<SpeechSegment, 'frames' | 'silentFrames'>): number => frames.length - silentFrames;

/** One utterance of several in their order, at least one, with silence between them. */
export const joinSegments = (segments: readonly SpeechSegment[]): SpeechSegment => {
  const [first, ...others] = segments as readonly [SpeechSegment, ...SpeechSegment[]];
  if (others.length === 0) return first;
  const joined = { ...first, frames: [...first.frames], levels: [...first.levels] };
  for (const { startMs, endMs, frames, levels, silentFrames } of others) {
    const gap = Math.max(0, Math.round((startMs - joined.endMs) / FRAME_MS));
    for (let frame = 0; frame < gap; frame += 1) {
      joined.frames.push(new Float32Array(FRAME_SAMPLES));
      joined.levels.push(QUIET_DB);
    }
    joined.frames.push(...frames);
    joined.levels.push(...levels);
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
  let before: { readonly samples: Float32Array; readonly level: number }[] = [];
  let open: SpeechSegment | undefined;

  const begin = (frames: typeof before): SpeechSegment => ({
    startMs: (frameCount - frames.length) * FRAME_MS,
    endMs: frameCount * FRAME_MS,
    frames: frames.map(({ samples }) => samples),
    levels: frames.map(({ level }) => level),
    silentFrames: 0,
  });

  const stop = (segment: SpeechSegment, events: SegmenterEvent[]): void => {
    const surplus = Math.max(0, segment.silentFrames - TAIL_FRAMES);
    const end = segment.frames.length - surplus;
    before = segment.frames
      .slice(end)
      .map((samples, at) => ({ samples, level: segment.levels[end + at] ?? QUIET_DB }))
      .slice(-PRE_ROLL_FRAMES);
    segment.frames.length = end;
    segment.levels.length = end;
    segment.silentFrames -= surplus;
    segment.endMs = segment.startMs + end * FRAME_MS;
    open = undefined;
    voiced = 0;
    events.push({ kind: 'stopped', segment });
  };

  /** Cuts an utterance behind so many frames; what follows the cut is another one. */
  const cut = (segment: SpeechSegment, at: number, events: SegmenterEvent[]): void => {
    const later: SpeechSegment = {
      startMs: segment.startMs + at * FRAME_MS,
      endMs: segment.endMs,
      frames: segment.frames.slice(at),
      levels: segment.levels.slice(at),
      silentFrames: Math.min(segment.silentFrames, segment.frames.length - at),
    };
    segment.frames.length = at;
    segment.levels.length = at;
    segment.endMs = later.startMs;
    events.push({ kind: 'stopped', segment });
    if (later.frames.length === 0) {
      open = undefined;
      voiced = 0;
      return;
    }
    open = later;
    events.push({ kind: 'started', segment: later });
  };

  const take = (samples: Float32Array, level: number, events: SegmenterEvent[]): void => {
    frameCount += 1;
    // Digital silence, as between packets, says nothing of the noise of a microphone.
    const isSpoken = isVoice(Math.max(level, QUIET_DB));
    if (!open) {
      before.push({ samples, level });
      voiced = isSpoken ? voiced + 1 : 0;
      if (before.length > PRE_ROLL_FRAMES + BEGIN_FRAMES) before.shift();
      if (voiced < BEGIN_FRAMES) return;
      open = begin(before);
      before = [];
      events.push({ kind: 'started', segment: open });
      return;
    }
    open.frames.push(samples);
    open.levels.push(level);
    open.endMs = frameCount * FRAME_MS;
    open.silentFrames = isSpoken ? 0 : open.silentFrames + 1;
    if (open.silentFrames * FRAME_MS >= SILENCE_MS) stop(open, events);
    else if (open.frames.length * FRAME_MS >= longestMs) {
      const half = Math.floor(open.frames.length / 2);
      cut(open, Math.max(1, quietestFrame(open.levels, half, FRAME_MS)), events);
    }
  };

  return {
    /** Takes the next samples; returns what began and ended in them. */
    push: (samples: Float32Array): readonly SegmenterEvent[] => {
      const events: SegmenterEvent[] = [];
      const all = concatSamples([rest, samples]);
      let at = 0;
      for (; at + FRAME_SAMPLES <= all.length; at += FRAME_SAMPLES) {
        const frame = all.slice(at, at + FRAME_SAMPLES);
        take(frame, measure(frame)[0] ?? QUIET_DB, events);
      }
      rest = all.slice(at);
      return events;
    },
    /** Cuts the open utterance so long after its beginning. */
    cutAfter: (ms: number): readonly SegmenterEvent[] => {
      const events: SegmenterEvent[] = [];
      if (open)
        cut(open, Math.max(1, Math.min(open.frames.length, Math.floor(ms / FRAME_MS))), events);
      return events;
    },
    /** Ends the open utterance. */
    end: (): readonly SegmenterEvent[] => {
      const events: SegmenterEvent[] = [];
      if (open && rest.length > 0) open.frames.push(rest);
      rest = new Float32Array(0);
      if (open) stop(open, events);
      return events;
    },
    /** The utterance that is being spoken. */
    get open(): SpeechSegment | undefined {
      return open;
    },
  };
};
