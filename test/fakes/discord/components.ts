import { z } from 'zod';
import type { Json } from './faults.ts';
import { characters, invalid, isEmoji, list, rule, snowflake, text, webUrl } from './validation.ts';

/** Message components (reference, "Component reference"), with the limits that it documents. */

const customId = text(100, 1);
const id = z.int().min(0).nullish();

const emoji = rule(
  z.object({
    id: snowflake.nullish(),
    name: z.string().nullish(),
    animated: z.boolean().nullish(),
  }),
  'COMPONENT_INVALID_EMOJI',
  'Invalid emoji',
  (it) => it.id != null || isEmoji(it.name ?? ''),
);

/** Where a link button may lead. */
const linkUrl = rule(
  text(512),
  'URL_TYPE_INVALID_SCHEME',
  'Scheme must be one of (http, https, discord).',
  (value) => /^(?:https?|discord):\/\/\S+$/i.test(value),
);

const button = rule(
  z.object({
    type: z.literal(2),
    id,
    style: z.int().min(1).max(6),
    label: text(80).nullish(),
    emoji: emoji.nullish(),
    custom_id: customId.nullish(),
    url: linkUrl.nullish(),
    sku_id: snowflake.nullish(),
    disabled: z.boolean().nullish(),
  }),
  'BUTTON_COMPONENT_INVALID',
  'A button needs a label or emoji, and a custom id or a URL as its style has it',
  (it) =>
    it.style === 6
      ? it.sku_id != null && !it.label && it.emoji == null && it.url == null && it.custom_id == null
      : (Boolean(it.label) || it.emoji != null) &&
        (it.style === 5
          ? it.url != null && it.custom_id == null
          : it.custom_id != null && it.url == null),
);

const selectParts = {
  id,
  custom_id: customId,
  placeholder: text(150).nullish(),
  min_values: z.int().min(0).max(25).nullish(),
  max_values: z.int().min(1).max(25).nullish(),
  disabled: z.boolean().nullish(),
  required: z.boolean().nullish(),
};

const option = z.object({
  label: text(100, 1),
  value: text(100, 1),
  description: text(100).nullish(),
  emoji: emoji.nullish(),
  default: z.boolean().nullish(),
});

const stringSelect = rule(
  z.object({
    type: z.literal(3),
    ...selectParts,
    options: rule(
      list(option, 25, 1),
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      'The specified option value is already used',
      (options) => new Set(options.map((one) => one.value)).size === options.length,
    ),
  }),
  'SELECT_COMPONENT_INVALID_DEFAULT_VALUES',
  'Defaults, the fewest and the most values do not fit the options',
  (it) =>
    (it.min_values ?? 1) <= (it.max_values ?? 1) &&
    (it.max_values ?? 1) <= it.options.length &&
    it.options.filter((one) => one.default === true).length <= (it.max_values ?? 1),
);

/** What each select of people, roles or channels may have chosen at first. */
const DEFAULTS: Readonly<Record<number, readonly string[]>> = {
  5: ['user'],
  6: ['role'],
  7: ['user', 'role'],
  8: ['channel'],
};

const otherSelect = rule(
  z.object({
    type: z.literal([5, 6, 7, 8]),
    ...selectParts,
    channel_types: z.array(z.int()).nullish(),
    default_values: list(z.object({ id: snowflake, type: z.string() }), 25).nullish(),
  }),
  'SELECT_COMPONENT_INVALID_DEFAULT_VALUES',
  'Defaults, the fewest and the most values do not fit',
  ({ type, min_values, max_values, default_values }) => {
    const [least, most, defaults] = [min_values ?? 1, max_values ?? 1, default_values ?? []];
    return (
      least <= most &&
      (defaults.length === 0 || (defaults.length >= least && defaults.length <= most)) &&
      defaults.every((one) => DEFAULTS[type]?.includes(one.type))
    );
  },
);

const row = rule(
  z.object({
    type: z.literal(1),
    id,
    components: list(z.discriminatedUnion('type', [button, stringSelect, otherSelect]), 5, 1),
  }),
  'BASE_TYPE_BAD_LENGTH',
  'A row holds up to five buttons or one select',
  ({ components }) =>
    components.every((one) => one.type === 2) ||
    (components.length === 1 && components[0]?.type !== 2),
);

