import { reduceTo, type PlatformRules, type ReduceOptions } from '../../../src/rich-text/reduce.ts';
import {
  code,
  codeBlock,
  emoji,
  link,
  paragraph,
  styled,
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type Link,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { flatQuote, plainInline } from '../../../src/rich-text/walk.ts';
import { isKnownEmoji, isKnownMention, PLATFORM } from './atoms.ts';

const emojiOf = (node: CustomEmoji): CustomEmoji =>
  node.id === node.name && !node.animated ? node : emoji(PLATFORM, node.name, node.name);

const linkOf = (node: Link): Inline => {
  const [label] = node.children;
  if (!node.noPreview && node.children.length < 2 && (!label || label.kind === 'text')) return node;
  return label ? link(node.url, text(plainInline(node.children))) : link(node.url);
};

const held = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind === 'emoji') return emojiOf(node);
  if (node.kind === 'link') return linkOf(node);
  if (node.kind === 'spoiler') return [text('||'), ...node.children, text('||')];
  return node.kind === 'code' && node.text.includes('\n')
    ? code(node.text.replaceAll('\n', ' '))
    : node;
};

const heldBlock = (block: Block): Block => {
  if (block.kind === 'heading') return paragraph(styled('bold', ...block.children));
  if (block.kind === 'subtext') return paragraph(...block.children);
  if (block.kind === 'quote') return flatQuote(block);
  return block.kind === 'code-block' && (block.language !== undefined || block.spoiler)
    ? codeBlock(block.text)
    : block;
};

const rules: PlatformRules = {
  knowsMention: isKnownMention,
  knowsEmoji: isKnownEmoji,
  block: heldBlock,
  inline: held,
};

/**
 * Reduces a tree to what Slack's `rich_text` can hold: besides what is true of any platform, headings
 * are bold lines, small lines plain ones; spoilers keep their markers and are not hidden; labels have
 * no markup; code has no language; quotes have no depth.
 */
export const reduceSlack = (tree: RichText, options: ReduceOptions = {}): RichText =>
  reduceTo(rules, tree, options);
