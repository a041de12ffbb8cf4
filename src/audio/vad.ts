/** Finds speech in PCM (16 kHz, mono) by its loudness over the running noise floor. */

export const VAD_RATE_HZ = 16_000;
export const FRAME_MS = 20;
const FRAME_SAMPLES = (VAD_RATE_HZ * FRAME_MS) / 1_000;

/** Level below which nothing is speech, whatever the noise floor; full scale is 0 dB. */
export const SILENCE_DB = -60;
/** Distance of speech from the floor, which is a minimum, about 3 dB under the mean of noise. */
const OVER_FLOOR_DB = 10;
/** Time whose minimum is the floor: speech has a pause between words in any such time. */
const FLOOR_WINDOW_FRAMES = 150;
const FLOOR_BLOCK_FRAMES = 25;

const SILENT_DB = -100;

/** Measures the level of each whole frame of 20 ms, in dB; a shorter rest waits for more samples. */
export const createLevelMeter = (): ((samples: Float32Array) => number[]) => {
  let sum = 0;
  let filled = 0;
  return (samples) => {
    const levels: number[] = [];
    for (const sample of samples) {
      sum += sample * sample;
      filled += 1;
      if (filled < FRAME_SAMPLES) continue;
      levels.push(sum > 0 ? Math.max(SILENT_DB, 10 * Math.log10(sum / FRAME_SAMPLES)) : SILENT_DB);
      sum = 0;
      filled = 0;
    }
    return levels;
  };
};

/** Decides for each next level if it is speech. The floor is the minimum of the last 3 s. */
export const createVoiceDetector = (): ((levelDb: number) => boolean) => {
  const blocks: number[] = [];
  let blockMinimum = 0;
  let framesInBlock = 0;
  return (levelDb) => {
    blockMinimum = framesInBlock === 0 ? levelDb : Math.min(blockMinimum, levelDb);
    framesInBlock += 1;
    const floor = Math.min(blockMinimum, ...blocks);
    if (framesInBlock === FLOOR_BLOCK_FRAMES) {
      blocks.push(blockMinimum);
      if (blocks.length * FLOOR_BLOCK_FRAMES > FLOOR_WINDOW_FRAMES) blocks.shift();
      framesInBlock = 0;
    }
    return levelDb > Math.max(SILENCE_DB, floor + OVER_FLOOR_DB);
  };
};

export interface SpeechSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The parameters of contract section 4.5 for `vad` = `segments`, with their defaults there. */
export interface SegmentParameters {
  /** `min_silence_gap`: a shorter silence does not split. */
  readonly minSilenceGapMs: number;
  /** `segment_padding`: added at the edges of the segments, never into a neighbour. */
  readonly segmentPaddingMs: number;
  /** `initial_segment_padding_ms`: replaces it before the first segment. */
  readonly initialSegmentPaddingMs: number;
  /** `speech_pad_ms`: added to both ends of speech; spans that then touch are joined. */
  readonly speechPadMs: number;
  /** `min_segment_duration`: a shorter segment is merged with the next, the last with the one before. */
  readonly minSegmentDurationMs: number;
}

/** The shortest span that counts as speech; a click or a cough is shorter. */
const SHORTEST_SPEECH_MS = 60;

/** Joins spans whose distance is at most `gapMs`. */
const joinNear = (spans: readonly SpeechSpan[], gapMs: number): SpeechSpan[] => {
  const joined: SpeechSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && span.startMs - last.endMs <= gapMs)
      joined[joined.length - 1] = {
        startMs: last.startMs,
        endMs: Math.max(last.endMs, span.endMs),
      };
    else joined.push(span);
  }
  return joined;
};

const joinShort = (spans: readonly SpeechSpan[], shortestMs: number): SpeechSpan[] => {
  const joined: SpeechSpan[] = [];
  for (const [i, span] of spans.entries()) {
    const last = joined.at(-1);
    const lastIsShort = last !== undefined && last.endMs - last.startMs < shortestMs;
    const isShortEnd = i === spans.length - 1 && span.endMs - span.startMs < shortestMs;
    if (last && (lastIsShort || isShortEnd))
      joined[joined.length - 1] = { startMs: last.startMs, endMs: span.endMs };
    else joined.push(span);
  }
  return joined;
};

/**
 * The segments made of raw speech: spans nearer than the gap become one, are padded, merged while
 * too short, and padded again within [0, `totalMs`] and half the way to each neighbour.
 */
export const toSegments = (
  speech: readonly SpeechSpan[],
  totalMs: number,
  parameters: SegmentParameters,
): SpeechSpan[] => {
  const real = joinNear(speech, parameters.minSilenceGapMs - 1).filter(
    ({ startMs, endMs }) => endMs - startMs >= SHORTEST_SPEECH_MS,
  );
  const padded = real.map(({ startMs, endMs }) => ({
    startMs: Math.max(0, startMs - parameters.speechPadMs),
    endMs: Math.min(totalMs, endMs + parameters.speechPadMs),
  }));
  const merged = joinShort(joinNear(padded, 0), parameters.minSegmentDurationMs);
  return merged.map(({ startMs, endMs }, i) => {
    const before = merged[i - 1]?.endMs;
    const after = merged[i + 1]?.startMs;
    const earliest = before === undefined ? 0 : (before + startMs) / 2;
    const latest = after === undefined ? totalMs : (endMs + after) / 2;
    const padBefore = i === 0 ? parameters.initialSegmentPaddingMs : parameters.segmentPaddingMs;
    return {
      startMs: Math.max(earliest, startMs - padBefore),
      endMs: Math.min(latest, endMs + parameters.segmentPaddingMs),
    };
  });
};

/** The speech segments of `pcm` (16 kHz, mono), in order; none in silence. */
export const findSpeech = async (
  pcm: AsyncIterable<Float32Array>,
  parameters: SegmentParameters,
): Promise<SpeechSpan[]> => {
  const measure = createLevelMeter();
  const isVoice = createVoiceDetector();
  const speech: SpeechSpan[] = [];
  let samplesSeen = 0;
  let frame = 0;
  for await (const samples of pcm) {
    samplesSeen += samples.length;
    for (const level of measure(samples)) {
      const startMs = frame * FRAME_MS;
      frame += 1;
      if (!isVoice(level)) continue;
      const endMs = startMs + FRAME_MS;
      const last = speech.at(-1);
      if (last?.endMs === startMs) speech[speech.length - 1] = { startMs: last.startMs, endMs };
      else speech.push({ startMs, endMs });
    }
  }
  return toSegments(speech, (samplesSeen * 1_000) / VAD_RATE_HZ, parameters);
};
