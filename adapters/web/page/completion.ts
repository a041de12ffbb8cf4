import type { CommandInfo, Choice, OptionInfo } from '../../../src/model/command-info.ts';
import { mayHoldAudio } from '../../../src/audio/file-names.ts';
import { isGlossaryFile } from '../../../src/model/glossary-file.ts';
import { findCommand, quoteValue, tokenise } from '../../../src/command/command-line.ts';

interface NamedFile {
  readonly name: string;
  readonly type: string;
}

/** The command that a file is meant for: sound is transcribed, a table is a glossary. */
export const commandForFile = (
  file: NamedFile,
  commands: readonly CommandInfo[],
): CommandInfo | undefined => {
  const named = mayHoldAudio(file.name, file.type)
    ? 'transcribe'
    : isGlossaryFile(file.name)
      ? 'glossary import'
      : undefined;
  return commands.find(({ name }) => name === named);
};

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `12.3 MB`, as the locale writes it. */
export const sizeText = (bytes: number, locale: string): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    // Short, it is "49 byte".
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1_000 ** power);
};

/** Longer values are ids that say nothing to people. */
const MAX_TELLING_CHARS = 16;

/** A value to be shown beside its label, where it says something more. */
const telling = (value: string, label: string): string =>
  value === label || value.length > MAX_TELLING_CHARS ? '' : value;

/** True when a choice may be meant by what was typed. */
export const matchesTyped = ({ value, label }: Choice, typed: string): boolean => {
  const lower = typed.toLowerCase();
  return value.toLowerCase().includes(lower) || label.toLowerCase().includes(lower);
};

export interface Suggestion {
  readonly value: string;
  readonly label: string;
  readonly detail: string;
  /** The text that takes the place of what was typed. */
  readonly insert: string;
}

interface Place {
  readonly typed: string;
  readonly start: number;
  readonly end: number;
}

export type Completing =
  | (Place & { readonly kind: 'command' })
  | (Place & {
      readonly kind: 'option';
      readonly command: CommandInfo;
      readonly remaining: readonly OptionInfo[];
    })
  | (Place & {
      readonly kind: 'value';
      readonly command: CommandInfo;
      readonly option: OptionInfo;
    });

const completesItself = ({ kind, choices, autocompletes }: OptionInfo): boolean =>
  autocompletes || choices !== undefined || kind === 'boolean';

/** Finds what is being typed at `caret`; undefined where nothing can be offered. */
export const completingAt = (
  line: string,
  caret: number,
  commands: readonly CommandInfo[],
): Completing | undefined => {
  if (!line.startsWith('/')) return undefined;
  const found = findCommand(line, commands);
  if (!found || caret <= found.rest) {
    const head = /^\/[^\n]*/.exec(line)?.[0] ?? '';
    if (caret > head.length || caret < 1) return undefined;
    return { kind: 'command', typed: line.slice(1, caret), start: 0, end: found?.rest ?? caret };
  }
  const { command } = found;
  const tokens = tokenise(line, found.rest);
  const at = tokens.find(({ start, end }) => start <= caret && caret <= end);
  if (at?.quoted && at.closed && caret === at.end) return undefined;
  const option =
    at?.name === undefined ? undefined : command.options.find(({ name }) => name === at.name);
  if (at && option && caret >= at.valueStart) {
    if (!completesItself(option)) return undefined;
    const typed = line.slice(at.valueStart + (at.quoted ? 1 : 0), caret).trimStart();
    return { kind: 'value', command, option, typed, start: at.valueStart, end: at.end };
  }
  if (at?.quoted || (at && caret < at.end)) return undefined;
  const given = new Set(tokens.map(({ name }) => name));
  const remaining = command.options.filter(
    ({ name, kind }) => kind !== 'attachment' && !given.has(name),
  );
  const typed = at ? line.slice(at.start, caret) : '';
  return {
    kind: 'option',
    command,
    remaining,
    typed,
    start: at?.start ?? caret,
    end: at?.end ?? caret,
  };
};

export const commandSuggestions = (
  typed: string,
  commands: readonly CommandInfo[],
): Suggestion[] => {
  const lower = typed.toLowerCase().trimStart();
  const begins = commands.filter(({ name }) => name.startsWith(lower));
  const contains = commands.filter(
    ({ name, summary }) =>
      !name.startsWith(lower) &&
      lower.length > 1 &&
      `${name} ${summary.toLowerCase()}`.includes(lower),
  );
  return [...begins, ...contains].map(({ name, summary }) => ({
    value: name,
    label: `/${name}`,
    detail: summary,
    insert: `/${name} `,
  }));
};

export const optionSuggestions = (typed: string, remaining: readonly OptionInfo[]): Suggestion[] =>
  remaining
    .filter(({ name }) => name.startsWith(typed.toLowerCase()))
    .map(({ name, description }) => ({
      value: name,
      label: `${name}:`,
      detail: description,
      insert: `${name}:`,
    }));

export const valueSuggestions = (choices: readonly Choice[]): Suggestion[] =>
  choices.map(({ value, label }) => ({
    value,
    label,
    detail: telling(value, label),
    insert: `${quoteValue(value)} `,
  }));

/** The choices there are without asking the server; undefined when it must be asked. */
export const knownChoices = (option: OptionInfo, typed: string): readonly Choice[] | undefined => {
  const all =
    option.kind === 'boolean'
      ? ['true', 'false'].map((value) => ({ value, label: value }))
      : option.choices;
  return all?.filter((choice) => matchesTyped(choice, typed));
};

/** The line, and where the caret goes, once `suggestion` took the place of what was typed. */
export const accept = (
  line: string,
  { start, end }: Place,
  { insert }: Suggestion,
): { line: string; caret: number } => {
  const after = line.slice(end);
  const inserted = insert.endsWith(' ') && /^\s/.test(after) ? insert.slice(0, -1) : insert;
  return { line: line.slice(0, start) + inserted + after, caret: start + insert.length };
};
