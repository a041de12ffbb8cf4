import { normalise } from '../../model/normalise-rich-text.ts';
import {
  code,
  codeBlock,
  link,
  type Block,
  type Inline,
  type RichText,
} from '../../model/rich-text.ts';
import { asText, equal, map } from '../../model/walk-rich-text.ts';
import { withTidyLines } from './tidy-lines.ts';

const held = (node: Inline): Inline | readonly Inline[] => {
  switch (node.kind) {
    case 'underline':
      return node.children;
    case 'mention':
    case 'emoji':
    case 'timestamp':
      return asText(node);
    case 'code':
      return node.text.includes('\n') ? code(node.text.replaceAll('\n', ' ')) : node;
    case 'link':
      return node.noPreview ? link(node.url, ...node.children) : node;
    case 'text':
    case 'bold':
    case 'italic':
    case 'strike':
    case 'spoiler':
      return node;
  }
};

const isHeld = (block: Block): boolean => {
  if (block.kind === 'quote') return block.children.every(isHeld);
  return block.kind === 'code-block' ? !block.spoiler : block.kind !== 'subtext';
};

const heldBlock = (block: Block): Block => {
  switch (block.kind) {
    case 'subtext':
      return { kind: 'paragraph', children: block.children };
    case 'quote':
      return { ...block, children: block.children.map(heldBlock) };
    case 'code-block':
      return codeBlock(block.text, block.language);
    case 'paragraph':
    case 'heading':
    case 'list':
      return block;
  }
};

const heldBlocks = (tree: RichText): RichText => (tree.every(isHeld) ? tree : tree.map(heldBlock));

/**
 * Reduces a tree to what Markdown can hold: mentions, custom emoji and timestamps become words,
 * nothing is underlined or small, no link is without a preview, code blocks are not hidden, and
 * lines have no white space around them.
 */
export const reduceMarkdown = (tree: RichText): RichText =>
  normalise(withTidyLines(normalise(map(heldBlocks(normalise(tree)), held))));

/** True when Markdown can show a tree unchanged. */
export const markdownHolds = (tree: RichText): boolean =>
  equal(normalise(tree), reduceMarkdown(tree));
