import { linesOf, normalise } from '../../model/normalise-rich-text.ts';
import {
  code,
  codeBlock,
  link,
  paragraph,
  text,
  type Block,
  type Inline,
  type RichText,
} from '../../model/rich-text.ts';
import { asText, equal, map, mapBlocks, mapInline, mapRows } from '../../model/walk-rich-text.ts';

const spacesBefore = /^[^\S\n]+/;

/** A text's trailing spaces, line breaks excepted. */
const withoutSpacesAfter = (written: string): string => {
  const kept = written.trimEnd();
  const lost = written.slice(kept.length);
  return kept + lost.slice(0, lost.lastIndexOf('\n') + 1);
};

const tidyRow = (row: readonly Inline[]): readonly Inline[] => {
  const inner = mapInline(row, (node) =>
    node.kind === 'text' && node.text.includes('\n') ? text(linesOf(node.text).join('\n')) : node,
  );
  const [first] = inner;
  const begun = first?.kind === 'text' ? text(first.text.replace(spacesBefore, '')) : first;
  const last = inner.length === 1 ? begun : inner.at(-1);
  const ended = last?.kind === 'text' ? text(withoutSpacesAfter(last.text)) : last;
  if (!begun || !ended) return inner;
  const result = inner.length === 1 ? [ended] : [begun, ...inner.slice(1, -1), ended];
  return equal(result, row) ? row : result;
};

/** The tree with no white space at the beginning and end of lines, where Markdown gives it meaning. */
export const withTidyLines = (tree: RichText): RichText => mapRows(tree, tidyRow);

const held = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind === 'underline') return node.children;
  if (node.kind === 'mention' || node.kind === 'emoji' || node.kind === 'timestamp')
    return asText(node);
  if (node.kind === 'link') return node.noPreview ? link(node.url, ...node.children) : node;
  return node.kind === 'code' && node.text.includes('\n')
    ? code(node.text.replaceAll('\n', ' '))
    : node;
};

const heldBlock = (block: Block): Block => {
  if (block.kind === 'subtext') return paragraph(...block.children);
  return block.kind === 'code-block' && block.spoiler
    ? codeBlock(block.text, block.language)
    : block;
};

/**
 * Reduces a tree to what Markdown can hold: mentions, custom emoji and timestamps become words,
 * nothing is underlined or small, no link is without a preview, code blocks are not hidden, and
 * lines have no white space around them.
 */
export const reduceMarkdown = (tree: RichText): RichText =>
  normalise(withTidyLines(normalise(map(mapBlocks(normalise(tree), heldBlock), held))));
