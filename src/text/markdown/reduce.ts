import { normalise } from '../../model/normalise-rich-text.ts';
import type { Block, Inline, RichText } from '../../model/rich-text.ts';
import { asText, equal, map } from '../../model/walk-rich-text.ts';
import { withTidyLines } from './tidy-lines.ts';

const held = (node: Inline): readonly Inline[] => {
  switch (node.kind) {
    case 'underline':
      return node.children;
    case 'mention':
    case 'emoji':
    case 'timestamp':
      return [asText(node)];
    case 'code':
      return [{ ...node, text: node.text.replaceAll('\n', ' ') }];
    case 'link':
      return [{ kind: 'link', url: node.url, children: node.children }];
    default:
      return [node];
  }
};

const heldBlock = (block: Block): Block => {
  switch (block.kind) {
    case 'subtext':
      return { kind: 'paragraph', children: block.children };
    case 'quote':
      return { ...block, children: block.children.map(heldBlock) };
    case 'code-block': {
      const { kind, text, language } = block;
      return language === undefined ? { kind, text } : { kind, text, language };
    }
    default:
      return block;
  }
};

/**
 * The tree that Markdown can hold of a tree: mentions, custom emoji and timestamps are words, nothing
 * is underlined or small, no link is without a preview, code blocks are not hidden, and lines have no
 * white space around them.
 */
export const reduceMarkdown = (tree: RichText): RichText =>
  normalise(withTidyLines(normalise(map(normalise(tree).map(heldBlock), held))));

/** True when Markdown shows a tree as it is. */
export const markdownHolds = (tree: RichText): boolean =>
  equal(normalise(tree), reduceMarkdown(tree));