const textDisplay = z.object({ type: z.literal(10), id, content: text(4000, 1) });
const media = z.object({ url: webUrl() });
const thumbnail = z.object({
  type: z.literal(11),
  id,
  media,
  description: text(1024).nullish(),
  spoiler: z.boolean().nullish(),
});
const section = z.object({
  type: z.literal(9),
  id,
  components: list(textDisplay, 3, 1),
  accessory: z.discriminatedUnion('type', [button, thumbnail]),
});
const gallery = z.object({
  type: z.literal(12),
  id,
  items: list(
    z.object({ media, description: text(1024).nullish(), spoiler: z.boolean().nullish() }),
    10,
    1,
  ),
});
const file = z.object({ type: z.literal(13), id, file: media, spoiler: z.boolean().nullish() });
const separator = z.object({
  type: z.literal(14),
  id,
  divider: z.boolean().nullish(),
  spacing: z.literal([1, 2]).nullish(),
});
const blocks = [row, textDisplay, section, gallery, file, separator] as const;
const container = z.object({
  type: z.literal(17),
  id,
  components: z.array(z.discriminatedUnion('type', blocks)).min(1),
  accent_color: z.int().min(0).max(0xffffff).nullish(),
  spoiler: z.boolean().nullish(),
});

const classic = list(row, 5);
const layout = list(z.discriminatedUnion('type', [...blocks, container]), 40, 1);

/** Every object with a `type` in a tree of components. */
export const flatten = (components: unknown): Json[] => {
  if (Array.isArray(components)) return components.flatMap(flatten);
  if (typeof components !== 'object' || components === null) return [];
  const own = components as Json;
  const inside = [...flatten(own['components']), ...flatten(own['component'])];
  return [
    ...(typeof own['type'] === 'number' ? [own] : []),
    ...inside,
    ...flatten(own['accessory']),
  ];
};

/** The schema for a message's components; `v2`: with the flag IS_COMPONENTS_V2. */
export const componentsSchema = (v2: boolean): z.ZodType<unknown[]> => (v2 ? layout : classic);

/** What no single component can tell: repeated ids, and the totals of Components V2. */
export const checkComponentTree = (components: readonly unknown[], v2: boolean): void => {
  const all = flatten(components);
  const ids = all.flatMap((one) =>
    typeof one['custom_id'] === 'string' ? [one['custom_id']] : [],
  );
  if (new Set(ids).size !== ids.length)
    throw invalid(
      ['components'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    );
  if (!v2) return;
  if (all.length > 40)
    throw invalid(
      ['components'],
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      'At most 40 components',
    );
  const total = all.reduce(
    (sum, one) => sum + (one['type'] === 10 ? characters(one['content']) : 0),
    0,
  );
  if (total > 4000)
    throw invalid(
      ['components'],
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      'Total displayable text size of components is limited to 4000',
    );
};

const textInput = z.object({
  type: z.literal(4),
  id,
  custom_id: customId,
  style: z.literal([1, 2]),
  label: text(45, 1).nullish(),
  value: text(4000).nullish(),
  placeholder: text(100).nullish(),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
  required: z.boolean().nullish(),
});
const inputRow = z.object({
  type: z.literal(1),
  id,
  components: list(
    rule(textInput, 'BASE_TYPE_REQUIRED', 'A label is required', (it) => it.label != null),
    1,
    1,
  ),
});
const upload = z.object({
  type: z.literal(19),
  id,
  custom_id: customId,
  min_values: z.int().min(0).max(10).nullish(),
  max_values: z.int().min(1).max(10).nullish(),
  required: z.boolean().nullish(),
});
const label = z.object({
  type: z.literal(18),
  id,
  label: text(45, 1),
  description: text(100).nullish(),
  component: z.discriminatedUnion('type', [textInput, stringSelect, otherSelect, upload]),
});

/** A dialog of up to five inputs. */
export const modalSchema = z.object({
  custom_id: customId,
  title: text(45, 1),
  components: list(z.discriminatedUnion('type', [inputRow, label, textDisplay]), 5, 1),
});
