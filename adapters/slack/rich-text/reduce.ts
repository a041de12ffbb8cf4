import { normalise } from '../../../src/model/normalise-rich-text.ts';
import {
  code,
  codeBlock,
  emoji,
  link,
  mention,
  styled,
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type Link,
  type Mention,
  type RichText,
} from '../../../src/model/rich-text.ts';
import { asText, equal, map, plainInline } from '../../../src/model/walk-rich-text.ts';
import { isSecond } from './dates.ts';
import { isKnownEmoji, isKnownMention, PLATFORM } from './ids.ts';

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

const held =
  (options: SlackOptions) =>
  (node: Inline): Inline | readonly Inline[] => {
    switch (node.kind) {
      case 'mention':
        return mentionOf(node, options);
      case 'emoji':
        return emojiOf(node);
      case 'timestamp':
        return isSecond(node.seconds) ? node : [];
      case 'code':
        return node.text.includes('\n') ? code(node.text.replaceAll('\n', ' ')) : node;
      case 'link':
        return linkOf(node);
      case 'spoiler':
        return [text('||'), ...node.children, text('||')];
      case 'text':
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
        return node;
    }
  };

const isHeld = (block: Block): boolean =>
  block.kind === 'list' ||
  block.kind === 'paragraph' ||
  (block.kind === 'code-block' && block.language === undefined && !block.spoiler);

const heldBlock = (block: Block): readonly Block[] => {
  switch (block.kind) {
    case 'heading':
      return [{ kind: 'paragraph', children: [styled('bold', ...block.children)] }];
    case 'subtext':
      return [{ kind: 'paragraph', children: block.children }];
    case 'code-block':
      return [codeBlock(block.text)];
    case 'quote':
      return [{ kind: 'quote', children: unquoted(block.children) }];
    case 'list':
    case 'paragraph':
      return [block];
  }
};

const unquoted = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => (block.kind === 'quote' ? unquoted(block.children) : heldBlock(block)));

const heldBlocks = (tree: RichText): RichText =>
  tree.every(isHeld) ? tree : tree.flatMap(heldBlock);

/**
 * Reduces a tree to what Slack's `rich_text` can hold: mentions and custom emoji of other
 * platforms, and mentions that are not `live`, become their names; headings are bold lines, small
 * lines plain ones; spoilers keep their markers and are not hidden; labels have no markup; code has
 * no language; quotes have no depth.
 */
export const reduceSlack = (tree: RichText, options: SlackOptions = {}): RichText =>
  normalise(map(heldBlocks(normalise(tree)), held(options)));

/** True when Slack can show a tree unchanged. */
export const slackHolds = (tree: RichText, options: SlackOptions = {}): boolean =>
  equal(normalise(tree), reduceSlack(tree, options));
