import { ContractError } from './errors.ts';
import { createRequestLimiter } from './request-limiter.ts';

/** Clients are told to come back after this; what is held is mostly about to be recognised. */
const RETRY_AFTER_MS = 1_000;

export interface Upload extends Disposable {
  /**
   * Lets `read` take the body in and counts its bytes until the upload is disposed of. Throws
   * `ErrRateLimited` when too many read or wait already, or too much is held.
   */
  receive<T>(
    body: AsyncIterable<Uint8Array>,
    read: (counted: AsyncIterable<Uint8Array>) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

export interface UploadLimits {
  /** Bodies that are read at once. */
  readonly concurrent: number;
  readonly waiting: number;
  /** The most bytes that all bodies may hold together, as sent. */
  readonly maxBytes: number;
}

/**
 * Bounds what bodies that are read and then worked on hold in memory. Only bytes that have come
 * count, so that a client which sends little takes little from the others.
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
