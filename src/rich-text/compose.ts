import { normalise } from './normalise.ts';
import {
  item,
  bulleted,
  paragraph,
  text,
  type Block,
  type Inline,
  type ListItem,
  type RichText,
} from './rich-text.ts';

/** A part of a composed text: words (never markup), a node, or a tree. */
export type RichPart = string | Inline | RichText;

const isTree = (part: RichPart): part is RichText => Array.isArray(part);

/** The nodes of a tree that is one paragraph, or empty; undefined for any other. */
export const onlyRow = (tree: RichText): readonly Inline[] | undefined => {
  const [only] = tree;
  if (!only) return [];
  return only.kind === 'paragraph' && tree.length === 1 ? only.children : undefined;
};

/** Parts in one row of a line. Throws for a tree of blocks, which have no place in one. */
export const row = (...parts: readonly RichPart[]): readonly Inline[] =>
  parts.flatMap((part): readonly Inline[] => {
    if (typeof part === 'string') return [text(part)];
    if (!isTree(part)) return [part];
    const nodes = onlyRow(part);
    if (!nodes) throw new Error('A row of text cannot hold blocks');
    return nodes;
  });

/** A part that may be left out: `isOn && part`. */
export type Maybe<Part> = Part | false | undefined;

const present = <Part>(parts: readonly Maybe<Part>[]): Part[] =>
  parts.filter((part): part is Part => part !== undefined && part !== false);

/** Parts in one row with `separator` between them; absent ones are passed over. */
export const joined = (parts: readonly Maybe<RichPart>[], separator: string): readonly Inline[] =>
  present(parts).flatMap((part, index) => (index === 0 ? row(part) : row(separator, part)));

/** Parts in one paragraph. */
export const sentence = (...parts: readonly RichPart[]): RichText =>
  normalise([paragraph(...row(...parts))]);

/** A label in front of a tree: on its first line where that is a paragraph or a small one, otherwise above it. */
export const labelled = (label: readonly Inline[], tree: RichText): RichText => {
  const [first, ...rest] = tree;
  return normalise(
    first?.kind === 'paragraph' || first?.kind === 'subtext'
      ? [{ ...first, children: [...label, text(' '), ...first.children] }, ...rest]
      : [paragraph(...label), ...tree],
  );
};

/** Parts below each other, each on lines of its own; absent ones are passed over. */
export const lines = (...parts: readonly Maybe<RichPart>[]): RichText =>
  normalise(
    present(parts).flatMap((part): readonly Block[] =>
      typeof part !== 'string' && isTree(part) ? part : [paragraph(...row(part))],
    ),
  );

/** Parts with an empty line between them; absent ones are passed over. */
export const sections = (...parts: readonly Maybe<RichPart>[]): RichText =>
  lines(...present(parts).flatMap((part) => ['', part]));

/** Parts in one paragraph with `separator` between them; absent ones are passed over. */
export const series = (parts: readonly Maybe<RichPart>[], separator = ' · '): RichText =>
  sentence(...joined(parts, separator));

/**
 * A one-line item of `bullets` with a list of one-line items below it, if there are any; absent ones
 * are passed over.
 */
export const nested = (part: RichPart, inner: readonly Maybe<RichPart>[]): ListItem => {
  const items = present(inner).map((each) => item(row(each)));
  return items.length === 0 ? item(row(part)) : item(row(part), bulleted(...items));
};

const isItem = (part: RichPart | ListItem): part is ListItem =>
  typeof part === 'object' && 'lists' in part;

/** A bulleted list of one-line items; absent ones are passed over. */
export const bullets = (...items: readonly Maybe<RichPart | ListItem>[]): RichText =>
  normalise([bulleted(...present(items).map((part) => (isItem(part) ? part : item(row(part)))))]);

/** Words without markup as a tree; line breaks stay. */
export const plainWords = (words: string): RichText =>
  words === '' ? [] : normalise([paragraph(text(words))]);
