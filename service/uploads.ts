import { readChunks, type BodyLimit } from './body.ts';
import type { RouteContext } from './route.ts';
import { createUploadLimiter } from './upload-limiter.ts';

/** Largest body, about 30 MB of audio: 16 minutes of WAV at 16 kHz, over 6 hours of Opus. */
export const AUDIO_BODY_LIMIT: BodyLimit = { bytes: 40 * 1024 * 1024, named: 'ErrAudioTooLarge' };
/**
 * Most concurrent uploads. Their bytes are what is scarce, so that many slow clients, of which each
 * sends little, do not keep others out; those that are too slow are given up (see `readChunks`).
 */
const READING = { concurrent: 1_024, waiting: 0 };
/**
 * Most bytes in memory: six of the longest bodies, or hundreds of usual ones, being read or waiting
 * for their engine.
 */
const MAX_HELD_BYTES = 6 * AUDIO_BODY_LIMIT.bytes;

/** The limiter of all long bodies: audio, and conversations with pictures. */
export const createAudioUploads = (): ReturnType<typeof createUploadLimiter> =>
  createUploadLimiter({ ...READING, maxBytes: MAX_HELD_BYTES });

/**
 * Receives audio for recognition, and holds its memory until `use` ends. That there is an engine is
 * looked at before the body is read: rejects with the contract's 404.
 */
export const withAudio = async <Body, Result>(
  uploads: ReturnType<typeof createUploadLimiter>,
  { request, engines, signal }: RouteContext,
  read: (body: AsyncIterable<Uint8Array>) => Promise<Body>,
  use: (body: Body) => Promise<Result>,
): Promise<Result> => {
  if ((await engines.offers('recognition')).length === 0)
    throw engines.missing({ ability: 'recognition' });
  using upload = uploads.open();
  return await use(
    await upload.receive(readChunks(request, AUDIO_BODY_LIMIT, signal), read, signal),
  );
};
