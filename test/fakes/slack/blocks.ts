import { z } from 'zod';
import {
  chars,
  plainText,
  anyText,
  id,
  richText,
  button,
  overflow,
  checkboxes,
  radio,
  picture,
  image,
  selects,
  actionElements,
  inputElements,
} from './block-elements.ts';
import { invalid } from './errors.ts';
import type { Json } from './json.ts';

/**
 * The blocks of Block Kit as Slack checks them (docs.slack.dev, "Block Kit" reference): unknown fields, wrong
 * types and every stated limit are refused.
 */

const block_id = id.optional();

const common = [
  richText,
  z
    .strictObject({
      type: z.literal('section'),
      block_id,
      text: anyText(3_000).optional(),
      fields: z.array(anyText(2_000)).min(1).max(10).optional(),
      accessory: z.union([button, overflow, image, checkboxes, radio, ...selects]).optional(),
      expand: z.boolean().optional(),
    })
    .refine(({ text, fields }) => text ?? fields, 'must define either text or fields'),
  z.strictObject({ type: z.literal('header'), block_id, text: plainText(150) }),
  z.strictObject({ type: z.literal('divider'), block_id }),
  z.strictObject({
    type: z.literal('context'),
    block_id,
    elements: z
      .array(z.union([anyText(3_000), image]))
      .min(1)
      .max(10),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id,
    elements: z.array(actionElements).min(1).max(25),
  }),
  z.strictObject({
    type: z.literal('image'),
    block_id,
    ...picture,
    title: plainText(2_000).optional(),
  }),
] as const;

const messageBlocks = z.union([
  ...common,
  z.strictObject({ type: z.literal('markdown'), text: chars(12_000) }),
]);
const viewBlocks = z.union([
  ...common,
  z.strictObject({
    type: z.literal('input'),
    block_id,
    label: plainText(2_000),
    element: inputElements,
    hint: plainText(2_000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
]);

const MESSAGE_BLOCKS = 50;
const VIEW_BLOCKS = 100;
/** Characters of all blocks of a message together; measured, in no page of Slack's. */
const MESSAGE_CHARS = 13_200;
/** Characters of all markdown blocks of a message: "Markdown block". */
const MARKDOWN_CHARS = 12_000;

const messagesOf = (error: z.ZodError, at: string): readonly string[] =>
  error.issues.map(({ message, path }) => `${message} [json-pointer:${at}/${path.join('/')}]`);

const duplicated = (ids: readonly unknown[]): boolean => {
  const known = ids.filter((each) => each !== undefined);
  return new Set(known).size < known.length;
};

/** Every object in a JSON value with a field of this name. */
export const fieldsOf = (value: unknown, name: string): readonly unknown[] => {
  const found: unknown[] = [];
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    if (name in each) found.push((each as Json)[name]);
    for (const part of Object.values(each)) visit(part);
  };
  visit(value);
  return found;
};

const check = (schema: z.ZodType, blocks: readonly unknown[], limit: number): void => {
  const wrong: string[] = [];
  if (blocks.length > limit)
    wrong.push(`no more than ${limit} items allowed [json-pointer:/blocks]`);
  for (const [index, block] of blocks.entries()) {
    const parsed = schema.safeParse(block);
    if (!parsed.success) wrong.push(...messagesOf(parsed.error, `/blocks/${index}`));
  }
  if (duplicated(blocks.map((block) => (block as Json)['block_id'])))
    wrong.push('`block_id` is not unique');
  for (const block of blocks)
    if (duplicated(fieldsOf((block as Json)['elements'], 'action_id')))
      wrong.push('`action_id` is not unique within its block');
  if (wrong.length > 0) throw invalid('invalid_blocks', wrong);
};

/** Throws `invalid_blocks` or `msg_blocks_too_long` for blocks that no message may have. */
export const checkMessageBlocks = (blocks: readonly unknown[]): void => {
  check(messageBlocks, blocks, MESSAGE_BLOCKS);
  const length = (each: readonly unknown[]): number =>
    each.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  if (length(fieldsOf(blocks, 'text')) > MESSAGE_CHARS) throw invalid('msg_blocks_too_long', []);
  const markdown = blocks.filter((block) => (block as Json)['type'] === 'markdown');
  if (length(fieldsOf(markdown, 'text')) > MARKDOWN_CHARS)
    throw invalid('invalid_blocks', ['markdown text exceeds 12000 characters']);
};

const modal = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  blocks: z.array(z.unknown()),
  close: plainText(24).optional(),
  submit: plainText(24).optional(),
  private_metadata: z.string().max(3_000).optional(),
  callback_id: chars(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  external_id: chars(255).optional(),
});
const home = z.strictObject({
  type: z.literal('home'),
  blocks: z.array(z.unknown()),
  private_metadata: z.string().max(3_000).optional(),
  callback_id: chars(255).optional(),
  external_id: chars(255).optional(),
});

/** Throws `invalid_arguments` for a view that Slack would not show. */
export const checkView = (view: unknown, type: 'modal' | 'home'): void => {
  const parsed = (type === 'modal' ? modal : home).safeParse(view);
  if (!parsed.success) throw invalid('invalid_arguments', messagesOf(parsed.error, '/view'));
  const { blocks } = parsed.data;
  check(viewBlocks, blocks, VIEW_BLOCKS);
  const hasInput = blocks.some((block) => (block as Json)['type'] === 'input');
  if (type === 'modal' && hasInput && !('submit' in parsed.data && parsed.data.submit))
    throw invalid('invalid_arguments', ['a modal with an input block must have `submit`']);
};
