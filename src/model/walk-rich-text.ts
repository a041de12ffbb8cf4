import { withoutSeparators } from './separator.ts';
import {
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type List,
  type ListItem,
  type Mention,
  type RichText,
  type RichTextNode,
  type Timestamp,
} from './rich-text.ts';

/** Calls `look` with each node, parents before children, in the order of the text. */
export const visit = (
  nodes: readonly RichTextNode[],
  look: (node: RichTextNode, ancestors: readonly RichTextNode[]) => void,
  ancestors: readonly RichTextNode[] = [],
): void => {
  for (const node of nodes) {
    look(node, ancestors);
    if (node.kind === 'list') {
      const within = [...ancestors, node];
      for (const { children, lists } of node.items) {
        visit(children, look, within);
        visit(lists, look, within);
      }
    } else if ('children' in node && node.children.length > 0)
      visit(node.children, look, [...ancestors, node]);
  }
};

/** Each part changed; the same array where no part became another. */
const mapSame = <T>(parts: readonly T[], change: (part: T) => T): readonly T[] => {
  let changed: T[] | undefined;
  for (const [index, part] of parts.entries()) {
    const next = change(part);
    if (next !== part) changed ??= parts.slice(0, index);
    changed?.push(next);
  }
  return changed ?? parts;
};

type RowChange = (row: readonly Inline[], block: Block) => readonly Inline[];

const mapListRows = (list: List, change: RowChange): List => {
  const items = mapSame(list.items, (item): ListItem => {
    const children = change(item.children, list);
    const lists = mapSame(item.lists, (inner) => mapListRows(inner, change));
    return children === item.children && lists === item.lists ? item : { children, lists };
  });
  return items === list.items ? list : { ...list, items };
};

/**
 * Blocks with each row of inline nodes (a paragraph's, a heading's, a list item's) replaced. What does
 * not change is shared, up to the tree itself.
 */
export const mapRows = (tree: RichText, change: RowChange): RichText =>
  mapSame(tree, (block): Block => {
    switch (block.kind) {
      case 'code-block':
        return block;
      case 'quote': {
        const children = mapRows(block.children, change);
        return children === block.children ? block : { ...block, children };
      }
      case 'list':
        return mapListRows(block, change);
      case 'paragraph':
      case 'heading':
      case 'subtext': {
        const children = change(block.children, block);
        return children === block.children ? block : { ...block, children };
      }
    }
  });

/** Gives the nodes that stand for a node: the node itself where it stays. */
export type InlineChange = (node: Inline) => Inline | readonly Inline[];

/** Inline nodes, each replaced by what `change` makes of it, children first. */
export const mapInline = (nodes: readonly Inline[], change: InlineChange): readonly Inline[] => {
  let changed: Inline[] | undefined;
  for (const [index, node] of nodes.entries()) {
    let inner = node;
    if ('children' in node && node.children.length > 0) {
      const children = mapInline(node.children, change);
      if (children !== node.children) inner = { ...node, children };
    }
    const next = change(inner);
    if (next !== node) changed ??= nodes.slice(0, index);
    if (!changed) continue;
    if ('kind' in next) changed.push(next);
    else for (const each of next) changed.push(each);
  }
  return changed ?? nodes;
};

/** The tree with each inline node replaced by what `change` makes of it, children first. */
export const map = (tree: RichText, change: InlineChange): RichText =>
  mapRows(tree, (row) => mapInline(row, change));

const LONGEST_NAME_CHARS = 80;
const UNKNOWN = '?';
const SIGNS: Readonly<Record<Mention['target'], string>> = {
  member: '@',
  role: '@',
  group: '@',
  broadcast: '@',
  channel: '#',
  page: '#',
  command: '/',
};

/** A mention as words: `@Name`, `#channel`, `/command`; a question mark for a name not known. */
export const mentionText = ({ target, id, name }: Mention): string => {
  const known = name ?? (target === 'broadcast' || target === 'page' ? id : '');
  const short = withoutSeparators(known).slice(0, LONGEST_NAME_CHARS);
  const flat = short.toWellFormed().replaceAll(/\s+/g, ' ').trim();
  return `${SIGNS[target]}${flat || UNKNOWN}`;
};

/** Custom emoji as words: `:name:`. */
export const emojiText = ({ name }: CustomEmoji): string => `:${name}:`;

/** A timestamp as words: date and time in UTC. */
export const timestampText = ({ seconds }: Timestamp): string => {
  const written = new Date(seconds * 1_000).toISOString();
  return `${written.slice(0, written.indexOf('T'))} ${written.slice(-13, -8)} UTC`;
};

/** Inline nodes as a reader without any markup sees them. */
export const plainInline = (nodes: readonly Inline[]): string => {
  let plain = '';
  for (const node of nodes)
    switch (node.kind) {
      case 'text':
      case 'code':
        plain += node.text;
        break;
      case 'link':
        plain += node.children.length > 0 ? plainInline(node.children) : node.url;
        break;
      case 'mention':
        plain += mentionText(node);
        break;
      case 'emoji':
        plain += emojiText(node);
        break;
      case 'timestamp':
        plain += timestampText(node);
        break;
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
      case 'spoiler':
        plain += plainInline(node.children);
        break;
    }
  return plain;
};

const linesOf = (block: Block): readonly string[] => {
  switch (block.kind) {
    case 'code-block':
      return [block.text];
    case 'quote':
      return block.children.flatMap(linesOf);
    case 'list':
      return block.items.flatMap(({ children, lists }) => [
        plainInline(children),
        ...lists.flatMap(linesOf),
      ]);
    case 'paragraph':
    case 'heading':
    case 'subtext':
      return [plainInline(block.children)];
  }
};

/** The words of a tree without any markup, line by line. */
export const plainText = (tree: RichText): string => tree.flatMap(linesOf).join('\n');

/** True when two trees (or parts of trees) are the same, node by node. */
export const equal = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((part, index) => equal(part, other[index]))
    );
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) =>
      equal((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
};

/** A mention, custom emoji or timestamp as a text node. */
export const asText = (node: Mention | CustomEmoji | Timestamp): Inline => {
  switch (node.kind) {
    case 'mention':
      return text(mentionText(node));
    case 'emoji':
      return text(emojiText(node));
    case 'timestamp':
      return text(timestampText(node));
  }
};
