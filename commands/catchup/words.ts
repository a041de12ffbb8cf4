import { excerptRow, rowChars, shorten } from '../../src/command/helpers.ts';
import {
  codeBlock,
  paragraph,
  type Block,
  type CodeBlock,
  type Inline,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { grouped } from '../../src/rich-text/walk.ts';

/** Lines of code that are shown of one block. */
const CODE_LINES = 8;

/** The beginning of a message: words for one row, and below that its blocks of code with what stands after them. */
export interface Beginning {
  readonly row: readonly Inline[];
  readonly below: readonly Block[];
  /** The UTF-16 units of both. */
  readonly chars: number;
}

/** True for a block of code that anybody may see at once. */
export const isCode = (block: Block): block is CodeBlock =>
  block.kind === 'code-block' && !block.spoiler;

const shortCode = ({ text, language }: CodeBlock, chars: number): CodeBlock => {
  const kept = text.split('\n').slice(0, CODE_LINES).join('\n');
  const isCut = kept.length < text.length;
  return codeBlock(shorten(isCut ? `${kept}\n…` : kept, chars), language);
};

/** Cuts a message: at most `chars` UTF-16 units, as `excerptRow` counts. */
export const beginningOf = (tree: RichText, chars: number, locale: string): Beginning => {
  let row: readonly Inline[] = [];
  const below: Block[] = [];
  let left = chars;
  for (const group of grouped(tree, (block) => (isCode(block) ? block : 'words'))) {
    const [first] = group;
    if (left <= 0) break;
    if (isCode(first)) {
      const shown = shortCode(first, left);
      below.push(shown);
      left -= shown.text.length;
    } else {
      const words = excerptRow(group, left, { locale });
      left -= rowChars(words);
      if (below.length === 0) row = words;
      else if (rowChars(words) > 0) below.push(paragraph(...words));
    }
  }
  return { row, below, chars: chars - left };
};
