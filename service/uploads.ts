import { readChunks, type BodyLimit } from './body.ts';
import type { RouteContext } from './route.ts';
import { tooManyRequests } from './errors.ts';
import { createFairLimit } from './fair-limit.ts';

/** Wait that clients are asked for; most bytes in memory are about to be recognised. */
const RETRY_AFTER_MS = 1_000;

interface UploadLimits {
  /** Bodies that are read at the same time. */
  readonly concurrent: number;
  /** Most bytes of all bodies in memory together, as sent. */
  readonly maxBytes: number;
}

export type UploadLimiter = ReturnType<typeof createUploadLimiter>;

/**
 * Limits the memory of bodies that are read and then processed, so that no key takes all of it. Only
 * received bytes count, so that a slow client costs the others little.
 */
export const createUploadLimiter = ({ concurrent, maxBytes }: UploadLimits) => {
  const reading = createFairLimit(concurrent);
  const held = createFairLimit(maxBytes);

  return {
    open: (key: string) => {
      let ownBytes = 0;
      const counted = async function* (
        body: AsyncIterable<Uint8Array>,
      ): AsyncGenerator<Uint8Array> {
        for await (const chunk of body) {
          if (!held.hasRoom(key, chunk.length))
            throw tooManyRequests(RETRY_AFTER_MS, 'Too much is being sent.');
          ownBytes += chunk.length;
          held.add(key, chunk.length);
          yield chunk;
        }
      };
      return {
        /**
         * Reads the body with `read` and counts its bytes until the upload is disposed of. Throws
         * `ErrRateLimited` when too many uploads are read, or too many bytes are in memory.
         */
        receive: async <T>(
          body: AsyncIterable<Uint8Array>,
          read: (counted: AsyncIterable<Uint8Array>) => Promise<T>,
        ): Promise<T> => {
          if (!reading.hasRoom(key, 1)) throw tooManyRequests(RETRY_AFTER_MS);
          reading.add(key, 1);
          try {
            return await read(counted(body));
          } finally {
            reading.add(key, -1);
          }
        },
        [Symbol.dispose]: (): void => {
          held.add(key, -ownBytes);
          ownBytes = 0;
        },
      };
    },
  };
};

/** Largest body, about 30 MB of audio: 16 minutes of WAV at 16 kHz, over 6 hours of Opus. */
const AUDIO_BODY_LIMIT: BodyLimit = { bytes: 40 * 1024 * 1024, named: 'ErrAudioTooLarge' };
/**
 * Most concurrent uploads. Their bytes are what is scarce, so that many slow clients, of which each
 * sends little, do not keep others out; those that are too slow are given up (see `readChunks`).
 */
const MOST_READ = 1_024;
/**
 * Most bytes in memory: six of the longest bodies, or hundreds of usual ones, being read or waiting
 * for their engine.
 */
const MAX_HELD_BYTES = 6 * AUDIO_BODY_LIMIT.bytes;

/** The limiter of all long bodies: audio, and conversations with pictures. */
export const createAudioUploads = (): UploadLimiter =>
  createUploadLimiter({ concurrent: MOST_READ, maxBytes: MAX_HELD_BYTES });

/**
 * Receives audio for recognition, and holds its memory until `use` ends. That there is an engine is
 * looked at before the body is read: rejects with the contract's 404.
 */
export const withAudio = async <Body, Result>(
  uploads: UploadLimiter,
  { request, engines, account, signal }: RouteContext,
  read: (body: AsyncIterable<Uint8Array>) => Promise<Body>,
  use: (body: Body) => Promise<Result>,
): Promise<Result> => {
  if ((await engines.offers('recognition')).length === 0)
    throw engines.missing({ ability: 'recognition' });
  using upload = uploads.open(account.name);
  return await use(await upload.receive(readChunks(request, AUDIO_BODY_LIMIT, signal), read));
};
