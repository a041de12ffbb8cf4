import { z } from 'zod';

/**
 * The texts and elements of Block Kit as Slack checks them (docs.slack.dev, "Block Kit" reference): unknown
 * fields, wrong types and every stated limit are refused.
 */

export const chars = (max: number, min = 1) => z.string().min(min).max(max);

export const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: chars(max),
    emoji: z.boolean().optional(),
  });
const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: chars(max), verbatim: z.boolean().optional() });
export const anyText = (max: number) => z.union([plainText(max), mrkdwn(max)]);

export const id = chars(255);
const url = chars(3_000).regex(/^https?:\/\/\S+$/i, 'invalid url');
const address = chars(3_000).regex(/^(?:https?:\/\/|mailto:|tel:|slack:)\S+$/i, 'invalid url');
const style = z
  .strictObject(
    Object.fromEntries(
      ['bold', 'italic', 'strike', 'code', 'underline'].map((name) => [
        name,
        z.boolean().optional(),
      ]),
    ),
  )
  .optional();

const element = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().min(1), style }),
  z.strictObject({
    type: z.literal('link'),
    url: address,
    text: chars(3_000).optional(),
    unsafe: z.boolean().optional(),
    style,
  }),
  z.strictObject({ type: z.literal('user'), user_id: chars(32), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: chars(32), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: chars(32), style }),
  z.strictObject({
    type: z.literal('emoji'),
    name: chars(100),
    unicode: z.string().optional(),
    skin_tone: z.number().int().min(2).max(6).optional(),
    style,
  }),
  z.strictObject({
    type: z.literal('broadcast'),
    range: z.enum(['here', 'channel', 'everyone']),
    style,
  }),
  z.strictObject({ type: z.literal('color'), value: z.string().regex(/^#[\dA-Fa-f]{6}$/), style }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.number().int(),
    format: chars(255).regex(/\{/, 'invalid format'),
    url: address.optional(),
    fallback: chars(255).optional(),
    style,
  }),
]);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const section = z.strictObject({
  type: z.literal('rich_text_section'),
  elements: z.array(element),
});
export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: id.optional(),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section).min(1),
          indent: z.number().int().min(0).max(8).optional(),
          offset: z.number().int().min(0).optional(),
          border,
        }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(element), border }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(
            element.refine(({ type }) => type === 'text' || type === 'link', 'invalid element'),
          ),
          language: z.string().optional(),
          border,
        }),
      ]),
    )
    .min(1),
});

const option = z.strictObject({
  text: anyText(75),
  value: chars(150),
  description: anyText(75).optional(),
});
const confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});
const actionable = { action_id: id.optional(), confirm: confirm.optional() };
const inputting = { placeholder: plainText(150).optional(), focus_on_load: z.boolean().optional() };
const options = z.array(option).min(1).max(100);
const groups = z
  .array(z.strictObject({ label: plainText(75), options }))
  .min(1)
  .max(100);
const most = z.number().int().min(1).optional();
const filter = z
  .strictObject({
    include: z
      .array(z.enum(['im', 'mpim', 'private', 'public']))
      .min(1)
      .optional(),
    exclude_external_shared_channels: z.boolean().optional(),
    exclude_bot_users: z.boolean().optional(),
  })
  .optional();

const select = (name: string, own: z.core.$ZodLooseShape, multiple: z.core.$ZodLooseShape) => [
  z.strictObject({
    type: z.literal(`${name}_select`),
    ...actionable,
    ...inputting,
    ...own,
  }),
  z.strictObject({
    type: z.literal(`multi_${name}_select`),
    ...actionable,
    ...inputting,
    ...multiple,
    max_selected_items: most,
  }),
];

const staticOptions = { options: options.optional(), option_groups: groups.optional() };
export const selects = [
  ...select(
    'static',
    { ...staticOptions, initial_option: option.optional() },
    { ...staticOptions, initial_options: z.array(option).min(1).max(100).optional() },
  ),
  ...select(
    'external',
    { initial_option: option.optional(), min_query_length: z.number().int().optional() },
    {
      initial_options: z.array(option).min(1).max(100).optional(),
      min_query_length: z.number().int().optional(),
    },
  ),
  ...select(
    'users',
    { initial_user: chars(32).optional() },
    { initial_users: z.array(chars(32)).optional() },
  ),
  ...select(
    'conversations',
    {
      initial_conversation: chars(32).optional(),
      default_to_current_conversation: z.boolean().optional(),
      filter,
      response_url_enabled: z.boolean().optional(),
    },
    {
      initial_conversations: z.array(chars(32)).optional(),
      default_to_current_conversation: z.boolean().optional(),
      filter,
    },
  ),
  ...select(
    'channels',
    { initial_channel: chars(32).optional(), response_url_enabled: z.boolean().optional() },
    { initial_channels: z.array(chars(32)).optional() },
  ),
];

export const button = z.strictObject({
  type: z.literal('button'),
  ...actionable,
  text: plainText(75),
  value: chars(2_000).optional(),
  url: url.optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: chars(75).optional(),
});
export const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...actionable,
  options: z
    .array(option.extend({ url: url.optional() }))
    .min(1)
    .max(5),
});
const checks = {
  ...actionable,
  options: z.array(option).min(1).max(10),
  focus_on_load: z.boolean().optional(),
};
export const checkboxes = z.strictObject({
  type: z.literal('checkboxes'),
  ...checks,
  initial_options: z.array(option).min(1).optional(),
});
export const radio = z.strictObject({
  type: z.literal('radio_buttons'),
  ...checks,
  initial_option: option.optional(),
});
export const picture = {
  alt_text: chars(2_000),
  image_url: url.optional(),
  slack_file: z.strictObject({ id: z.string().optional(), url: z.string().optional() }).optional(),
};
export const image = z.strictObject({ type: z.literal('image'), ...picture });
const typed = {
  action_id: id.optional(),
  ...inputting,
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).optional(),
    })
    .optional(),
};
const inputs = [
  z.strictObject({
    type: z.literal('plain_text_input'),
    ...typed,
    initial_value: z.string().max(3_000).optional(),
    multiline: z.boolean().optional(),
    min_length: z.number().int().min(0).max(3_000).optional(),
    max_length: z.number().int().min(1).max(3_000).optional(),
  }),
  z.strictObject({
    type: z.literal('rich_text_input'),
    ...typed,
    initial_value: richText.optional(),
  }),
  z.strictObject({
    type: z.literal('number_input'),
    ...typed,
    is_decimal_allowed: z.boolean(),
    initial_value: z.string().optional(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('file_input'),
    action_id: id.optional(),
    filetypes: z.array(z.string()).min(1).optional(),
    max_files: z.number().int().min(1).max(10).optional(),
  }),
];

export const actionElements = z.union([button, overflow, checkboxes, radio, ...selects]);
export const inputElements = z.union([...inputs, checkboxes, radio, ...selects]);
