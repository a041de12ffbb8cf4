import { linesOf, normalise } from '../normalise.ts';
import {
  code,
  codeBlock,
  link,
  paragraph,
  text,
  type Block,
  type Inline,
  type RichText,
  type Text,
} from '../rich-text.ts';
import { withoutSpacesAfter } from '../../text/unicode.ts';
import { asText, map, mapBlocks, mapInline, mapRows } from '../walk.ts';

const spacesBefore = /^[^\S\n]+/;

const withWords = (node: Text, words: string): Text => (words === node.text ? node : text(words));

const tidyRow = (row: readonly Inline[]): readonly Inline[] => {
  const inner = mapInline(row, (node) =>
    node.kind === 'text' && node.text.includes('\n')
      ? withWords(node, linesOf(node.text).join('\n'))
      : node,
  );
  const result = inner.map((node, at) => {
    if (node.kind !== 'text') return node;
    const begun = at === 0 ? node.text.replace(spacesBefore, '') : node.text;
    return withWords(node, at === inner.length - 1 ? withoutSpacesAfter(begun) : begun);
  });
  return result.every((node, at) => node === row[at]) ? row : result;
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
