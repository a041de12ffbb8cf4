import type { Block, CodeBlock, List, RichText } from '../../model/rich-text.ts';
import { isTame, writeRow, type RowDialect } from './write-rows.ts';

/** Rules of a dialect for writing blocks. */
export interface BlockWriting {
  readonly row: RowDialect;
  readonly codeBlock: (block: CodeBlock) => string;
}

interface Writing extends BlockWriting {
  readonly tame: boolean;
}

const isListTame = ({ items }: List): boolean =>
  items.every(({ children, lists }) => isTame(children) && lists.every(isListTame));

const isBlockTame = (block: Block): boolean => {
  switch (block.kind) {
    case 'code-block':
      return false;
    case 'list':
      return isListTame(block);
    case 'quote':
      return block.children.every(isBlockTame);
    case 'paragraph':
    case 'heading':
    case 'subtext':
      return isTame(block.children);
  }
};

const writeList = (list: List, writing: Writing, indent: string): readonly string[] =>
  list.items.flatMap(({ children, lists }, index) => {
    const marker = list.start === undefined ? '- ' : `${list.start + index}. `;
    const within = indent + ' '.repeat(marker.length);
    const words = writeRow(children, writing.row, writing.tame).replaceAll('\n', `\n${within}`);
    return [
      `${indent}${marker}${words}`,
      ...lists.flatMap((inner) => writeList(inner, writing, within)),
    ];
  });

const writeBlock = (block: Block, writing: Writing): string => {
  switch (block.kind) {
    case 'paragraph':
      return writeRow(block.children, writing.row, writing.tame);
    case 'heading':
      return `${'#'.repeat(block.level)} ${writeRow(block.children, writing.row, writing.tame)}`;
    case 'subtext':
      return `-# ${writeRow(block.children, writing.row, writing.tame)}`;
    case 'code-block':
      return writing.codeBlock(block);
    case 'list':
      return writeList(block, writing, '').join('\n');
    case 'quote':
      return `> ${writeAll(block.children, writing).replaceAll('\n', '\n> ')}`;
  }
};

const writeAll = (blocks: readonly Block[], writing: Writing): string =>
  blocks.map((block) => writeBlock(block, writing)).join('\n');

/** Writes a tree that the dialect can hold, each block on lines of its own. */
export const writeBlocks = (tree: RichText, writing: BlockWriting): string =>
  writeAll(tree, { ...writing, tame: tree.every(isBlockTame) });
