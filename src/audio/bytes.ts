import { AppError, type Sentence, toAppError } from '../errors.ts';
import { untilAborted } from '../async/abort.ts';
import type { ByteSource } from '../model/message.ts';
import { yieldTurn } from './pcm.ts';

/** Reads a stream of chunks of any size by byte counts. Views that were returned stay valid. */
export type ByteReader = ReturnType<typeof createByteReader>;

/** Bytes read between two turns of the event loop: the slowest parser needs about 5 ms for them. */
const TURN_BYTES = 64 * 1024;
/** Smallest cost of a read in bytes: a thousand empty boxes are work as well. */
const READ_BYTES = 64;

/**
 * Creates a reader of `bytes` that yields to the event loop regularly, whatever a parser does with
 * it. An aborted `signal` ends every read as `throwIfAborted` does, even one that hangs.
 */
export const createByteReader = (bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
  const chunks = (signal ? untilAborted(bytes, signal) : bytes)[Symbol.asyncIterator]();
  let buffer = new Uint8Array(0);
  let start = 0;
  let end = 0;
  let isOwn = false;
  let isEnded = false;
  let position = 0;
  let sinceTurn = 0;

  const isTurnDue = (workBytes: number): boolean => {
    sinceTurn += READ_BYTES + workBytes;
    return sinceTurn >= TURN_BYTES;
  };

  const takeTurn = async (): Promise<void> => {
    sinceTurn = 0;
    await yieldTurn();
    throwIfAborted(signal);
  };

  const buffered = (): number => end - start;
  /**
   * Appends a chunk; bytes of `buffer` before `end` are never overwritten, so that views stay
   * valid.
   */
  const append = (chunk: Uint8Array): void => {
    if (start === end) {
      buffer = chunk as Uint8Array<ArrayBuffer>;
      start = 0;
      end = chunk.length;
      isOwn = false;
      return;
    }
    if (!isOwn || end + chunk.length > buffer.length) {
      const larger = new Uint8Array(Math.max(4_096, (buffered() + chunk.length) * 2));
      larger.set(buffer.subarray(start, end));
      buffer = larger;
      end = buffered();
      start = 0;
      isOwn = true;
    }
    buffer.set(chunk, end);
    end += chunk.length;
  };

  const pull = async (): Promise<boolean> => {
    if (isEnded) return false;
    const next = await chunks.next().catch((thrown: unknown) => {
      throwIfAborted(signal);
      throw thrown;
    });
    if (next.done) {
      isEnded = true;
      return false;
    }
    append(next.value);
    if (isTurnDue(next.value.length)) await takeTurn();
    return true;
  };

  const peek = async (count: number): Promise<Uint8Array> => {
    for (let more = true; more && buffered() < count;) more = await pull();
    if (isTurnDue(Math.min(count, buffered()))) await takeTurn();
    return buffer.subarray(start, Math.min(end, start + count));
  };

  const advance = (count: number): void => {
    start += count;
    position += count;
  };

  return {
    /** The next `count` bytes, left in place; fewer only at the end. */
    peek,
    /** The next `count` bytes; fewer only at the end. */
    take: async (count: number): Promise<Uint8Array> => {
      const taken = await peek(count);
      advance(taken.length);
      return taken;
    },
    /** Skips `count` bytes without keeping them; resolves with how many there were. */
    skip: async (count: number): Promise<number> => {
      let skipped = 0;
      for (let more = true; more && skipped < count; more = skipped < count && (await pull())) {
        const step = Math.min(count - skipped, buffered());
        advance(step);
        skipped += step;
      }
      if (isTurnDue(0)) await takeTurn();
      return skipped;
    },
    /** Counts as a read without bytes, so that a loop that reads nothing still yields to the event loop. */
    idle: async (): Promise<void> => {
      if (isTurnDue(0)) await takeTurn();
    },
    /** The bytes that are left, as they come. */
    async *rest(): AsyncGenerator<Uint8Array, void, void> {
      do {
        const remaining = buffer.subarray(start, end);
        advance(remaining.length);
        if (remaining.length > 0) yield remaining;
      } while (await pull());
    },
    /** Bytes taken and skipped so far. */
    get position(): number {
      return position;
    },
    /** Ends the stream that is read. */
    close: async (): Promise<void> => {
      isEnded = true;
      await chunks.return?.();
    },
  };
};

export const concatBytes = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
};

export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const ascii = (bytes: Uint8Array, offset: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'latin1',
    offset,
    offset + length,
  );

/** Bytes in memory as a source. */
export const bytesSource = (parts: readonly Uint8Array[]): ByteSource => ({
  sizeBytes: parts.reduce((total, part) => total + part.length, 0),
  async *open() {
    yield* parts;
  },
});

/** The error for a file without bytes, or a container without audio. */
export const emptyAudio = (): AppError =>
  new AppError('bad-input', 'the file holds no audio', { sentence: { key: 'errors.audio.empty' } });

/** The error for a file that is damaged before anything could be decoded; `what` names the place. */
export const damagedAudio = (what: string, cause?: unknown): AppError =>
  new AppError('bad-input', `damaged audio: ${what}`, {
    sentence: { key: 'errors.audio.damaged' },
    cause,
  });

/** A format's own name, which is the same in every language, or a container's and a codec's. */
export type AudioKind = string | readonly [container: string, codec: string];

const unsupported = (what: string, sentence: Sentence): AppError =>
  new AppError('unsupported', what, { sentence });

/** The error for a known format that is not decoded here. */
export const unsupportedAudio = (kind: AudioKind): AppError => {
  if (typeof kind === 'string')
    return unsupported(`${kind} is not supported`, {
      key: 'errors.audio.unsupported',
      params: { kind },
    });
  const [container, codec] = kind;
  return unsupported(`${container} with ${codec} is not supported`, {
    key: 'errors.audio.unsupported-codec',
    params: { container, codec },
  });
};

/** The error for a format that is decoded here, but not in the form that this file has; `why` is for operators. */
export const unsupportedForm = (format: string, why = 'of this kind'): AppError =>
  unsupported(`${format} ${why} is not supported`, {
    key: 'errors.audio.unsupported-form',
    params: { format },
  });

/** The error for a film without a sound track. */
export const silentFilm = (format: string): AppError =>
  unsupported(`${format} without sound is not supported`, { key: 'errors.audio.empty' });

export const protectedAudio = (): AppError =>
  unsupported('protected MP4 is not supported', { key: 'errors.audio.protected' });

/** The error for a picture. */
export const notAudio = (): AppError =>
  unsupported('a picture is not supported', { key: 'errors.audio.picture' });

/** The error for bytes that are no known format. */
export const unknownAudio = (): AppError =>
  new AppError('unsupported', 'no known audio format', {
    sentence: { key: 'errors.audio.unknown' },
  });

/** The error for a container that needs more memory than one file may take. */
export const oversizedAudio = (what: string): AppError =>
  new AppError('too-large', `too much memory needed: ${what}`, {
    sentence: { key: 'errors.audio.too-large' },
  });

/** Throws `cancelled`, or whatever the signal was aborted with, as an `AppError`. */
export const throwIfAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw toAppError(signal.reason);
};
