/**
 * The line that people type: `/name option:value option:"quoted value" free text`. Pure, so that
 * the composer, its fields and the tests share one understanding of it.
 */
import type { CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import type { PageKey, Params } from '../wire.ts';

/** What is wrong with a line, as a sentence. */
export interface Fault {
  readonly key: PageKey;
  readonly params: Params;
}

export interface Token {
  /** The option that the token names; undefined for a bare word. */
  readonly name: string | undefined;
  readonly value: string;
  readonly quoted: boolean;
  /** False while a quotation mark is still missing. */
  readonly closed: boolean;
  /** Where the token, and the value in it, begin; `end` is behind its last character. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const OPTION_NAME = /([\p{L}][\p{L}\p{N}_-]*):(?!\/\/)/uy;
const QUOTED = /"((?:[^"\\]|\\[^])*)("?)/y;
const BARE = /\S*/y;
const SPACE = /\s*/y;

const matchAt = (pattern: RegExp, line: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(line);
};

const unescape = (quoted: string): string => quoted.replaceAll(/\\(["\\])/g, '$1');

/** Cuts what follows the command's name into options and words. */
export const tokenise = (line: string, from: number): Token[] => {
  const tokens: Token[] = [];
  let at = from + (matchAt(SPACE, line, from)?.[0].length ?? 0);
  while (at < line.length) {
    const start = at;
    const name = matchAt(OPTION_NAME, line, at)?.[1];
    const valueStart = name === undefined ? at : at + name.length + 1;
    const quoted = line[valueStart] === '"' ? matchAt(QUOTED, line, valueStart) : null;
    const raw = quoted?.[0] ?? matchAt(BARE, line, valueStart)?.[0] ?? '';
    const end = valueStart + raw.length;
    tokens.push({
      name,
      value: quoted ? unescape(quoted[1] ?? '') : raw,
      quoted: quoted !== null,
      closed: quoted === null || quoted[2] === '"',
      start,
      valueStart,
      end,
    });
    at = end + (matchAt(SPACE, line, end)?.[0].length ?? 0);
  }
  return tokens;
};

export interface Found {
  readonly command: CommandInfo;
  /** Where what follows the name begins. */
  readonly rest: number;
}

/** The command whose name, of one or two words, the line begins with. */
export const findCommand = (line: string, commands: readonly CommandInfo[]): Found | undefined => {
  const [whole, first = '', gap = '', second = ''] =
    /^\/(\S+)(?:([^\S\n]+)(\S+))?/.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const named = (name: string): CommandInfo | undefined =>
    commands.find((command) => command.name === name.toLowerCase());
  const both = second === '' ? undefined : named(`${first} ${second}`);
  if (both) return { command: both, rest: 1 + first.length + gap.length + second.length };
  const one = named(first);
  return one && { command: one, rest: 1 + first.length };
};

/** The option that free text goes to: the first required text, else the first text. */
export const freeTextOption = ({ options }: CommandInfo): OptionInfo | undefined => {
  const texts = options.filter(({ kind, choices }) => kind === 'text' && !choices);
  return texts.find(({ required }) => required) ?? texts[0];
};

/** What the line gives each option, as it was typed. */
export type Values = Readonly<Record<string, string>>;

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

const fail = (key: PageKey, params: Params = {}): { ok: false; fault: Fault } => ({
  ok: false,
  fault: { key, params },
});

const optionNames = ({ options }: CommandInfo): string =>
  options.map(({ name }) => name).join(', ');

/** Reads the options of a line; whether they fit the command is `check`'s question. */
export const readValues = (line: string, { command, rest }: Found): Parsed<Values> => {
  const known = new Map(command.options.map((option) => [option.name, option]));
  const target = freeTextOption(command);
  const values: Record<string, string> = {};
  /** Runs of bare words, as they stand in the line. */
  const free: { start: number; end: number; quoted: string | undefined }[] = [];
  let before: Token | undefined;
  let taker: string | undefined;

  for (const token of tokenise(line, rest)) {
    if (!token.closed) return fail('web.line.unclosed');
    const isOption = token.name !== undefined && known.has(token.name);
    const inFreeText = free.length > 0 || taker !== undefined;
    if (token.name !== undefined && !isOption && !inFreeText)
      return known.size === 0
        ? fail('web.line.no-options', { command: command.name })
        : fail('web.line.unknown-option', { option: token.name, options: optionNames(command) });
    if (isOption) {
      const name = token.name;
      if (name in values) return fail('web.line.twice', { option: name });
      values[name] = token.value;
      taker = name === target?.name && !token.quoted ? name : undefined;
    } else if (
      before?.name !== undefined &&
      before.value === '' &&
      !before.quoted &&
      known.has(before.name)
    )
      values[before.name] =
        token.name === undefined ? token.value : line.slice(token.start, token.end);
    else if (taker !== undefined) {
      const gap = line.slice(before?.end, token.start);
      values[taker] += `${gap}${line.slice(token.start, token.end)}`;
    } else if (free.length > 0 && free.at(-1)?.end === before?.end)
      free[free.length - 1] = { ...free.at(-1)!, end: token.end, quoted: undefined };
    else
      free.push({
        start: token.start,
        end: token.end,
        quoted: token.quoted ? token.value : undefined,
      });
    before = token;
  }

  if (free.length === 0) return { ok: true, value: values };
  const text = free.map(({ start, end, quoted }) => quoted ?? line.slice(start, end)).join(' ');
  if (!target || target.name in values) return fail('web.line.left-over', { text });
  return { ok: true, value: { ...values, [target.name]: text } };
};

const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0']);

type OptionValue = string | number | boolean;

const checkNumber = (option: OptionInfo, typed: string): Parsed<OptionValue> => {
  const { name, kind, minimum, maximum } = option;
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(typed) ? Number(typed) : Number.NaN;
  if (kind === 'integer' ? !Number.isSafeInteger(number) : !Number.isFinite(number))
    return fail(kind === 'integer' ? 'web.line.not-integer' : 'web.line.not-number', {
      option: name,
    });
  if (minimum !== undefined && number < minimum)
    return fail('web.line.too-small', { option: name, minimum });
  if (maximum !== undefined && number > maximum)
    return fail('web.line.too-big', { option: name, maximum });
  return { ok: true, value: number };
};

const checkOption = (option: OptionInfo, typed: string): Parsed<OptionValue> => {
  const { name, kind, choices, maxLength } = option;
  if (kind === 'attachment') return fail('web.line.attach', { option: name });
  if (kind === 'integer' || kind === 'number') return checkNumber(option, typed.trim());
  if (kind === 'boolean') {
    const word = typed.trim().toLowerCase();
    if (TRUE.has(word) || FALSE.has(word)) return { ok: true, value: TRUE.has(word) };
    return fail('web.line.not-boolean', { option: name });
  }
  if (choices) {
    const wanted = typed.trim().toLowerCase();
    const choice = choices.find(
      ({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted,
    );
    if (choice) return { ok: true, value: choice.value };
    return fail('web.line.not-a-choice', {
      option: name,
      choices: choices.map(({ value }) => value).join(', '),
    });
  }
  if (maxLength !== undefined && typed.length > maxLength)
    return fail('web.line.too-long', { option: name, maximum: maxLength });
  return { ok: true, value: typed };
};

/** The options as the command takes them; `files` are the options that a file is held for. */
export const check = (
  { options }: CommandInfo,
  values: Values,
  files: ReadonlySet<string>,
): Parsed<Readonly<Record<string, OptionValue>>> => {
  const checked: Record<string, OptionValue> = {};
  for (const option of options) {
    const typed = values[option.name] ?? '';
    if (typed === '') {
      const missing = option.required && !files.has(option.name);
      if (missing)
        return fail(option.kind === 'attachment' ? 'web.line.attach' : 'web.line.missing', {
          option: option.name,
        });
      continue;
    }
    const result = checkOption(option, typed);
    if (!result.ok) return result;
    checked[option.name] = result.value;
  }
  return { ok: true, value: checked };
};

/** A value as it stands behind `option:`; quoted unless it is plainly one word. */
export const quote = (value: string): string =>
  /^[^\s"\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

/** Writes a line that `readValues` reads back as `values`, in the command's own order. */
export const formatLine = ({ name, options }: CommandInfo, values: Values): string =>
  [
    `/${name}`,
    ...options.flatMap((option) => {
      const value = values[option.name] ?? '';
      return value === '' ? [] : [`${option.name}:${quote(value)}`];
    }),
  ].join(' ');

/** Why a line that begins with a slash is none of the commands. */
export const unknownCommand = (line: string, commands: readonly CommandInfo[]): Fault => {
  const first = /^\/(\S*)/.exec(line)?.[1] ?? '';
  const group = commands.filter(({ name }) => name.startsWith(`${first.toLowerCase()} `));
  return group.length > 0
    ? {
        key: 'web.line.subcommand',
        params: { command: first, commands: group.map(({ name }) => `/${name}`).join(', ') },
      }
    : { key: 'web.line.unknown-command', params: { command: first } };
};
