import { onlyRow } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainInline, plainText } from '../rich-text/walk.ts';
import type { z } from 'zod';
import type { OptionInfo } from '../model/command-info.ts';
import { userError, type AppError, type SentenceValue } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import { takesRichText, type UnreadText } from './command.ts';
import { findChoice, readSwitch } from './command-line.ts';
import { typedCode } from '../text/quoted-words.ts';

/** Lists that people type into one option: languages, and channels with a language each. */

interface Finder {
  /** The code of a language; undefined if unknown. */
  find(typed: string): string | undefined;
}

/** Most words in a language's name. */
const LONGEST_NAME_WORDS = 3;
/** Separators of languages, "and" included where it cannot be a code (Estonian is `et`). */
const BETWEEN =
  /[,;、，；\n&+]+|\s(?:and|und|y|e)\s|(?<=\p{L}{4})\set\s|(?<=語)と|(?<=어)[와과]\s|(?<=[语語文])[和与與]/iu;

export interface TypedLanguages {
  /** Codes without repetition, in the order in which they were typed. */
  readonly languages: readonly string[];
  readonly unknown: readonly string[];
}

/** Reads codes or names, separated by commas, spaces or "and": `es, Traditional Chinese fr`. */
export const readLanguages = (typed: string, finder: Finder): TypedLanguages => {
  const languages = new Set<string>();
  const unknown = new Set<string>();
  for (const piece of typed.split(BETWEEN)) {
    const words = piece.split(/\s+/u).filter((word) => word !== '');
    while (words.length > 0) {
      let length = Math.min(LONGEST_NAME_WORDS, words.length);
      while (length > 1 && finder.find(words.slice(0, length).join(' ')) === undefined) length -= 1;
      const name = words.splice(0, length).join(' ');
      const code = finder.find(name);
      if (code === undefined) unknown.add(name);
      else languages.add(code);
    }
  }
  return { languages: [...languages], unknown: [...unknown] };
};

/**
 * Splits typed text into what stands before the language being typed, and the possible beginnings
 * of that language: everything since the last comma, then the last word alone.
 */
export const splitTyped = (
  typed: string,
): readonly { readonly before: string; readonly last: string }[] =>
  [
    /^(?<before>.*[,;、，；\n])?(?<last>[^,;、，；\n]*)$/su,
    /^(?<before>.*[\s,;、，；])?(?<last>[^\s,;、，；]*)$/su,
  ].map((shape) => {
    const { before = '', last = '' } = shape.exec(typed)?.groups ?? {};
    return { before, last: last.trim() };
  });

export interface TypedChannel {
  readonly id: string;
  readonly typed: string;
  /** The language's code; undefined where the typed text is no language. */
  readonly language: string | undefined;
}

const AROUND = /^[\s,;:=→、，；：]+|[\s,;:=→、，；：]+$/gu;

/**
 * Reads mentions of a platform's channels, each with its language, all behind them or all in front.
 * Undefined where a channel has none, or where there is more, such as a name that was typed instead
 * of chosen.
 */
export const readChannels = (
  typed: RichText,
  languages: Finder,
  platform: string,
): readonly TypedChannel[] | undefined => {
  const nodes = onlyRow(typed);
  if (!nodes) return undefined;
  const parts = [{ id: '', words: '' }];
  for (const node of nodes)
    if (node.kind === 'mention' && node.target === 'channel' && node.platform === platform)
      parts.push({ id: node.id, words: '' });
    else parts.at(-1)!.words += plainInline([node]);
  const written = parts.map(({ words }) => words.replaceAll(AROUND, ''));
  if (written[0] === '') written.shift();
  else if (written.at(-1) === '') written.pop();
  if (written.length !== parts.length - 1 || written.includes('')) return undefined;
  return parts.slice(1).map(({ id }, place) => {
    const language = written[place] ?? '';
    return { id, typed: language, language: languages.find(language) };
  });
};

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

const codes = (names: readonly string[]): SentenceValue => ({
  list: names.length === 0 ? ['–'] : names.map((name) => typedCode(name)),
});

const faultOf = (issue: z.core.$ZodIssue, option: OptionInfo): AppError => {
  const name = typedCode(option.name);
  if (option.choices)
    return userError('bad-input', 'options.not-a-choice', {
      option: name,
      choices: codes(option.choices.flatMap(({ value, also = [] }) => [value, ...also])),
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
