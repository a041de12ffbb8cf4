import { BYTES_PER_SAMPLE, REALTIME_RATE_HZ } from './contract.ts';

/** A stretch of a session's audio, in samples from its beginning. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Creates the memory of a session's audio (s16le, mono): everything since the last final, so that it
 * can be sent again on another connection.
 *
 * @param mostSeconds longest audio that is kept; beyond it the oldest is lost
 */
export const createAudioTail = (mostSeconds: number) => {
  const mostSamples = mostSeconds * REALTIME_RATE_HZ;
  let chunks: Buffer[] = [];
  /** Position of the first kept sample, and that behind the last one. */
  let from = 0;
  let to = 0;
  let settled: Span[] = [];

  const dropBefore = (position: number): void => {
    while (from < position) {
      const first = chunks[0];
      if (!first) break;
      const samples = first.length / BYTES_PER_SAMPLE;
      if (from + samples <= position) {
        chunks.shift();
        from += samples;
      } else {
        chunks[0] = first.subarray((position - from) * BYTES_PER_SAMPLE);
        from = position;
      }
    }
    settled = settled.filter(({ end }) => end > from);
  };

  return {
    /** Position of the first sample that a new connection needs. */
    get from(): number {
      return from;
    },
    /** Position behind the last sample. */
    get to(): number {
      return to;
    },
    append: (pcm: Uint8Array): void => {
      chunks.push(Buffer.from(pcm));
      to += pcm.length / BYTES_PER_SAMPLE;
      dropBefore(to - mostSamples);
    },
    /** Notes that a stretch is recognised: a new connection gets silence in its place. */
    settle: (span: Span): void => void settled.push(span),
    /** Forgets what lies before a position: all of it is recognised. */
    settleThrough: (position: number): void => dropBefore(Math.min(position, to)),
    /** The audio from a position to the end, without what is settled. */
    read: (position: number): Buffer => {
      const start = Math.max(position, from);
      let first = chunks.length;
      let at = to;
      while (first > 0 && at > start) {
        first -= 1;
        at -= chunks[first]!.length / BYTES_PER_SAMPLE;
      }
      const audio = Buffer.concat(chunks.slice(first)).subarray((start - at) * BYTES_PER_SAMPLE);
      const byteAt = (sample: number): number => Math.max(0, sample - start) * BYTES_PER_SAMPLE;
      for (const span of settled)
        if (span.end > start) audio.fill(0, byteAt(span.start), byteAt(span.end));
      return audio;
    },
  };
};
