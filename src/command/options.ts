import type { z } from 'zod';
import type { OptionInfo } from '../model/command-info.ts';
import { userError, type AppError } from '../errors.ts';
import { typedChannelId } from '../model/mention.ts';
import type { Space } from '../model/place.ts';
import { findChoice, readSwitch } from './command-line.ts';
import { inCode } from '../text/markup/plain-line.ts';

/** Reads the text that platforms without typed options give; what does not fit is left for the schema. */
const coerce = (value: unknown, option: OptionInfo, space: Space): unknown => {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  switch (option.kind) {
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : value;
    case 'boolean':
      return readSwitch(text) ?? value;
    case 'text':
      return (option.choices && findChoice(option.choices, text)?.value) ?? value;
    case 'channel':
      return { space, id: typedChannelId(text) ?? text };
    case 'attachment':
      return value;
  }
};

const faultOf = (issue: z.core.$ZodIssue, option: OptionInfo): AppError => {
  const name = inCode(option.name);
  if (option.choices)
    return userError('bad-input', 'options.not-a-choice', {
      option: name,
      choices: option.choices.map(({ value }) => inCode(value)).join(', '),
    });
  if (issue.code === 'too_big' && option.kind === 'text')
    return userError('too-large', 'options.too-long', {
      option: name,
      limit: Number(issue.maximum),
    });
  if (issue.code === 'too_small' && option.kind === 'text')
    return userError('bad-input', 'options.empty', { option: name });
  return userError('bad-input', `options.not-${option.kind}`, {
    option: name,
    minimum: option.minimum ?? '−∞',
    maximum: option.maximum ?? '∞',
  });
};

/**
 * Checks what a person gave against an action's schema. Throws one `AppError` whose sentence names
 * the option and what it takes.
 *
 * @param space the space in which channels are looked for that were given as text
 */
export const parseOptions = (
  given: Readonly<Record<string, unknown>>,
  known: readonly OptionInfo[],
  schema: z.ZodObject | undefined,
  space: Space,
): Record<string, unknown> => {
  const stray = Object.keys(given).find((name) => !known.some((option) => option.name === name));
  if (stray !== undefined)
    throw userError('bad-input', 'options.unknown', {
      option: inCode(stray),
      known: known.map(({ name }) => inCode(name)).join(', ') || '–',
    });
  const values: Record<string, unknown> = {};
  for (const option of known) {
    const value = given[option.name] === '' && !option.required ? undefined : given[option.name];
    if (value === undefined || value === null) {
      if (option.required)
        throw userError('bad-input', 'options.missing', {
          option: inCode(option.name),
          description: option.description,
        });
    } else values[option.name] = coerce(value, option, space);
  }
  if (!schema) return values;
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = known.find(({ name }) => name === issue?.path[0]);
  throw issue && option ? faultOf(issue, option) : userError('bad-input', 'errors.bad-input');
};
