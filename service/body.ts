import type { z } from 'zod';
import { ServiceError } from './errors.ts';

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('ErrRequestTooLarge', `The request body is over ${maxBytes} bytes.`);

/**
 * The chunks of a request's body, at most `maxBytes` in all; ends with the signal's reason. Whoever
 * stops early has the rest read and thrown away, for a connection that is answered while the client
 * still sends cannot be used again.
 */
export async function* readChunks(
  request: Request,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  if (!reader) return;
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  const leave = (): void => gone.reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  let size = 0;
  const read = async (): Promise<Uint8Array | undefined> => {
    signal.throwIfAborted();
    const { value } = await Promise.race([reader.read(), gone.promise]);
    size += value?.length ?? 0;
    if (size > maxBytes) throw tooLarge(maxBytes);
    return value;
  };
  let chunk: Uint8Array | undefined;
  try {
    chunk = await read();
    while (chunk) {
      yield chunk;
      chunk = await read();
    }
  } finally {
    while (chunk) chunk = await read().catch(() => undefined);
    signal.removeEventListener('abort', leave);
    reader.releaseLock();
  }
}

export const readBytes = async (
  request: Request,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, maxBytes, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('ErrInvalidRequest', 'The request body is not valid JSON.');
  }
};

/** `value` as `schema` wants it; a 400 names every field that is wrong, never what it holds. */
export const validate = <S extends z.ZodType>(schema: S, value: unknown): z.infer<S> => {
  const parsed = schema.safeParse(value, { reportInput: false });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw new ServiceError(
    'ErrInvalidParameter',
    `Invalid parameter: ${[...new Set(faults)].slice(0, 5).join('; ')}`,
  );
};
