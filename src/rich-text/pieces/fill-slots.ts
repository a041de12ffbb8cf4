import { onlyRow, row, type RichPart } from '../compose.ts';
import { normalise } from '../normalise.ts';
import { text, type Inline, type RichText } from '../rich-text.ts';
import { mapBlocks, mapInline, mapRows, plainInline, plainText } from '../walk.ts';
import { PLAIN_LINE, toPieces } from './pieces.ts';
import { TreeBuilder } from './tree-builder.ts';

/** Placeholder of a value in text and code; a private-use character. */
export const SLOT = '\uE000';

export const plainValue = (value: RichPart): string => {
  if (typeof value === 'string') return value;
  return 'kind' in value ? plainInline([value]) : plainText(value);
};

const leadingBlanks = /^[^\S\n]+/;

/** True for a tree whose blocks stand on lines of their own. */
const hasBlocks = (value: RichPart): value is RichText =>
  Array.isArray(value) && onlyRow(value as RichText) === undefined;

/** Puts trees into the slots that are left, each on lines of its own. */
const withTrees = (tree: RichText, trees: readonly RichText[]): RichText => {
  const { pieces, pairs } = toPieces(tree);
  const all = [...pairs];
  const parts = trees.map((each) => {
    const part = toPieces(each);
    const from = all.length;
    all.push(...part.pairs);
    return part.pieces.map((piece) =>
      'pair' in piece ? { ...piece, pair: piece.pair + from } : piece,
    );
  });
  const builder = new TreeBuilder(all);
  for (const piece of pieces)
    if (piece.kind !== 'text' || !piece.text.includes(SLOT)) builder.piece(piece);
    else
      for (const [index, words] of piece.text.split(SLOT).entries()) {
        const part = index > 0 ? parts.shift() : undefined;
        for (const each of part ?? []) builder.piece(each);
        // After blocks the sentence continues on a line of its own.
        if (part && !words.startsWith('\n')) builder.line(PLAIN_LINE);
        builder.text(part ? words.replace(leadingBlanks, '') : words);
      }
  return builder.build();
};

/**
 * Fills a tree's slots with values, in order: words, nodes, or trees, whose blocks stand on lines of
 * their own. Values keep their meaning: words never become markup, a mention or a link, and what
 * encloses a slot continues after it.
 */
export const fillSlots = (tree: RichText, values: readonly RichPart[]): RichText => {
  const rest = [...values];
  const trees: RichText[] = [];
  const take = (): RichPart => {
    const value = rest.shift() ?? '';
    return typeof value === 'string' ? value.replaceAll(SLOT, '') : value;
  };
  const plain = (written: string): string => written.replaceAll(SLOT, () => plainValue(take()));
  const filledRow = (written: string): readonly Inline[] =>
    written.split(SLOT).flatMap((words, index): readonly Inline[] => {
      if (index === 0) return [text(words)];
      const value = take();
      if (!hasBlocks(value)) return [...row(value), text(words)];
      trees.push(value);
      return [text(SLOT + words)];
    });
  const fill = (node: Inline): Inline | readonly Inline[] => {
    if (!('text' in node) || !node.text.includes(SLOT)) return node;
    return node.kind === 'code' ? { ...node, text: plain(node.text) } : filledRow(node.text);
  };
  const filled = mapBlocks(tree, (block) => {
    if (block.kind === 'code-block') return { ...block, text: plain(block.text) };
    return block.kind === 'quote' ? block : mapRows([block], (each) => mapInline(each, fill));
  });
  const whole = normalise(filled);
  return trees.length === 0 ? whole : withTrees(whole, trees);
};
