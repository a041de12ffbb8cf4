/**
 * A typed command: `/name option:value option:"quoted value" free text`. Pure and without imports of
 * values, for the page runs it in the browser too.
 */
import type { MessageKey } from '../errors.ts';
import type { CommandInfo, OptionInfo } from '../model/command-info.ts';

/** The sentence that says what is wrong with a line. */
export interface LineFault {
  readonly key: Extract<MessageKey, `line.${string}`>;
  readonly params: Readonly<Record<string, string | number>>;
}

export interface LineToken {
  /** The option's name in front of the colon; undefined for a bare word. */
  readonly name: string | undefined;
  readonly value: string;
  readonly quoted: boolean;
  /** False while a quotation mark is still missing. */
  readonly closed: boolean;
  /** Offset of the first character; `valueStart` is that of the value, `end` is behind the last. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

const OPTION_NAME = /([\p{L}][\p{L}\p{N}_-]*):(?!\/\/)/uy;
/** Marks that begin a quoted value, and those that end it: keyboards put these in place of straight ones. */
const QUOTATION_MARKS = [
  ['"', '"'],
  ['“”„', '“”'],
  ['«', '»'],
  ['‹', '›'],
  ['「', '」'],
] as const;
const QUOTED = QUOTATION_MARKS.map(
  ([begin, end]) => new RegExp(`[${begin}]((?:[^${end}\\\\]|\\\\[^])*)([${end}]?)`, 'y'),
);
const MARKS = QUOTATION_MARKS.flat().join('');
const ESCAPED = new RegExp(`\\\\([${MARKS}\\\\])`, 'g');
const ONE_WORD = new RegExp(`^[^\\s${MARKS}\\\\]+$`);
/** Marks that French sets spaces inside of. */
const SPACED_MARK = /^[«‹]/;
const BARE = /\S*/y;
const SPACE = /\s*/y;

const matchAt = (pattern: RegExp, line: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(line);
};

const matchQuoted = (line: string, at: number): RegExpExecArray | undefined => {
  for (const pattern of QUOTED) {
    const match = matchAt(pattern, line, at);
    if (match) return match;
  }
  return undefined;
};

const quotedValue = ([whole, inside = '']: RegExpExecArray): string =>
  (SPACED_MARK.test(whole) ? inside.trim() : inside).replaceAll(ESCAPED, '$1');

/** Cuts what follows the command's name into options and words. */
export const tokenise = (line: string, from: number): LineToken[] => {
  const tokens: LineToken[] = [];
  let at = from + (matchAt(SPACE, line, from)?.[0].length ?? 0);
  while (at < line.length) {
    const start = at;
    const name = matchAt(OPTION_NAME, line, at)?.[1];
    const valueStart = name === undefined ? at : at + name.length + 1;
    const quoted = matchQuoted(line, valueStart);
    const raw = quoted?.[0] ?? matchAt(BARE, line, valueStart)?.[0] ?? '';
    const end = valueStart + raw.length;
    tokens.push({
      name,
      value: quoted ? quotedValue(quoted) : raw,
      quoted: quoted !== undefined,
      closed: quoted === undefined || quoted[2] !== '',
      start,
      valueStart,
      end,
    });
    at = end + (matchAt(SPACE, line, end)?.[0].length ?? 0);
  }
  return tokens;
};

export interface FoundCommand {
  readonly command: CommandInfo;
  /** Offset of what follows the name. */
  readonly rest: number;
}

/** The command whose name, of one or two words, the line begins with. */
export const findCommand = (
  line: string,
  commands: readonly CommandInfo[],
): FoundCommand | undefined => {
  const [whole, first = '', gap = '', second = ''] =
    /^\/(\S+)(?:([^\S\n]+)(\S+))?/.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const named = (name: string): CommandInfo | undefined =>
    commands.find((command) => command.name === name.toLowerCase());
  const both = second === '' ? undefined : named(`${first} ${second}`);
  if (both) return { command: both, rest: 1 + first.length + gap.length + second.length };
  const opened = (): CommandInfo | undefined =>
    commands.find(({ name, alone }) => alone && name.startsWith(`${first.toLowerCase()} `));
  const one = named(first) ?? (second === '' ? opened() : undefined);
  return one && { command: one, rest: 1 + first.length };
};

/** The option that free text goes to: the first required text, else the first text. */
export const freeTextOption = ({ options }: CommandInfo): OptionInfo | undefined => {
  const texts = options.filter(({ kind, choices }) => kind === 'text' && !choices);
  return texts.find(({ required }) => required) ?? texts[0];
};

/** The text that a line gives each option, by the option's name. */
export type TypedValues = Readonly<Record<string, string>>;

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: LineFault };

