import type { Context } from 'hono';
import { z } from 'zod';
import { AppError, userError } from '../../src/errors.ts';
import { WEB_LIMITS } from './limits.ts';

/** The bytes of a request's body; `cancelled` when the browser breaks it off. */
export const readBodyBytes = async function* (c: Context): AsyncGenerator<Uint8Array, void> {
  try {
    yield* c.req.raw.body ?? [];
  } catch (cause) {
    throw new AppError('cancelled', 'a request was broken off', { cause });
  }
};

const readBounded = async (c: Context): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readBodyBytes(c)) {
    bytes += chunk.byteLength;
    if (bytes > WEB_LIMITS.bodyBytes) throw userError('too-large', 'web.errors.text-too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad-input', 'the body is not JSON', { cause });
  }
};

/** Reads a bounded body of JSON. Rejects with an `AppError` for any other body. */
export const readJsonBody = async <S extends z.ZodType>(
  c: Context,
  schema: S,
): Promise<z.infer<S>> => {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw new AppError('bad-input', 'a JSON body is expected');
  const parsed = schema.safeParse(parseJson(await readBounded(c)));
  if (parsed.success) return parsed.data;
  const tooLong = parsed.error.issues.some(
    ({ code, path }) => code === 'too_big' && path.at(-1) === 'text',
  );
  throw tooLong
    ? userError('too-large', 'web.errors.line-too-long', { limit: WEB_LIMITS.lineChars })
    : new AppError('bad-input', 'the body has the wrong shape', { cause: parsed.error });
};
