import type { z } from 'zod';
import { orAborted } from '../src/async/abort.ts';
import { realClock, type Clock } from '../src/async/clock.ts';
import { countCodePoints } from '../src/text/unicode.ts';
import { ContractError, type ErrorName, invalidParameter, invalidRequest } from './errors.ts';
import { parseJson } from './json.ts';

/** The longest wait for the next bytes of a body. */
const IDLE_MS = 30_000;
/** The longest wait for a whole body; 40 MiB then need 1.1 Mbit/s. */
const TOTAL_MS = 300_000;
/** Fewest bytes a second, after a while in which connections may be slow. */
const SLOWEST_BYTES_PER_SECOND = 4_096;
const SLOW_START_MS = 15_000;

/** The largest body, and the name of the 400 for a larger one: section 7 has no 413. */
export interface BodyLimit {
  readonly bytes: number;
  readonly named: ErrorName;
}

const tooLarge = ({ bytes, named }: BodyLimit): ContractError =>
  new ContractError(named, `The request body is over ${bytes} bytes.`);

/**
 * Yields the chunks of a request's body, at most `limit` in all. Throws the signal's reason, and
 * `ErrInvalidRequest` when no bytes arrive for long, too few in all, or it takes too long; time in
 * which the consumer works does not count. When the consumer stops early, reads and discards the
 * rest, because a connection that is answered while the client still sends cannot be reused.
 */
export async function* readChunks(
  request: Request,
  limit: BodyLimit,
  signal: AbortSignal,
  clock: Clock = realClock,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit.bytes) throw tooLarge(limit);
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  if (!reader) return;
  const late = new AbortController();
  const giveUp = (): void =>
    late.abort(invalidRequest('The request body does not come, or too slowly.'));
  const over = AbortSignal.any([signal, late.signal]);
  let size = 0;
  let waitedMs = 0;
  const read = async (): Promise<Uint8Array | undefined> => {
    over.throwIfAborted();
    const startMs = clock.nowMs();
    const mostMs = Math.min(TOTAL_MS, SLOW_START_MS + (1_000 * size) / SLOWEST_BYTES_PER_SECOND);
    const disarm = clock.after(Math.min(IDLE_MS, mostMs - waitedMs), giveUp);
    const { value } = await orAborted(reader.read(), over).finally(disarm);
    waitedMs += clock.nowMs() - startMs;
    size += value?.length ?? 0;
    if (size > limit.bytes) throw tooLarge(limit);
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
    reader.releaseLock();
  }
}

/** Reads a request's body whole; rejects as `readChunks` throws. */
export const readBody = async (
  request: Request,
  limit: BodyLimit,
  signal: AbortSignal,
): Promise<Buffer> => Buffer.concat(await Array.fromAsync(readChunks(request, limit, signal)));

/** Reads a request's body as a form; throws a 400 for anything else. */
export const readForm = async (
  request: Request,
  limit: BodyLimit,
  signal: AbortSignal,
): Promise<FormData> => {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const bytes = await readBody(request, limit, signal);
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData();
  } catch {
    throw invalidRequest('The request body is not a whole form.');
  }
};

/** Parses a request's body as JSON; throws a 400 for anything else. */
export const parseBody = (text: string): unknown =>
  parseJson(text, () => invalidRequest('The request body is not valid JSON.'));

/** Reads a request's body as JSON of a schema; rejects as `readChunks` and `validate` throw. */
export const readJson = async <S extends z.ZodType>(
  schema: S,
  { request, signal }: { readonly request: Request; readonly signal: AbortSignal },
  limit: BodyLimit,
): Promise<z.infer<S>> =>
  validate(schema, parseBody((await readBody(request, limit, signal)).toString('utf8')));

/** Throws a 400 for a text, which is the value of a field, over a number of code points. */
export const checkLength = (field: string, text: string, most: number): void => {
  if (countCodePoints(text) > most)
    throw new ContractError('ErrTextTooLong', `${field} is over ${most} code points.`);
};

/** An object, and those in it, without what is `null`, which many clients send for a field that they leave out. */
const withoutNulls = (value: unknown, levels = 2): unknown =>
  levels > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== null)
          .map(([name, each]) => [name, withoutNulls(each, levels - 1)]),
      )
    : value;

/** Validates `value` against `schema`; throws a 400 that names every invalid field, never its value. */
export const validate = <S extends z.ZodType>(schema: S, value: unknown): z.infer<S> => {
  const parsed = schema.safeParse(withoutNulls(value), { reportInput: false });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw invalidParameter(`Invalid parameter: ${[...new Set(faults)].slice(0, 5).join('; ')}`);
};
