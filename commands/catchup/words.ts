import { excerptRow, listOf, quotedWords, rowChars, shorten } from '../../src/command/helpers.ts';
import type { Message } from '../../src/model/message.ts';
import {
  codeBlock,
  paragraph,
  type Block,
  type CodeBlock,
  type Inline,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { grouped, plainText } from '../../src/rich-text/walk.ts';
import type { ReadingContext } from './reading.ts';

/** UTF-16 units of the name of a file or sticker. */
const NAME_CHARS = 32;
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

/** Names what a message shows beside its words, in parentheses; empty where that is nothing. */
export const mediaOf = (
  { files, stickers }: Message,
  { label, locale }: ReadingContext,
): string => {
  const voice = files.filter((file) => file.voice);
  const pictures = files.filter(({ mediaType }) => mediaType.startsWith('image/'));
  const others = files.filter((file) => !voice.includes(file) && !pictures.includes(file));
  const kinds = [
    ['catchup.pictures', pictures],
    ['catchup.recordings', voice],
    ['catchup.files', others],
    ['catchup.stickers', stickers],
  ] as const;
  const named = kinds.flatMap(([key, [first, ...rest]]) =>
    first ? label(key, { count: rest.length + 1, name: quotedWords(first.name, NAME_CHARS) }) : [],
  );
  return named.length === 0 ? '' : `(${plainText(listOf(named, locale))})`;
};
