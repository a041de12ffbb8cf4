import {
  paragraph,
  text,
  type CodeBlock,
  type Inline,
  type Paragraph,
} from '../../model/rich-text.ts';
import type { Loose } from './inline-stack.ts';

type Piece = CodeBlock | Loose[];

const holdsBlock = (node: Loose): boolean =>
  node.kind === 'code-block' || ('children' in node && node.children.some(holdsBlock));

/** Cuts a row at its code blocks, which are taken out of the styles around them. */
const cut = (nodes: readonly Loose[], hidden: boolean): Piece[] => {
  const pieces: Piece[] = [];
  const words = (node: Loose): void => {
    const last = pieces.at(-1);
    if (Array.isArray(last)) last.push(node);
    else pieces.push([node]);
  };
  for (const node of nodes) {
    if (node.kind === 'code-block') pieces.push(hidden ? { ...node, spoiler: true } : node);
    else if (!('children' in node) || !holdsBlock(node)) words(node);
    else
      for (const piece of cut(node.children, hidden || node.kind === 'spoiler'))
        if (Array.isArray(piece)) words({ ...node, children: piece as Inline[] });
        else pieces.push(piece);
  }
  return pieces;
};

const spaceAfter = /^[^\S\n]*\n?/;

/** The row without the spaces and the line break at its beginning. */
const afterBlock = (row: readonly Loose[]): { row: readonly Loose[]; broke: boolean } => {
  const [first, ...rest] = row;
  if (!first) return { row, broke: false };
  if (first.kind === 'text') {
    const found = spaceAfter.exec(first.text)?.[0] ?? '';
    const broke = found.endsWith('\n');
    const kept = first.text.slice(found.length);
    if (kept !== '') return { row: [text(kept), ...rest], broke };
    return broke ? { row: rest, broke } : afterBlock(rest);
  }
  if (!('children' in first) || first.children.length === 0) return { row, broke: false };
  const inner = afterBlock(first.children);
  return { row: [{ ...first, children: inner.row as Inline[] }, ...rest], broke: inner.broke };
};

const beforeBlock = (row: readonly Loose[]): { row: readonly Loose[]; broke: boolean } => {
  const last = row.at(-1);
  const rest = row.slice(0, -1);
  if (!last) return { row, broke: false };
  if (last.kind === 'text') {
    const broke =
      last.text.trimEnd().length < last.text.length && /\n[^\S\n]*$/.test(tail(last.text));
    const kept = broke ? last.text.slice(0, last.text.lastIndexOf('\n')) : last.text.trimEnd();
    if (kept !== '') return { row: [...rest, text(kept)], broke };
    return broke ? { row: rest, broke } : beforeBlock(rest);
  }
  if (!('children' in last) || last.children.length === 0) return { row, broke: false };
  const inner = beforeBlock(last.children);
  return { row: [...rest, { ...last, children: inner.row as Inline[] }], broke: inner.broke };
};

/** The white space at a text's end. */
const tail = (written: string): string => written.slice(written.trimEnd().length);

const isNothing = (node: Loose): boolean =>
  node.kind === 'text'
    ? node.text === ''
    : 'children' in node && node.kind !== 'link' && node.children.every(isNothing);

/** Blocks of a row that contains code blocks: these stand alone, all else becomes paragraphs. */
export const splitCode = (row: readonly Loose[]): readonly (CodeBlock | Paragraph)[] => {
  const pieces = cut(row, false);
  return pieces.flatMap((piece, index): readonly (CodeBlock | Paragraph)[] => {
    if (!Array.isArray(piece)) return [piece];
    let words: readonly Loose[] = piece;
    let broke = false;
    if (index > 0) ({ row: words, broke } = afterBlock(words));
    if (index < pieces.length - 1) {
      const isEmpty = words.every(isNothing);
      if (isEmpty) return [];
      ({ row: words, broke } = beforeBlock(words));
    }
    return !broke && words.every(isNothing) ? [] : [paragraph(...(words as Inline[]))];
  });
};
