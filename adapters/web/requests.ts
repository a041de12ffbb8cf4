import type { Context } from 'hono';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { WEB_LIMITS } from './limits.ts';

const channel = z.enum(['playground', 'lounge']);
const id = z.string().max(64);

/** Values by the names of a command's options. */
const byOption = <S extends z.ZodType>(value: S) =>
  z
    .record(z.string().max(80), value)
    .refine((given) => Object.keys(given).length <= WEB_LIMITS.options, 'too many options');

export const lineRequest = z.object({
  channel,
  text: z.string().trim().min(1).max(WEB_LIMITS.lineChars),
});

export const useRequest = z.object({
  channel,
  command: z.string().max(80),
  options: byOption(z.union([z.string(), z.number(), z.boolean()])),
  /** Uploads by the option that takes them. */
  files: byOption(id).default({}),
});

export const completeRequest = z.object({
  command: z.string().max(80),
  option: z.string().max(80),
  typed: z.string().max(200),
});

export const stopRequest = z.object({ id });

export const pressRequest = z.object({
  id,
  press: z.string().max(100),
  values: z.array(z.string().max(100)).max(WEB_LIMITS.options).default([]),
});

export const meRequest = z.object({
  name: z.string().trim().min(1).max(WEB_LIMITS.nameChars).optional(),
  language: z.string().max(35).optional(),
});

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
    if (bytes > WEB_LIMITS.bodyBytes)
      throw new AppError('too-large', 'a request body is too large', {
        sentence: { key: 'web.errors.text-too-large' },
      });
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

/** The JSON body of a request, checked. */
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
    ? new AppError('too-large', 'a line is too long', {
        sentence: { key: 'web.errors.line-too-long', params: { limit: WEB_LIMITS.lineChars } },
      })
    : new AppError('bad-input', 'the body has the wrong shape', { cause: parsed.error });
};
