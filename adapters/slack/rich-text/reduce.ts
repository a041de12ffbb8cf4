import { normalise } from '../../../src/model/normalise-rich-text.ts';
import {
  code,
  codeBlock,
  emoji,
  isSecond,
  link,
  mention,
  paragraph,
  styled,
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type Link,
  type Mention,
  type RichText,
} from '../../../src/model/rich-text.ts';
import {
  asText,
  flatQuote,
  map,
  mapBlocks,
  plainInline,
} from '../../../src/model/walk-rich-text.ts';
import { isKnownEmoji, isKnownMention, PLATFORM } from './atoms.ts';

export interface SlackOptions {
  /** True for a mention that may notify; others, and all of them by default, become their names. */
  readonly live?: (mention: Mention) => boolean;
}

const mentionOf = (node: Mention, { live }: SlackOptions): Inline => {
  if (!isKnownMention(node) || !live?.(node)) return asText(node);
  return node.name === undefined ? node : mention(PLATFORM, node.target, node.id);
};

const emojiOf = (node: CustomEmoji): Inline => {
  if (!isKnownEmoji(node)) return asText(node);
  return node.id === node.name && !node.animated ? node : emoji(PLATFORM, node.name, node.name);
};

const linkOf = (node: Link): Inline => {
  const [label] = node.children;
  if (!node.noPreview && node.children.length < 2 && (!label || label.kind === 'text')) return node;
  return label ? link(node.url, text(plainInline(node.children))) : link(node.url);
};

const held = (node: Inline, options: SlackOptions): Inline | readonly Inline[] => {
  if (node.kind === 'mention') return mentionOf(node, options);
  if (node.kind === 'emoji') return emojiOf(node);
  if (node.kind === 'timestamp') return isSecond(node.seconds) ? node : [];
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

/**
 * Reduces a tree to what Slack's `rich_text` can hold: mentions and custom emoji of other
 * platforms, and mentions that are not `live`, become their names; headings are bold lines, small
 * lines plain ones; spoilers keep their markers and are not hidden; labels have no markup; code has
 * no language; quotes have no depth.
 */
export const reduceSlack = (tree: RichText, options: SlackOptions = {}): RichText =>
  normalise(map(mapBlocks(normalise(tree), heldBlock), (node) => held(node, options)));
