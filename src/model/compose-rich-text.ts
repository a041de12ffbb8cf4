import { normalise } from './normalise-rich-text.ts';
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

/** Parts below each other, each on lines of its own; absent ones are passed over. */
export const lines = (...parts: readonly (RichPart | undefined)[]): RichText =>
  normalise(
    parts
      .filter((part) => part !== undefined)
      .flatMap((part): readonly Block[] =>
        typeof part !== 'string' && isTree(part) ? part : [paragraph(...row(part))],
      ),
  );

/** Parts in one paragraph with `separator` between them; absent ones are passed over. */
export const series = (parts: readonly (RichPart | undefined)[], separator = ' · '): RichText =>
  sentence(...joined(parts, separator));

/** Parts with an empty line between them; absent ones are passed over. */
export const sections = (...parts: readonly (RichPart | undefined)[]): RichText =>
  lines(...parts.filter((part) => part !== undefined).flatMap((part) => ['', part]));

/** A one-line item of `bullets` with a list of one-line items below it. */
export const nested = (part: RichPart, inner: readonly RichPart[]): ListItem =>
  item(row(part), bulleted(...inner.map((each) => item(row(each)))));

const isItem = (part: RichPart | ListItem): part is ListItem =>
  typeof part === 'object' && 'lists' in part;

/** A bulleted list of one-line items. */
export const bullets = (...items: readonly (RichPart | ListItem)[]): RichText =>
  items.length === 0
    ? []
    : [bulleted(...items.map((part) => (isItem(part) ? part : item(row(part)))))];

/** Words without markup as a tree; line breaks stay. */
export const plainWords = (words: string): RichText =>
  words === '' ? [] : normalise([paragraph(text(words))]);
