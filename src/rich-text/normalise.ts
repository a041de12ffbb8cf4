import { normaliseRow } from './inline-runs.ts';
import {
  text,
  withoutSeparators,
  type Block,
  type CodeBlock,
  type Inline,
  type List,
  type ListItem,
  type Quote,
  type RichText,
} from './rich-text.ts';
import { grouped, mapInline } from './walk.ts';

/** Greatest depth of quotes and of lists; deeper ones are flattened. */
const DEEPEST_QUOTE = 3;
const DEEPEST_LIST = 9;
/** Trees known to be in canonical form; nobody changes them. */
const known = new WeakSet<RichText>();
const LAST_NUMBER = 99_999;
const language = /^[\w+\-.#]{1,32}$/;

const onOneLine = (row: readonly Inline[]): readonly Inline[] =>
  mapInline(row, (node) =>
    'text' in node && /[\n\r]/.test(node.text)
      ? { ...node, text: node.text.replaceAll(/[\n\r]/g, ' ') }
      : node,
  );

/** The lines of a text without white space around the breaks between them. */
export const linesOf = (written: string): readonly string[] =>
  written.split('\n').map((line, index, { length }) => {
    const begun = index === 0 ? line : line.trimStart();
    return index === length - 1 ? begun : begun.trimEnd();
  });

/** Removes white space around lines, and empty lines; code is on one line. */
const asItemLines = (row: readonly Inline[]): readonly Inline[] =>
  mapInline(row, (node) => {
    if (!('text' in node) || !node.text.includes('\n')) return node;
    if (node.kind === 'code') return { ...node, text: node.text.replaceAll('\n', ' ') };
    const [first = '', ...rest] = linesOf(node.text);
    return text(
      [first, ...rest.filter((line, at) => line !== '' || at === rest.length - 1)].join('\n'),
    );
  });

/** A canonical row without the text's white space at one end. */
const trimStart = (row: readonly Inline[]): readonly Inline[] => {
  const [first] = row;
  if (first?.kind !== 'text') return row;
  const words = first.text.trimStart();
  if (words === first.text) return row;
  return words === '' ? row.slice(1) : [text(words), ...row.slice(1)];
};

const trimEnd = (row: readonly Inline[]): readonly Inline[] => {
  const last = row.at(-1);
  if (last?.kind !== 'text') return row;
  const words = last.text.trimEnd();
  if (words === last.text) return row;
  return words === '' ? row.slice(0, -1) : [...row.slice(0, -1), text(words)];
};

const trimmed = (row: readonly Inline[]): readonly Inline[] => trimEnd(trimStart(row));

/** Takes the indent off a list's neighbour: an indented line would belong to the list. */
const withoutIndent = (row: readonly Inline[]): readonly Inline[] => {
  const [first, ...rest] = row;
  if (first?.kind !== 'text') return row;
  const words = first.text.trimStart();
  const indent = first.text.slice(0, first.text.length - words.length);
  const begun = indent.replaceAll(/[^\n]/g, '') + words;
  return begun === first.text ? row : begun === '' ? rest : [text(begun), ...rest];
};

/** Blocks without empty lines at their beginning and end. */
const trimBlocks = (blocks: readonly Block[]): readonly Block[] => {
  let [from, to] = [0, blocks.length];
  const first = blocks[from];
  const result = [...blocks];
  if (first?.kind === 'paragraph') {
    const children = trimStart(first.children);
    if (children.length === 0) from += 1;
    else result[from] = { ...first, children };
  }
  const last = result[to - 1];
  if (to > from && last?.kind === 'paragraph') {
    const children = trimEnd(last.children);
    if (children.length === 0) to -= 1;
    else result[to - 1] = { ...last, children };
  }
  return result.slice(from, to);
};

const codeBlockOf = (block: CodeBlock): CodeBlock | undefined => {
  const plain = withoutSeparators(block.text).replaceAll(/\r\n?/g, '\n');
  let [from, to] = [0, plain.length];
  while (plain[from] === '\n') from += 1;
  while (to > from && plain[to - 1] === '\n') to -= 1;
  if (from === to) return undefined;
  return {
    kind: 'code-block',
    text: plain.slice(from, to),
    ...(block.language !== undefined && language.test(block.language)
      ? { language: block.language }
      : {}),
    ...(block.spoiler ? { spoiler: true } : {}),
  };
};

const joinLists = (lists: readonly List[]): readonly List[] =>
  grouped(lists, ({ start }) => start === undefined).map((same) => ({
    ...same[0],
    items: same.flatMap(({ items }) => items),
  }));

/** Removes empty items; items that are too deep follow the item that held them. */
const itemsOf = (items: readonly ListItem[], depth: number): readonly ListItem[] =>
  items.flatMap(({ children, lists }): readonly ListItem[] => {
    const once = normaliseRow(children);
    const lines = asItemLines(once);
    const row = trimmed(lines === once ? once : normaliseRow(lines));
    if (row.length === 0) return lists.flatMap((list) => itemsOf(list.items, depth));
    if (depth < DEEPEST_LIST)
      return [{ children: row, lists: joinLists(lists.flatMap((l) => listOf(l, depth + 1))) }];
    return [{ children: row, lists: [] }, ...lists.flatMap((list) => itemsOf(list.items, depth))];
  });

const listOf = (list: List, depth: number): readonly List[] => {
  const items = itemsOf(list.items, depth);
  if (items.length === 0) return [];
  if (list.start === undefined) return [{ kind: 'list', items }];
  const start = Math.min(Math.max(Math.trunc(list.start) || 0, 0), LAST_NUMBER);
  return [{ kind: 'list', start, items }];
};

/** Kinds of blocks that are one with a neighbour of the same kind. */
const JOINED: ReadonlySet<Block['kind']> = new Set(['paragraph', 'quote', 'list']);

const canonical = (block: Block, depth: number): readonly Block[] => {
  switch (block.kind) {
    case 'paragraph':
      return [block];
    case 'heading':
    case 'subtext': {
      const children = trimmed(normaliseRow(onOneLine(block.children)));
      return children.length === 0 ? [] : [{ ...block, children }];
    }
    case 'code-block': {
      const found = codeBlockOf(block);
      return found ? [found] : [];
    }
    case 'list':
      return listOf(block, 1);
    case 'quote': {
      const children = trimBlocks(joinBlocks(block.children, depth + 1));
      if (depth >= DEEPEST_QUOTE) return children;
      return children.length === 0 ? [] : [{ kind: 'quote', children }];
    }
  }
};

/** Joins neighbours that no platform could tell apart, and makes paragraphs canonical. */
const joinBlocks = (blocks: readonly Block[], depth: number): readonly Block[] => {
  const joined: Block[] = [];
  const all = blocks.flatMap((block) => canonical(block, depth));
  for (const same of grouped(all, (block) => (JOINED.has(block.kind) ? block.kind : block))) {
    const [{ kind }] = same;
    if (kind === 'paragraph') {
      const row = normaliseRow(
        same.flatMap((part, index) => {
          const children = part.kind === 'paragraph' ? part.children : [];
          return index > 0 ? [text('\n'), ...children] : children;
        }),
      );
      const children = joined.at(-1)?.kind === 'list' ? withoutIndent(row) : row;
      joined.push({ kind, children });
    } else if (same.length === 1) joined.push(same[0]);
    else if (kind === 'list') joined.push(...joinLists(same as readonly List[]));
    else {
      const parts = (same as readonly Quote[]).flatMap(({ children }) => children);
      joined.push({ kind: 'quote', children: trimBlocks(joinBlocks(parts, depth + 1)) });
    }
  }
  return joined;
};

/** Normalises a single paragraph, which most messages are: faster than looking it up. */
const simple = (tree: RichText): RichText | undefined => {
  const [only] = tree;
  if (!only) return tree;
  if (only.kind !== 'paragraph' || tree.length > 1) return undefined;
  if (normaliseRow(only.children) !== only.children) return undefined;
  const children = trimmed(only.children);
  if (children.length === 0) return [];
  return children === only.children ? tree : [{ kind: 'paragraph', children }];
};

/**
 * The canonical form of a tree: trees that look equal are equal in it. Parts that no platform can
 * show are removed: empty nodes, white space around the whole, line breaks in headings and labels,
 * numbers of items other than a list's first, invalid addresses. Normalising twice changes nothing.
 */
export const normalise = (tree: RichText): RichText => {
  if (known.has(tree)) return tree;
  const found = simple(tree);
  if (found) return found;
  const result = trimBlocks(joinBlocks(tree, 0));
  known.add(result);
  return result;
};

/** A list's item as it stands in lines. */
export interface PlacedItem {
  /** Depth in any unit. */
  readonly indent: number;
  /** The item's own number; undefined in a bulleted list. */
  readonly number: number | undefined;
  readonly children: readonly Inline[];
}

/** Nests items by their indents; neighbours of one kind and depth are one list. */
export const nestItems = (items: readonly PlacedItem[]): readonly List[] => {
  const outermost: List[] = [];
  const levels = [{ indent: Number.POSITIVE_INFINITY, lists: outermost }];
  for (const { indent, number, children } of items) {
    while (levels.length > 1 && indent < (levels.at(-1)?.indent ?? 0)) levels.pop();
    let level = levels.at(-1) as (typeof levels)[number];
    const parent = level.lists.at(-1)?.items.at(-1);
    if (parent && indent > level.indent && levels.length < DEEPEST_LIST) {
      level = { indent, lists: parent.lists as List[] };
      levels.push(level);
    } else level.indent = Math.min(level.indent, indent);
    const added: ListItem = { children, lists: [] };
    const last = level.lists.at(-1);
    if (last && (last.start === undefined) === (number === undefined))
      (last.items as ListItem[]).push(added);
    else
      level.lists.push({
        kind: 'list',
        ...(number === undefined ? {} : { start: number }),
        items: [added],
      });
  }
  return outermost;
};
