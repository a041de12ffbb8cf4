import type { z } from 'zod';
import type { OptionInfo } from '../model/command-info.ts';
import { userError, type AppError } from '../errors.ts';
import { onlyRow, series } from '../rich-text/compose.ts';
import type { Channel, Space } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainText } from '../rich-text/walk.ts';
import { takesRichText, type UnreadText } from './command.ts';
import { findChoice, readSwitch } from './command-line.ts';
import { typedCode } from '../text/quoted-words.ts';

/** The space in which channels are looked for, and the reader of its platform's markup. */
interface TypedIn {
  readonly space: Space;
  readonly readText: (typed: string) => RichText;
}

/** A typed text is read once its length is known to fit; a message's text is given as it is. */
const unread = (value: unknown, { readText }: TypedIn): UnreadText | undefined => {
  if (typeof value === 'string') return { typed: value, read: () => readText(value) };
  const tree = value as RichText;
  return Array.isArray(value) ? { typed: plainText(tree), read: () => tree } : undefined;
};

/** The id of a channel that was typed as a mention, or bare. */
const channelId = (typed: string, { space, readText }: TypedIn): string => {
  const [node, ...others] = onlyRow(readText(typed)) ?? [];
  const isOne = node?.kind === 'mention' && others.length === 0;
  return isOne && node.target === 'channel' && node.platform === space.platform ? node.id : typed;
};

/** Reads the text that platforms without typed options give; what does not fit is left for the schema. */
const coerce = (value: unknown, option: OptionInfo, typedIn: TypedIn): unknown => {
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
      return { space: typedIn.space, id: channelId(text, typedIn) };
    case 'attachment':
      return value;
  }
};

const codes = (names: readonly string[]): RichText =>
  series(names.length === 0 ? ['–'] : names.map((name) => typedCode(name)), ', ');

const faultOf = (issue: z.core.$ZodIssue, option: OptionInfo): AppError => {
  const name = typedCode(option.name);
  if (option.choices)
    return userError('bad-input', 'options.not-a-choice', {
      option: name,
      choices: codes(option.choices.map(({ value }) => value)),
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

/** The channels among checked options. */
export const channelsIn = (
  options: Readonly<Record<string, unknown>>,
  known: readonly OptionInfo[],
): Channel[] =>
  known
    .filter(({ kind, name }) => kind === 'channel' && options[name] !== undefined)
    .map(({ name }) => options[name] as Channel);

/** Checks options against an action's schema; an error names the option and what it takes. */
export const parseOptions = (
  given: Readonly<Record<string, unknown>>,
  known: readonly OptionInfo[],
  schema: z.ZodObject | undefined,
  typedIn: TypedIn,
): Record<string, unknown> => {
  const stray = Object.keys(given).find((name) => !known.some((option) => option.name === name));
  if (stray !== undefined)
    throw userError('bad-input', 'options.unknown', {
      option: typedCode(stray),
      known: codes(known.map(({ name }) => name)),
    });
  const values: Record<string, unknown> = {};
  for (const option of known) {
    const value = given[option.name] === '' && !option.required ? undefined : given[option.name];
    if (value === undefined || value === null) {
      if (option.required)
        throw userError('bad-input', 'options.missing', {
          option: typedCode(option.name),
          description: option.description,
        });
    } else
      values[option.name] = takesRichText(schema?.shape[option.name])
        ? unread(value, typedIn)
        : coerce(value, option, typedIn);
  }
  if (!schema) return values;
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = known.find(({ name }) => name === issue?.path[0]);
  throw issue && option ? faultOf(issue, option) : userError('bad-input', 'errors.bad-input');
};
