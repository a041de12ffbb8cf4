import type { Block, Inline, List, ListItem } from '../../model/rich-text.ts';
import { DEEPEST_LIST } from '../../model/normalise-rich-text.ts';
import { scanRow, type InlineDialect } from './inline-scan.ts';
import { splitCode } from './split-code.ts';

/** A list's item as it stands in the lines. */
interface Entry {
  readonly indent: number;
  readonly start: number | undefined;
  readonly children: readonly Inline[];
}

interface Growing {
  readonly indent: number;
  readonly lists: List[];
}

const TAB = 4;
const anyIndent = /[ \t]*/y;
const fences = /```/g;

/** Nests items by their indentation. */
const nest = (entries: readonly Entry[]): readonly List[] => {
  const [first] = entries;
  if (!first) return [];
  const levels: Growing[] = [{ indent: first.indent, lists: [] }];
  for (const { indent, start, children } of entries) {
    while (levels.length > 1 && indent < (levels.at(-1)?.indent ?? 0)) levels.pop();
    let level = levels.at(-1);
    const parent = level?.lists.at(-1)?.items.at(-1);
    if (level && parent && indent > level.indent && levels.length < DEEPEST_LIST) {
      level = { indent, lists: parent.lists as List[] };
      levels.push(level);
    }
    const lists = level?.lists ?? [];
    const added: ListItem = { children, lists: [] };
    const last = lists.at(-1);
    if (last && (last.start === undefined) === (start === undefined))
      (last.items as ListItem[]).push(added);
    else lists.push({ kind: 'list', ...(start === undefined ? {} : { start }), items: [added] });
  }
  return levels[0]?.lists ?? [];
};

const widthOf = (space: string): number => {
  let width = 0;
  for (const char of space) width += char === '\t' ? TAB : 1;
  return width;
};

const withoutIndent = (line: string, most: number): string => {
  let at = 0;
  while (at < most && (line[at] === ' ' || line[at] === '\t')) at += 1;
  return line.slice(at);
};

/** True when a fence is open at the end of a text. */
const isFenceOpen = (written: string): boolean => (written.match(fences)?.length ?? 0) % 2 === 1;

/**
 * Reads the list whose first item begins at `from`. Code blocks within it end the list, which
 * continues after them with the number written there.
 *
 * @param item matches an item up to its words, with the group `bullet` or `number`; sticky
 * @param fenceInLine see `BlockDialect`
 * @returns the blocks, and the start of the line after them
 */
export const parseLists = (
  text: string,
  from: number,
  item: RegExp,
  dialect: InlineDialect,
  fenceInLine: boolean,
): { readonly blocks: readonly Block[]; readonly end: number } => {
  const blocks: Block[] = [];
  let entries: Entry[] = [];
  let at = from;
  const lineEnd = (start: number): number => {
    const found = text.indexOf('\n', start);
    return found < 0 ? text.length : found;
  };
  while (at <= text.length) {
    item.lastIndex = at;
    const groups = item.exec(text)?.groups;
    const start = item.lastIndex;
    if (!groups || (groups['bullet'] === undefined && groups['number'] === undefined)) break;
    anyIndent.lastIndex = at;
    const indent = widthOf(anyIndent.exec(text)?.[0] ?? '');
    let end = lineEnd(start);
    let words = text.slice(start, end);
    let open = fenceInLine && isFenceOpen(words) && text.includes('```', end);
    const lines: string[] = [];
    while (end < text.length) {
      const next = end + 1;
      const nextEnd = lineEnd(next);
      const line = text.slice(next, nextEnd);
      if (!open) {
        item.lastIndex = next;
        if (!/^[ \t]+\S/.test(line) || item.test(text)) break;
      }
      if (fenceInLine && line.includes('```') && isFenceOpen(line))
        open = !open && text.includes('```', nextEnd);
      lines.push(withoutIndent(line, start - at));
      end = nextEnd;
    }
    if (lines.length > 0) words += `\n${lines.join('\n')}`;
    const stack = scanRow(words, dialect);
    const row = stack.finish();
    const number = groups['number'] === undefined ? undefined : Number(groups['number']);
    if (stack.hasBlocks) {
      const [first, ...rest] = splitCode(row);
      if (first?.kind === 'paragraph')
        entries.push({ indent, start: number, children: first.children });
      blocks.push(
        ...nest(entries),
        ...(first && first.kind !== 'paragraph' ? [first] : []),
        ...rest,
      );
      entries = [];
    } else entries.push({ indent, start: number, children: row as readonly Inline[] });
    at = end + 1;
  }
  blocks.push(...nest(entries));
  return { blocks, end: at };
};
