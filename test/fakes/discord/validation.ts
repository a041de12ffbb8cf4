import { z } from 'zod';
import { Fault, type Json } from './faults.ts';

/** Discord counts code points, not UTF-16 units. */
const length = (text: string): number => Array.from(text).length;

/** A rule whose breach Discord names by `code` in its `errors` tree. */
export const rule = <T extends z.ZodType>(
  schema: T,
  code: string,
  message: string,
  holds: (value: z.output<T>) => boolean,
): T =>
  schema.superRefine((value, context) => {
    if (!holds(value)) context.addIssue({ code: 'custom', message, params: { code } });
  });

/** Text of `min` to `max` characters. */
export const text = (max: number, min = 0): z.ZodString =>
  rule(
    z.string(),
    min === 0 ? 'BASE_TYPE_MAX_LENGTH' : 'BASE_TYPE_BAD_LENGTH',
    min === 0
      ? `Must be ${max} or fewer in length.`
      : `Must be between ${min} and ${max} in length.`,
    (value) => length(value) >= min && length(value) <= max,
  );

export const list = <T extends z.ZodType>(item: T, max: number, min = 0): z.ZodArray<T> =>
  rule(
    z.array(item),
    min === 0 ? 'BASE_TYPE_MAX_LENGTH' : 'BASE_TYPE_BAD_LENGTH',
    `Must be between ${min} and ${max} in length.`,
    (value) => value.length >= min && value.length <= max,
  );

export const snowflake = rule(
  z.string(),
  'NUMBER_TYPE_COERCE',
  'Value is not snowflake.',
  (value) => /^\d{17,20}$/.test(value),
);

/** An emoji of Unicode, also without its variation selector; digits and signs alone are none. */
export const isEmoji = (name: string): boolean =>
  /^\p{RGI_Emoji}$/v.test(name) || /^(?=\P{ASCII})\p{Emoji}\uFE0F?$/u.test(name);

export const webUrl = (max = 2048): z.ZodString =>
  rule(
    text(max),
    'URL_TYPE_INVALID_SCHEME',
    'Scheme must be one of (http, https, attachment).',
    (value) => /^(?:https?|attachment):\/\/\S+$/i.test(value),
  );

const describe = (issue: z.core.$ZodIssue): { code: string; message: string } => {
  if (issue.code === 'custom') {
    const code = issue.params?.['code'];
    if (typeof code === 'string') return { code, message: issue.message };
  }
  if (issue.code === 'invalid_type' && issue.message.includes('received undefined'))
    return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  if (issue.code === 'invalid_value' || issue.code === 'invalid_union')
    return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of the known ones.` };
  return { code: `BASE_TYPE_INVALID`, message: issue.message };
};

/** 50035 with one message at `path`. */
export const invalid = (path: readonly PropertyKey[], code: string, message: string): Fault =>
  invalidForm([{ path, code, message }]);

const invalidForm = (
  faults: readonly { path: readonly PropertyKey[]; code: string; message: string }[],
): Fault => {
  const errors: Json = {};
  for (const { path, code, message } of faults) {
    let node = errors;
    for (const key of path) node = (node[String(key)] ??= {}) as Json;
    ((node['_errors'] ??= []) as Json[]).push({ code, message });
  }
  return new Fault(400, { message: 'Invalid Form Body', code: 50035, errors });
};

/** The body as its schema reads it; throws 50035 with Discord's tree of errors. */
export const check = <T extends z.ZodType>(schema: T, body: unknown): z.output<T> => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidForm(parsed.error.issues.map((issue) => ({ path: issue.path, ...describe(issue) })));
};

/** Characters of a text, as limits count them. */
export const characters = (value: unknown): number =>
  typeof value === 'string' ? length(value) : 0;