const fail = (
  key: LineFault['key'],
  params: LineFault['params'] = {},
): { ok: false; fault: LineFault } => ({
  ok: false,
  fault: { key, params },
});

const optionNames = ({ options }: CommandInfo): string =>
  options.map(({ name }) => name).join(', ');

/** Reads the options of a line. Whether they fit the command is for `checkValues` to say. */
export const readValues = (line: string, { command, rest }: FoundCommand): Parsed<TypedValues> => {
  const known = new Map(command.options.map((option) => [option.name, option]));
  const target = freeTextOption(command);
  const values: Record<string, string> = {};
  /** Runs of bare words, by their offsets in the line. */
  const free: { start: number; end: number; quoted: string | undefined }[] = [];
  let before: LineToken | undefined;
  let taker: string | undefined;

  for (const token of tokenise(line, rest)) {
    if (!token.closed) return fail('line.unclosed');
    const isOption = token.name !== undefined && known.has(token.name);
    const inFreeText = free.length > 0 || taker !== undefined;
    if (token.name !== undefined && !isOption && !inFreeText)
      return known.size === 0
        ? fail('line.no-options', { command: command.typed ?? command.name })
        : fail('line.unknown-option', { option: token.name, options: optionNames(command) });
    if (isOption) {
      const name = token.name;
      if (name in values) return fail('line.twice', { option: name });
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
  if (!target || target.name in values) return fail('line.left-over', { text });
  return { ok: true, value: { ...values, [target.name]: text } };
};

const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0']);

/** Reads a typed switch: `yes`, `off`; undefined for any other word. */
export const readSwitch = (typed: string): boolean | undefined => {
  const word = typed.trim().toLowerCase();
  return TRUE.has(word) || FALSE.has(word) ? TRUE.has(word) : undefined;
};

/** Finds a choice by its value, its label or another word for it. */
export const findChoice = (
  choices: NonNullable<OptionInfo['choices']>,
  typed: string,
): { readonly value: string; readonly label: string } | undefined => {
  const wanted = typed.trim().toLowerCase();
  return choices.find(({ value, label, also = [] }) =>
    [value, label, ...also].some((name) => name.toLowerCase() === wanted),
  );
};

export type OptionValue = string | number | boolean;

const checkNumber = (option: OptionInfo, typed: string): Parsed<OptionValue> => {
  const { name, kind, minimum, maximum } = option;
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(typed) ? Number(typed) : Number.NaN;
  if (kind === 'integer' ? !Number.isSafeInteger(number) : !Number.isFinite(number))
    return fail(kind === 'integer' ? 'line.not-integer' : 'line.not-number', {
      option: name,
    });
  if (minimum !== undefined && number < minimum)
    return fail('line.too-small', { option: name, minimum });
  if (maximum !== undefined && number > maximum)
    return fail('line.too-big', { option: name, maximum });
  return { ok: true, value: number };
};

const checkOption = (option: OptionInfo, typed: string): Parsed<OptionValue> => {
  const { name, kind, choices, maxLength } = option;
  if (kind === 'attachment') return fail('line.attach', { option: name });
  if (kind === 'integer' || kind === 'number') return checkNumber(option, typed.trim());
  if (kind === 'boolean') {
    const value = readSwitch(typed);
    return value === undefined ? fail('line.not-boolean', { option: name }) : { ok: true, value };
  }
  if (choices) {
    const choice = findChoice(choices, typed);
    if (choice) return { ok: true, value: choice.value };
    return fail('line.not-a-choice', {
      option: name,
      choices: choices.map(({ value }) => value).join(', '),
    });
  }
  if (maxLength !== undefined && typed.length > maxLength)
    return fail('line.too-long', { option: name, maximum: maxLength });
  return { ok: true, value: typed };
};

/** Turns typed values into those that a command takes; `files`: options that have a file. */
export const checkValues = (
  { options }: CommandInfo,
  values: TypedValues,
  files: ReadonlySet<string>,
): Parsed<Readonly<Record<string, OptionValue>>> => {
  const checked: Record<string, OptionValue> = {};
  for (const option of options) {
    const typed = values[option.name] ?? '';
    if (typed === '') {
      const missing = option.required && !files.has(option.name);
      if (missing)
        return fail(option.kind === 'attachment' ? 'line.attach' : 'line.missing', {
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

/** Writes a value as it stands behind `option:`, quoted unless it is plainly one word. */
export const quoteValue = (value: string): string =>
  ONE_WORD.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

/** Writes a line that `readValues` reads back as `values`, in the command's own order. */
export const formatLine = ({ name, options }: CommandInfo, values: TypedValues): string =>
  [
    `/${name}`,
    ...options.flatMap((option) => {
      const value = values[option.name] ?? '';
      return value === '' ? [] : [`${option.name}:${quoteValue(value)}`];
    }),
  ].join(' ');

/** The number of letters to put in, take out or replace to make one word of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const next = [at + 1];
    for (const [place, opposite] of Array.from(other).entries())
      next.push(
        Math.min(
          (next[place] ?? 0) + 1,
          (row[place + 1] ?? 0) + 1,
          (row[place] ?? 0) + (letter === opposite ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length] ?? 0;
};

/** Longest word that is compared, and the fewest letters of one in which two may be wrong. */
const LONGEST_TYPO = 30;
const TWO_WRONG_FROM = 4;

/** The first word of the command that a mistyped one is nearest to; undefined where none is near. */
const meant = (typed: string, commands: readonly CommandInfo[]): string | undefined => {
  if (typed.length > LONGEST_TYPO) return undefined;
  const most = typed.length < TWO_WRONG_FROM ? 1 : 2;
  const [nearest] = [...new Set(commands.map(({ name }) => name.split(' ', 1).join()))]
    .map((word) => ({ word, far: distance(typed.toLowerCase(), word) }))
    .filter(({ far }) => far <= most)
    .toSorted((a, b) => a.far - b.far);
  return nearest?.word;
};

/**
 * Says why a line that begins with a slash is none of the commands.
 *
 * @param elsewhere names of commands that other platforms have
 */
export const unknownCommand = (
  line: string,
  commands: readonly CommandInfo[],
  elsewhere: readonly string[] = [],
): LineFault => {
  const first = /^\/(\S*)/.exec(line)?.[1] ?? '';
  const command = first.toLowerCase();
  if (elsewhere.includes(command)) return { key: 'line.elsewhere', params: { command } };
  const group = commands.filter(({ name }) => name.startsWith(`${command} `));
  const names = group.map(({ name, typed = name }) => typed);
  const [one = ''] = names;
  if (one)
    return {
      key: 'line.subcommand',
      params: {
        command: one.slice(0, one.lastIndexOf(' ')),
        commands: names.map((name) => `/${name}`).join(', '),
      },
    };
  const guess = meant(first, commands);
  return guess === undefined
    ? { key: 'line.unknown-command', params: { command: first } }
    : { key: 'line.did-you-mean', params: { command: first, guess } };
};

export interface ParsedCommand {
  readonly command: CommandInfo;
  readonly options: Readonly<Record<string, OptionValue>>;
}

/** Reads a whole line, the command and its options; `files`: options that have a file. */
export const parseCommandLine = (
  line: string,
  commands: readonly CommandInfo[],
  files: ReadonlySet<string> = new Set(),
  elsewhere: readonly string[] = [],
): Parsed<ParsedCommand> => {
  const found = findCommand(line, commands);
  if (!found) return { ok: false, fault: unknownCommand(line, commands, elsewhere) };
  const typed = readValues(line, found);
  if (!typed.ok) return typed;
  const { command } = found;
  const checked = checkValues(command, typed.value, files);
  return checked.ok ? { ok: true, value: { command, options: checked.value } } : checked;
};
