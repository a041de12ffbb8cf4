import { normalise } from './normalise-rich-text.ts';
import { item, bulleted, paragraph, text, type Block, type Inline, type RichText } from './rich-text.ts';
import { plainText } from './walk-rich-text.ts';

/** A part of a composed text: words (never markup), a node, or a tree. */
export type RichPart = string | Inline | RichText;

const isTree = (part: RichPart): part is RichText => Array.isArray(part);

/** Parts in one row of a line. A tree of one paragraph keeps its nodes; any other gives its words. */
export const row = (...parts: readonly RichPart[]): readonly Inline[] =>
  parts.flatMap((part): readonly Inline[] => {
    if (typeof part === 'string') return [text(part)];
    if (!isTree(part)) return [part];
    const [only] = part;
    if (part.length === 1 && only?.kind === 'paragraph') return only.children;
    return part.length === 0 ? [] : [text(plainText(part))];
  });

/** Parts in one row with `separator` between them; absent ones are passed over. */
export const joined = (
  parts: readonly (RichPart | undefined)[],
  separator: string,
): readonly Inline[] =>
  parts
    .filter((part) => part !== undefined)
    .flatMap((part, index) => (index === 0 ? row(part) : row(separator, part)));

/** Parts in one paragraph. */
export const sentence = (...parts: readonly RichPart[]): RichText =>
  normalise([paragraph(...row(...parts))]);

/** A label in front of a tree: on its first line where that is a paragraph, otherwise above it. */
export const labelled = (label: readonly Inline[], tree: RichText): RichText => {
  const [first, ...rest] = tree;
  return normalise(
    first?.kind === 'paragraph'
      ? [paragraph(...label, text(' '), ...first.children), ...rest]
      : [paragraph(...label), ...tree],
  );
};

/** Parts below each other, each on lines of its own; absent ones are passed over. */
export const lines = (...parts: readonly (RichPart | undefined)[]): RichText =>
  normalise(
    parts
      .filter((part) => part !== undefined)
      .flatMap((part): readonly Block[] =>
        typeof part !== 'string' && isTree(part) ? part : [paragraph(...row(part))],
      ),
  );

/** A bulleted list of one-line items. */
export const bullets = (...items: readonly RichPart[]): RichText =>
  items.length === 0 ? [] : [bulleted(...items.map((part) => item(row(part))))];

/** Words without markup as a tree; line breaks stay. */
export const plainWords = (words: string): RichText =>
  words === '' ? [] : normalise([paragraph(text(words))]);
