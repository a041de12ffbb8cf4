import { ContractError } from './errors.ts';
import { createRequestLimiter } from './request-limiter.ts';

/** Wait that clients are asked for; most bytes in memory are about to be recognised. */
const RETRY_AFTER_MS = 1_000;

export interface Upload extends Disposable {
  /**
   * Reads the body with `read` and counts its bytes until the upload is disposed of. Throws
   * `ErrRateLimited` when too many uploads are read or waiting, or too many bytes are in memory.
   */
  receive<T>(
    body: AsyncIterable<Uint8Array>,
    read: (counted: AsyncIterable<Uint8Array>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

export interface UploadLimits {
  /** Bodies that are read at the same time. */
  readonly concurrent: number;
  readonly waiting: number;
  /** Most bytes of all bodies in memory together, as sent. */
  readonly maxBytes: number;
}

/**
 * Limits the memory of bodies that are read and then processed. Only received bytes count, so that
 * a slow client costs the others little.
 */
export const createUploadLimiter = ({
  concurrent,
  waiting,
  maxBytes,
}: UploadLimits): { open(): Upload } => {
  const limiter = createRequestLimiter({ concurrent, waiting });
  let heldBytes = 0;

  return {
    open: () => {
      let ownBytes = 0;
      const counted = async function* (
        body: AsyncIterable<Uint8Array>,
      ): AsyncGenerator<Uint8Array> {
        for await (const chunk of body) {
          if (heldBytes + chunk.length > maxBytes)
            throw new ContractError('ErrRateLimited', 'Too much is being sent. Retry after 1s', {
              context: ['limit'],
              retryAfterMs: RETRY_AFTER_MS,
            });
          ownBytes += chunk.length;
          heldBytes += chunk.length;
          yield chunk;
        }
      };
      return {
        receive: async (body, read, signal) => {
          const permit = await limiter.acquire(signal);
          try {
            return await read(counted(body));
          } finally {
            permit[Symbol.dispose]();
          }
        },
        [Symbol.dispose]: () => {
          heldBytes -= ownBytes;
          ownBytes = 0;
        },
      };
    },
  };
};
