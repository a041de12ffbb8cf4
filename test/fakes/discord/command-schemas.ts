import { z } from 'zod';
import type { Json } from './faults.ts';
import { characters, list, rule, text } from './validation.ts';

/** Application commands (reference, "Application commands"), with the limits that it documents. */

const LOCALES =
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko'.split(
    ' ',
  );

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

const localised = <T extends z.ZodType>(value: T) =>
  z.partialRecord(z.enum(LOCALES), value.nullable()).nullish();

const slashName = rule(
  z.string(),
  'APPLICATION_COMMAND_INVALID_NAME',
  'Command name is invalid',
  (name) => NAME.test(name) && name === name.toLowerCase(),
);
const description = text(100, 1);

const choice = (value: z.ZodType) =>
  z.object({ name: text(100, 1), name_localizations: localised(text(100, 1)), value });

const unique = (items: readonly { readonly name: string }[]): boolean =>
  new Set(items.map((one) => one.name)).size === items.length;

const named = {
  name: slashName,
  name_localizations: localised(slashName),
  description,
  description_localizations: localised(description),
};

const plain = {
  ...named,
  required: z.boolean().nullish(),
  autocomplete: z.boolean().nullish(),
};

const choicesOf = (value: z.ZodType) =>
  rule(
    list(choice(value), 25),
    'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_DUPLICATED',
    'Choice names must be unique',
    unique,
  ).nullish();

const BOUNDS = ['NUMBER_TYPE_MAX', 'The least is more than the most'] as const;

const textOption = rule(
  z.object({
    type: z.literal(3),
    ...plain,
    choices: choicesOf(text(100, 1)),
    min_length: z.int().min(0).max(6000).nullish(),
    max_length: z.int().min(1).max(6000).nullish(),
  }),
  ...BOUNDS,
  (it) => (it.min_length ?? 0) <= (it.max_length ?? Infinity),
);
const numberOf = <T extends z.ZodType<number>>(type: 4 | 10, number: T) =>
  rule(
    z.object({
      type: z.literal(type),
      ...plain,
      choices: choicesOf(number),
      min_value: number.nullish(),
      max_value: number.nullish(),
    }),
    ...BOUNDS,
    (it) => (it.min_value ?? -Infinity) <= (it.max_value ?? Infinity),
  );
const otherOption = z.object({
  type: z.literal([5, 6, 7, 8, 9, 11]),
  ...plain,
  channel_types: z.array(z.literal([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16])).nullish(),
  autocomplete: z.literal(false).nullish(),
  choices: z.array(z.unknown()).max(0).nullish(),
});

const option = rule(
  z.discriminatedUnion('type', [
    textOption,
    numberOf(4, z.int()),
    numberOf(10, z.number()),
    otherOption,
  ]),
  'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
  'An option cannot have both autocomplete and choices',
  (it) => !(it.autocomplete === true && (it.choices?.length ?? 0) > 0),
);

const ordered = (
  options: readonly { readonly required?: boolean | null | undefined }[],
): boolean => {
  const firstOptional = options.findIndex((one) => one.required !== true);
  return firstOptional === -1 || options.slice(firstOptional).every((one) => one.required !== true);
};

const DUPLICATED = ['APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATED', 'Names must be unique'] as const;

const optionList = <T extends z.ZodType<{ name: string; required?: boolean | null | undefined }>>(
  item: T,
) =>
  rule(
    rule(list(item, 25), ...DUPLICATED, unique),
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    'Required options must be placed before non-required options',
    ordered,
  );

const subcommand = z.object({
  type: z.literal(1),
  ...named,
  options: optionList(option).nullish(),
});
const group = z.object({
  type: z.literal(2),
  ...named,
  options: rule(list(subcommand, 25, 1), ...DUPLICATED, unique),
});

const topLevel = rule(
  z.array(z.discriminatedUnion('type', [subcommand, group, option])),
  'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  'Sub-commands and sub-command groups cannot be mixed with other options',
  (all) => new Set(all.map((one) => one.type <= 2)).size <= 1,
);

const shared = {
  default_member_permissions: z.string().regex(/^\d+$/).nullish(),
  dm_permission: z.boolean().nullish(),
  nsfw: z.boolean().nullish(),
  integration_types: z
    .array(z.literal([0, 1]))
    .min(1)
    .nullish(),
  contexts: z.array(z.literal([0, 1, 2])).nullish(),
};

const longest = (own: unknown, localisations: unknown): number =>
  Math.max(characters(own), ...Object.values((localisations ?? {}) as Json).map(characters));

/** Names, descriptions and values of a command and everything in it. */
const size = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + size(one), 0);
  const it = value as Json;
  return (
    longest(it['name'], it['name_localizations']) +
    longest(it['description'], it['description_localizations']) +
    characters(it['value']) +
    size(it['options'] ?? []) +
    size(it['choices'] ?? [])
  );
};

const slash = rule(
  z.object({
    type: z.literal(1),
    ...named,
    ...shared,
    options: rule(
      rule(
        rule(
          topLevel,
          'BASE_TYPE_MAX_LENGTH',
          'Must be 25 or fewer in length.',
          (all) => all.length <= 25,
        ),
        ...DUPLICATED,
        unique,
      ),
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
      'Required options must be placed before non-required options',
      (all) => ordered(all.map((one) => (one.type > 2 ? one : {}))),
    ).nullish(),
  }),
  'APPLICATION_COMMAND_TOO_LARGE',
  'Command exceeds maximum size (8000)',
  (it) => size(it) <= 8000,
);

const menu = z.object({
  type: z.literal([2, 3]),
  name: text(32, 1),
  name_localizations: localised(text(32, 1)),
  description: rule(
    z.string(),
    'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
    'Context menu commands cannot have description',
    (value) => value === '',
  ).nullish(),
  options: z.array(z.unknown()).max(0).nullish(),
  ...shared,
});

const commandSchema = z.discriminatedUnion('type', [slash, menu]);

const MOST: Readonly<Record<number, number>> = { 1: 100, 2: 15, 3: 15 };

/** A whole set, as PUT replaces it. */
export const commandSetSchema = rule(
  rule(
    z.array(commandSchema),
    'APPLICATION_COMMANDS_DUPLICATE_NAME',
    'Application command names must be unique',
    (all) => new Set(all.map((one) => `${one.type} ${one.name}`)).size === all.length,
  ),
  'MAX_COMMANDS_REACHED',
  'At most 100 slash, 15 user and 15 message commands',
  (all) =>
    Object.entries(MOST).every(
      ([type, most]) => all.filter((one) => one.type === Number(type)).length <= most,
    ),
);
