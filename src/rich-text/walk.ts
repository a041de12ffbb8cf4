import {
  code,
  OWN,
  text,
  withoutSeparators,
  type Block,
  type Code,
  type CustomEmoji,
  type Inline,
  type List,
  type ListItem,
  type Mention,
  type Quote,
  type RichText,
  type RichTextNode,
  type Text,
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

/** Neighbours of one key, together. */
export const grouped = <Each>(
  all: readonly Each[],
  keyOf: (each: Each) => unknown,
): readonly (readonly [Each, ...Each[]])[] => {
  const groups: [Each, ...Each[]][] = [];
  let last: unknown;
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.at(-1);
    if (group && key === last) group.push(each);
    else groups.push([each]);
    last = key;
  }
  return groups;
};

/** Parts, each replaced by what `change` makes of it; the same array where nothing changes. */
const replaced = <Part extends object>(
  parts: readonly Part[],
  change: (part: Part) => Part | readonly Part[],
): readonly Part[] => {
  let changed: Part[] | undefined;
  for (const [index, part] of parts.entries()) {
    const next = change(part);
    if (next !== part) changed ??= parts.slice(0, index);
    if (!changed) continue;
    if (Array.isArray(next)) for (const each of next as readonly Part[]) changed.push(each);
    else changed.push(next as Part);
  }
  return changed ?? parts;
};

/** A node with its children replaced; the same where they are the same. */
const withChildren = <Node extends { readonly children: readonly unknown[] }>(
  node: Node,
  children: Node['children'],
): Node => (children === node.children ? node : { ...node, children });

type RowChange = (row: readonly Inline[], block: Block) => readonly Inline[];

const mapListRows = (list: List, change: RowChange): List => {
  const items = replaced(list.items, (item): ListItem => {
    const children = change(item.children, list);
    const lists = replaced(item.lists, (inner) => mapListRows(inner, change));
    return children === item.children && lists === item.lists ? item : { children, lists };
  });
  return items === list.items ? list : { ...list, items };
};

/**
 * Blocks with each row of inline nodes (a paragraph's, a heading's, a list item's) replaced. What does
 * not change is shared, up to the tree itself.
 */
export const mapRows = (tree: RichText, change: RowChange): RichText =>
  replaced(tree, (block): Block => {
    if (block.kind === 'code-block') return block;
    if (block.kind === 'list') return mapListRows(block, change);
    if (block.kind === 'quote') return withChildren(block, mapRows(block.children, change));
    return withChildren(block, change(block.children, block));
  });

/** Blocks, each replaced by what `change` makes of it, those within quotes first. */
export const mapBlocks = (
  tree: RichText,
  change: (block: Block) => Block | readonly Block[],
): RichText =>
  replaced(tree, (block) =>
    change(block.kind === 'quote' ? withChildren(block, mapBlocks(block.children, change)) : block),
  );

/** A quote with the blocks of the quotes within it as its own, for platforms without depth. */
export const flatQuote = (quote: Quote): Quote =>
  withChildren(
    quote,
    replaced(quote.children, (block) => (block.kind === 'quote' ? block.children : block)),
  );

/** Gives the nodes that stand for a node: the node itself where it stays. */
type InlineChange = (node: Inline) => Inline | readonly Inline[];

/** Inline nodes, each replaced by what `change` makes of it, children first. */
export const mapInline = (nodes: readonly Inline[], change: InlineChange): readonly Inline[] =>
  replaced(nodes, (node) =>
    change('children' in node ? withChildren(node, mapInline(node.children, change)) : node),
  );

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
    if ('text' in node) plain += node.text;
    else if (node.kind === 'mention') plain += mentionText(node);
    else if (node.kind === 'emoji') plain += emojiText(node);
    else if (node.kind === 'timestamp') plain += timestampText(node);
    else if (node.kind === 'link' && node.children.length === 0) plain += node.url;
    else plain += plainInline(node.children);
  return plain;
};

/** A mention, custom emoji or timestamp as words; one of our own commands is code. */
export const asText = (node: Mention | CustomEmoji | Timestamp): Text | Code =>
  (node.kind === 'mention' && node.platform === OWN ? code : text)(plainInline([node]));

const linesOf = (block: Block): readonly string[] => {
  if (block.kind === 'code-block') return [block.text];
  if (block.kind === 'quote') return block.children.flatMap(linesOf);
  if (block.kind !== 'list') return [plainInline(block.children)];
  return block.items.flatMap(({ children, lists }) => [
    plainInline(children),
    ...lists.flatMap(linesOf),
  ]);
};

/** The words of a tree without any markup, line by line. */
export const plainText = (tree: RichText): string => tree.flatMap(linesOf).join('\n');
