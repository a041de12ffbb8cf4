import { normalise } from '../../../src/model/normalise-rich-text.ts';
import { emoji, mention, styled, text } from '../../../src/model/rich-text.ts';
import type { Block, Inline, Mention, RichText } from '../../../src/model/rich-text.ts';
import { asText, equal, map, plainInline } from '../../../src/model/walk-rich-text.ts';
import { isSecond } from './dates.ts';
import { isKnownEmoji, isKnownMention, PLATFORM } from './ids.ts';

export interface SlackOptions {
  /** True for a mention that may be one, and may notify; without it every mention is its name. */
  readonly live?: (mention: Mention) => boolean;
}

const held =
  ({ live }: SlackOptions) =>
  (node: Inline): readonly Inline[] => {
    switch (node.kind) {
      case 'mention':
        return [
          isKnownMention(node) && live?.(node)
            ? mention(PLATFORM, node.target, node.id)
            : asText(node),
        ];
      case 'emoji':
        return [isKnownEmoji(node) ? emoji(PLATFORM, node.name, node.name) : asText(node)];
      case 'timestamp':
        return isSecond(node.seconds) ? [node] : [];
      case 'code':
        return [{ ...node, text: node.text.replaceAll('\n', ' ') }];
      case 'link': {
        const label = plainInline(node.children);
        return [{ kind: 'link', url: node.url, children: label === '' ? [] : [text(label)] }];
      }
      case 'spoiler':
        return [text('||'), ...node.children, text('||')];
      default:
        return [node];
    }
  };

const heldBlocks = (blocks: readonly Block[], inQuote = false): readonly Block[] =>
  blocks.flatMap((block): readonly Block[] => {
    switch (block.kind) {
      case 'heading':
        return [{ kind: 'paragraph', children: [styled('bold', ...block.children)] }];
      case 'subtext':
        return [{ kind: 'paragraph', children: block.children }];
      case 'code-block':
        return [{ kind: 'code-block', text: block.text }];
      case 'quote': {
        const children = heldBlocks(block.children, true);
        return inQuote ? children : [{ kind: 'quote', children }];
      }
      case 'list':
      case 'paragraph':
        return [block];
    }
  });

/**
 * The tree that Slack's `rich_text` can hold of a tree: mentions and custom emoji of other platforms,
 * and mentions that are not to be live, are their names; headings are bold lines, small lines plain
 * ones; spoilers keep their marks and are not hidden; labels have no markup; code has no language;
 * quotes have no depth.
 */
export const reduceSlack = (tree: RichText, options: SlackOptions = {}): RichText =>
  normalise(map(heldBlocks(normalise(tree)), held(options)));

/** True when Slack shows a tree as it is. */
export const slackHolds = (tree: RichText, options: SlackOptions = {}): boolean =>
  equal(normalise(tree), reduceSlack(tree, options));
